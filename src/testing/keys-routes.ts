import type { Environment } from "./environment.js";
import { type Json, objectOf, readJson, refuse, type Routes, textOf } from "./exchange.js";
import { ONE_TIME_KEYS } from "./sync-routes.js";
import { requireUia } from "./uia.js";

const KEY_KINDS = ["master_key", "self_signing_key", "user_signing_key"];

/** @see https://spec.matrix.org/latest/client-server-api/#cross-signing */
export function keysRoutes(environment: Environment): Routes {
  const upload = environment.signedIn(async (call, { user }) => {
    const body = readJson(call);
    const keys = without(body, "auth");
    if (Object.keys(keys).length === 0) return {};
    const userId = environment.userIdOf(user);
    await assertSigned(userId, keys);
    const present = environment.data.crossSigning[userId];
    // The first keys, and the same keys again, require no authentication: specification v1.11.
    if (present && JSON.stringify(present) !== JSON.stringify(keys)) {
      requireUia(environment, call, body, { user });
    }
    environment.data.crossSigning[userId] = { ...present, ...keys };
    return {};
  });

  return {
    "POST client/v3/keys/device_signing/upload": upload,
    "POST client/unstable/keys/device_signing/upload": upload,
    "POST client/v3/keys/signatures/upload": environment.signedIn(() => ({ failures: {} })),
    "POST client/v3/keys/upload": environment.signedIn((call, { user, deviceId }) => {
      const { device_keys: keys } = readJson(call);
      const ofUser = (environment.data.deviceKeys[environment.userIdOf(user)] ??= {});
      if (keys !== undefined && deviceId !== null) ofUser[deviceId] = keys;
      return { one_time_key_counts: ONE_TIME_KEYS };
    }),
    "POST client/v3/keys/query": environment.signedIn((call) => {
      const { crossSigning, deviceKeys } = environment.data;
      const asked = Object.keys(objectOf(readJson(call)["device_keys"]));
      const keysOf = (kind: string): Json =>
        Object.fromEntries(asked.map((userId) => [userId, crossSigning[userId]?.[kind]]));
      return {
        device_keys: Object.fromEntries(asked.map((userId) => [userId, deviceKeys[userId] ?? {}])),
        ...Object.fromEntries(KEY_KINDS.map((kind) => [`${kind}s`, keysOf(kind)])),
        failures: {},
      };
    }),
  };
}

async function assertSigned(userId: string, keys: Json): Promise<void> {
  const [master = ""] = publicKeysOf(objectOf(keys["master_key"]));
  for (const kind of KEY_KINDS) {
    // Clients can upload the keys one by one.
    if (keys[kind] === undefined) continue;
    const key = objectOf(keys[kind]);
    if (key["user_id"] !== userId || publicKeysOf(key).length !== 1) {
      throw refuse(400, "M_INVALID_PARAM", `Invalid ${kind}`);
    }
    if (kind === "master_key") continue;
    const signature = textOf(objectOf(objectOf(key["signatures"])[userId])[`ed25519:${master}`]);
    const signed = canonical(without(key, "signatures", "unsigned"));
    if (!(await isSigned(signed, signature, master))) {
      throw refuse(400, "M_INVALID_SIGNATURE", `Invalid signature on ${kind}`);
    }
  }
}

const without = (body: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

const publicKeysOf = ({ keys }: Json): readonly string[] =>
  Object.values(objectOf(keys)).map(textOf);

async function isSigned(text: string, signature: string, key: string): Promise<boolean> {
  const { subtle } = crypto;
  try {
    const bytes = bytesOfBase64(key);
    const publicKey = await subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
    const signed = new TextEncoder().encode(text);
    return await subtle.verify("Ed25519", publicKey, bytesOfBase64(signature), signed);
  } catch (error) {
    // Chromium before 137 and Firefox before 129 lack Ed25519, so any signature is accepted there.
    // Remove the catch when those are no longer supported: https://w3c.github.io/webcrypto/#ed25519
    return error instanceof DOMException && error.name === "NotSupportedError" && signature !== "";
  }
}

const bytesOfBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** @see https://spec.matrix.org/latest/appendices/#canonical-json */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}
