// @ts-check
import { createPublicKey, verify } from "node:crypto";
import { createAuthentication } from "./authentication.js";
import { readObject } from "./body.js";
import { MatrixError } from "./errors.js";
import { createInteractiveAuthentication } from "./uia/index.js";

/** @typedef {Record<string, unknown>} Json */

const PATHS = ["v3", "unstable"].map(
  (version) => `/_matrix/client/${version}/keys/device_signing/upload`,
);
const KINDS = /** @type {const} */ (["master_key", "self_signing_key", "user_signing_key"]);

/**
 * Cross-signing keys.
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addKeysRoutes(router, homeserver) {
  const { authorizationServer, uia } = homeserver;
  const authenticate = createAuthentication(homeserver);
  const challenge = createInteractiveAuthentication(homeserver);
  /** @type {Map<string, Json>} */
  const byUser = new Map();

  /** @type {(requester: import("./authentication.js").Requester, auth: Json) => void} */
  const assertApproved = ({ localpart }, { session, type }) => {
    const allowed = authorizationServer?.crossSigningResetAllowed(localpart);
    const typed = !uia.typedOAuthOnly || type === "m.oauth";
    if (allowed && session === "dummy" && typed) return;
    const url = `${authorizationServer?.accountManagementUri}?action=org.matrix.cross_signing_reset`;
    const stages = ["m.oauth", "org.matrix.cross_signing_reset"];
    throw new MatrixError(401, "", "", {
      session: "dummy",
      flows: stages.map((stage) => ({ stages: [stage] })),
      params: Object.fromEntries(stages.map((stage) => [stage, { url }])),
    });
  };

  for (const path of PATHS) {
    router.post(path, async (ctx) => {
      const requester = await authenticate(ctx);
      const body = await readObject(ctx);
      const { auth, ...keys } = body;
      const { userId } = requester;
      if (Object.keys(keys).length === 0) {
        ctx.body = {};
        return;
      }
      const present = byUser.get(userId);
      // The first keys, and the same keys again, need no proof (specification v1.11).
      if (present && JSON.stringify(present) !== JSON.stringify(keys)) {
        if (authorizationServer) assertApproved(requester, Object(auth));
        else {
          const operation = `POST ${ctx.path}`;
          await challenge({ operation, body, userId, flows: uia.flows.account });
        }
      }
      assertSigned(userId, keys);
      byUser.set(userId, { ...present, ...keys });
      ctx.body = {};
    });
  }

  router.post("/_matrix/client/v3/keys/query", async (ctx) => {
    await authenticate(ctx);
    const { device_keys: requested } = await readObject(ctx);
    const users = Object.keys(Object(requested)).filter((userId) => byUser.has(userId));
    /** @type {(kind: string) => Json} */
    const all = (kind) => Object.fromEntries(users.map((user) => [user, byUser.get(user)?.[kind]]));
    ctx.body = {
      failures: {},
      device_keys: Object.fromEntries(Object.keys(Object(requested)).map((user) => [user, {}])),
      master_keys: all("master_key"),
      self_signing_keys: all("self_signing_key"),
      user_signing_keys: all("user_signing_key"),
    };
  });

  router.post("/_matrix/client/v3/keys/signatures/upload", async (ctx) => {
    await authenticate(ctx);
    await readObject(ctx);
    ctx.body = { failures: {} };
  });
}

/** @type {(userId: string, keys: Json) => void} throws a MatrixError */
function assertSigned(userId, keys) {
  const [master] = publicKeys(Object(keys["master_key"]));
  for (const kind of KINDS) {
    // Keys may be uploaded one by one, and even none.
    if (keys[kind] === undefined) continue;
    const key = Object(keys[kind]);
    if (key["user_id"] !== userId || publicKeys(key).length !== 1) {
      throw new MatrixError(400, "M_INVALID_PARAM", `Invalid ${kind}`);
    }
    if (kind === "master_key") continue;
    const signature = Object(Object(key["signatures"])[userId])[`ed25519:${master}`];
    const signed = { ...key, signatures: undefined, unsigned: undefined };
    if (!isSigned(canonical(signed), String(signature), String(master))) {
      throw new MatrixError(400, "M_INVALID_SIGNATURE", `Invalid signature on ${kind}`);
    }
  }
}

/** @type {(key: Json) => string[]} */
const publicKeys = (key) => Object.values(Object(key["keys"])).map(String);

/** @type {(text: string, signature: string, key: string) => boolean} */
function isSigned(text, signature, key) {
  try {
    const x = Buffer.from(key, "base64").toString("base64url");
    const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}

/** @type {(value: unknown) => string} https://spec.matrix.org/v1.19/appendices/#canonical-json */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}
