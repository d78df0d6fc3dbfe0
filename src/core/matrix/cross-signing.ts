// Loaded on demand by `HomeserverClient.bootstrapCrossSigning`.
import { RequestError } from "../http/errors.js";
import { codeOfStatus } from "../http/failures.js";
import type { RequestOptions } from "../http/fetch.js";
import { isJsonObject, type JsonObject, toJson } from "../http/json.js";
import type { AuthDict } from "../uia/options.js";
import type { BootstrapCrossSigningOptions, Whoami } from "./api-types.js";
import {
  type CrossSigningKey,
  type CrossSigningKeys,
  type CrossSigningResult,
  CrossSigningUploadError,
  type Signatures,
} from "./cross-signing-keys.js";
import { MatrixError } from "./error.js";

interface SigningClient {
  readonly userId?: string | undefined;
  readonly deviceId?: string | undefined;
  whoami(options?: RequestOptions): Promise<Whoami>;
  uploadDeviceSigningKeys(
    auth: AuthDict | null,
    keys: CrossSigningKeys,
    options?: RequestOptions,
  ): Promise<JsonObject>;
  uploadKeySignatures(content: JsonObject, options?: RequestOptions): Promise<JsonObject>;
}

interface KeyPair {
  /** The private key, in unpadded base64. */
  readonly seed: string;
  /** In unpadded base64. The key's ID is `ed25519:` plus this. */
  readonly publicKey: string;
  readonly sign: (message: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer | Uint8Array>;
}

/** In JSON. Real ones have about a thousand characters. */
const MAX_DEVICE_LENGTH = 1 << 16;

/** See `HomeserverClient.bootstrapCrossSigning()`. */
export async function bootstrapCrossSigning(
  client: SigningClient,
  queryKeys: (body: JsonObject) => Promise<JsonObject>,
  {
    authUploadDeviceSigningKeys: authUpload = (makeRequest) => makeRequest(null),
    ownDeviceKeys,
  }: BootstrapCrossSigningOptions,
  options?: RequestOptions,
): Promise<CrossSigningResult> {
  let { userId, deviceId } = client;
  if (!userId) {
    const whoami = await client.whoami(options);
    userId = whoami.user_id;
    deviceId ??= whoami.device_id;
  }
  const generated = [generateKeyPair(), generateKeyPair(), generateKeyPair()] as const;
  const [master, selfSigning, userSigning] = await Promise.all(generated);
  const selfSigningKey = publishedKey(userId, "self_signing", selfSigning);
  const userSigningKey = publishedKey(userId, "user_signing", userSigning);
  const keys = {
    master_key: publishedKey(userId, "master", master),
    self_signing_key: await signObject(selfSigningKey, userId, master),
    user_signing_key: await signObject(userSigningKey, userId, master),
  };
  const newKeys = {
    masterKey: master.seed,
    selfSigningKey: selfSigning.seed,
    userSigningKey: userSigning.seed,
    keys,
  };
  let uploads = 0;
  /** The last failure after which the homeserver might have the keys. */
  let lost: unknown;
  let uploading: Promise<void> = Promise.resolve();
  const upload = async (auth: AuthDict | null): Promise<void> => {
    const isSent = options?.signal?.aborted !== true;
    try {
      await client.uploadDeviceSigningKeys(auth, keys, options);
      uploads += 1;
    } catch (error) {
      if (isSent && isLostResponse(error)) lost = error;
      throw error;
    }
  };
  try {
    await authUpload((auth) => (uploading = upload(auth)));
  } catch (error) {
    // An upload that was already sent continues after a cancellation.
    await uploading.catch(() => undefined);
    // A homeserver that has the keys already accepts them again, without authentication (MSC3967).
    if (uploads === 0 && error === lost) await upload(null).catch(() => undefined);
    // After the upload the keys are in use, so the caller must get them.
    if (uploads === 0) throw lost ? new CrossSigningUploadError(newKeys, error) : error;
  }
  if (uploads === 0) throw new Error("authUploadDeviceSigningKeys resolved without an upload");
  const own = ownDeviceKeys?.ed25519;
  const signing = signDevice(client, queryKeys, userId, deviceId, own, selfSigning, options);
  return { ...newKeys, deviceSigned: await signing.catch(() => false) };
}

/** Whether a request might have succeeded although its response is missing. */
const isLostResponse = (error: unknown): boolean =>
  error instanceof MatrixError
    ? codeOfStatus(error.httpStatus) === "server_error"
    : error instanceof RequestError;

async function signDevice(
  client: SigningClient,
  queryKeys: (body: JsonObject) => Promise<JsonObject>,
  userId: string,
  deviceId: string | undefined,
  ed25519: string | undefined,
  key: KeyPair,
  options?: RequestOptions,
): Promise<boolean> {
  if (!deviceId || !ed25519) return false;
  const { device_keys } = await queryKeys({ device_keys: { [userId]: [deviceId] } });
  const device = ownMember(ownMember(device_keys, userId), deviceId);
  // A device without end-to-end encryption has no keys, and another device's must not be signed.
  if (!isJsonObject(device) || device["user_id"] !== userId || device["device_id"] !== deviceId) {
    return false;
  }
  // Larger ones, whose members would have to be sorted, are no device's.
  if (toJson(device).length > MAX_DEVICE_LENGTH) return false;
  // Keys that the homeserver invented must not be signed, either: only the device itself can have
  // signed its own keys.
  const id = `ed25519:${deviceId}`;
  const signature = ownMember(ownMember(device["signatures"], userId), id);
  if (ownMember(device["keys"], id) !== ed25519 || typeof signature !== "string") return false;
  if (!(await verifySignature(ed25519, signature, signedPart(device)))) return false;
  const signed = await signObject(device, userId, key);
  const response = await client.uploadKeySignatures({ [userId]: { [deviceId]: signed } }, options);
  return Object.keys(response["failures"] ?? {}).length === 0;
}

const ownMember = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const publishedKey = (user_id: string, usage: string, { publicKey }: KeyPair): CrossSigningKey => ({
  user_id,
  usage: [usage],
  keys: { [`ed25519:${publicKey}`]: publicKey },
});

/**
 * The object with the key's signature, which replaces any signatures it had.
 *
 * @see https://spec.matrix.org/v1.19/appendices/#signing-json
 */
async function signObject<T extends object>(
  object: T,
  userId: string,
  { publicKey, sign }: KeyPair,
): Promise<T & { readonly signatures: Signatures }> {
  const signature = toUnpaddedBase64(new Uint8Array(await sign(signedPart(object))));
  return { ...object, signatures: { [userId]: { [`ed25519:${publicKey}`]: signature } } };
}

function signedPart(object: object): Uint8Array<ArrayBuffer> {
  const members = Object.entries(object).filter(
    ([name]) => name !== "signatures" && name !== "unsigned",
  );
  return new TextEncoder().encode(canonicalJson(Object.fromEntries(members)));
}

/** @see https://spec.matrix.org/v1.19/appendices/#canonical-json */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value)
      .map(([name, it]) => [orderOf(name), `${toJson(name)}:${canonicalJson(it)}`] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([, member]) => member).join()}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError("Canonical JSON allows only whole numbers");
  }
  return toJson(value);
}

/** The code points. JavaScript's default order (UTF-16 code units) puts emoji before some letters. */
const orderOf = (text: string): string =>
  Array.from(text)
    .map((character) => String(character.codePointAt(0)).padStart(7, "0"))
    .join("");

async function generateKeyPair(): Promise<KeyPair> {
  try {
    const { privateKey } = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const { d, x } = await crypto.subtle.exportKey("jwk", privateKey);
    const sign: KeyPair["sign"] = (message) => crypto.subtle.sign("Ed25519", privateKey, message);
    if (d && x) return { seed: urlToBase64(d), publicKey: urlToBase64(x), sign };
  } catch {
    // WebCrypto lacks Ed25519 in this browser.
  }
  const { getPublicKeyAsync, signAsync } = await import("./ed25519.js");
  const seed = crypto.getRandomValues(new Uint8Array(32));
  return {
    seed: toUnpaddedBase64(seed),
    publicKey: toUnpaddedBase64(await getPublicKeyAsync(seed)),
    sign: (message) => signAsync(message, seed),
  };
}

async function verifySignature(
  publicKey: string,
  signature: string,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const [key, signed] = [fromBase64(publicKey), fromBase64(signature)];
  try {
    const verifier = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", verifier, signed, message);
  } catch {
    // WebCrypto lacks Ed25519 in this browser.
  }
  const { verifyAsync } = await import("./ed25519.js");
  return verifyAsync(signed, message, key);
}

const urlToBase64 = (text: string): string => text.replaceAll("-", "+").replaceAll("_", "/");

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

const toUnpaddedBase64 = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll("=", "");
