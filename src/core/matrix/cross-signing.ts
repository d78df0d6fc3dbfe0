import type { RequestOptions } from "../http/fetch.js";
import { isJsonObject, type JsonObject } from "../http/json.js";
import type { AuthDict } from "../shared/auth-dict.js";
import type { BootstrapCrossSigningOptions, Whoami } from "./api-types.js";

// Loaded when somebody makes keys.

/** What this needs of a `HomeserverClient`. */
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

/** Asks the homeserver for the keys of users' devices. */
type QueryKeys = (body: JsonObject) => Promise<JsonObject>;

interface KeyPair {
  /** The private key, as unpadded base64. */
  readonly seed: string;
  /** `ed25519:` plus the public key as unpadded base64. */
  readonly id: string;
  readonly publicKey: string;
  readonly sign: (message: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer | Uint8Array>;
}

/**
 * Makes and publishes cross-signing keys: see `HomeserverClient.bootstrapCrossSigning`.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#cross-signing
 */
export async function bootstrapCrossSigning(
  client: SigningClient,
  queryKeys: QueryKeys,
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
  const [master, selfSigning, userSigning] = await Promise.all([
    generateKey(),
    generateKey(),
    generateKey(),
  ]);
  const keys = {
    master_key: publicKey(userId, "master", master),
    self_signing_key: await sign(publicKey(userId, "self_signing", selfSigning), userId, master),
    user_signing_key: await sign(publicKey(userId, "user_signing", userSigning), userId, master),
  };
  let uploads = 0;
  let uploading: Promise<void> = Promise.resolve();
  const upload = async (auth: AuthDict | null): Promise<void> => {
    await client.uploadDeviceSigningKeys(auth, keys, options);
    uploads += 1;
  };
  try {
    await authUpload((auth) => (uploading = upload(auth)));
  } catch (error) {
    // Cancelling does not stop an upload that was sent.
    await uploading.catch(() => undefined);
    // From the upload on the keys are in use: whatever fails, the caller must get them.
    if (uploads === 0) throw error;
  }
  if (uploads === 0) throw new Error("authUploadDeviceSigningKeys resolved without an upload");
  const own = ownDeviceKeys?.ed25519;
  const signing = signDevice(client, queryKeys, userId, deviceId, own, selfSigning, options);
  return {
    masterKey: master.seed,
    selfSigningKey: selfSigning.seed,
    userSigningKey: userSigning.seed,
    keys,
    deviceSigned: await signing.catch(() => false),
  };
}

async function signDevice(
  client: SigningClient,
  queryKeys: QueryKeys,
  userId: string,
  deviceId: string | undefined,
  ed25519: string | undefined,
  key: KeyPair,
  options?: RequestOptions,
): Promise<boolean> {
  if (!deviceId || !ed25519) return false;
  const { device_keys } = await queryKeys({ device_keys: { [userId]: [deviceId] } });
  const device = member(member(device_keys, userId), deviceId);
  // A device without end-to-end encryption has no keys, and another device's must not be signed.
  if (!isJsonObject(device) || device["user_id"] !== userId || device["device_id"] !== deviceId) {
    return false;
  }
  // Nor are those that the homeserver made up: only the device itself can have signed its own.
  const id = `ed25519:${deviceId}`;
  const signature = member(member(device["signatures"], userId), id);
  if (member(device["keys"], id) !== ed25519 || typeof signature !== "string") return false;
  if (!(await verify(ed25519, signature, signedPart(device)))) return false;
  const signed = await sign(device, userId, key);
  const response = await client.uploadKeySignatures({ [userId]: { [deviceId]: signed } }, options);
  return Object.keys(response["failures"] ?? {}).length === 0;
}

const member = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const publicKey = (
  user_id: string,
  usage: string,
  { id, publicKey }: KeyPair,
): CrossSigningKey => ({
  user_id,
  usage: [usage],
  keys: { [id]: publicKey },
});

/**
 * The object with the key's signature, which replaces any signatures it had.
 *
 * @see https://spec.matrix.org/v1.19/appendices/#signing-json
 */
async function sign<T extends object>(
  object: T,
  userId: string,
  { id, sign }: KeyPair,
): Promise<T & { readonly signatures: Signatures }> {
  const signature = await sign(signedPart(object));
  return { ...object, signatures: { [userId]: { [id]: base64(new Uint8Array(signature)) } } };
}

/** What is signed of an object. */
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
    const members = Object.entries(value).sort(([a], [b]) => byCodePoints(a, b));
    return `{${members.map(([name, it]) => `${JSON.stringify(name)}:${canonicalJson(it)}`).join()}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError("Canonical JSON has whole numbers alone");
  }
  return JSON.stringify(value);
}

/** JavaScript's own order is by UTF-16 code units, which puts emoji before some letters. */
function byCodePoints(a: string, b: string): number {
  const [x, y] = [codePoints(a), codePoints(b)];
  const at = x.findIndex((point, i) => point !== y[i]);
  return at < 0 ? x.length - y.length : (x[at] ?? 0) - (y[at] ?? -1);
}

const codePoints = (text: string): readonly number[] =>
  Array.from(text, (character) => character.codePointAt(0) ?? 0);

async function generateKey(): Promise<KeyPair> {
  try {
    const { privateKey } = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const { d, x } = await crypto.subtle.exportKey("jwk", privateKey);
    if (d && x) {
      return keyPair(toBase64(d), toBase64(x), (message) =>
        crypto.subtle.sign("Ed25519", privateKey, message),
      );
    }
  } catch {
    // This browser's WebCrypto has no Ed25519.
  }
  const { generateKey } = await import("./ed25519.js");
  const { seed, publicKey, sign } = await generateKey();
  return keyPair(base64(seed), base64(publicKey), sign);
}

/** @param publicKey and `signature` as unpadded base64. */
async function verify(
  publicKey: string,
  signature: string,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const [key, signed] = [fromBase64(publicKey), fromBase64(signature)];
  try {
    const verifier = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", verifier, signed, message);
  } catch {
    // This browser's WebCrypto has no Ed25519.
  }
  const { verify } = await import("./ed25519.js");
  return verify(signed, message, key);
}

const keyPair = (seed: string, publicKey: string, sign: KeyPair["sign"]): KeyPair => ({
  seed,
  publicKey,
  id: `ed25519:${publicKey}`,
  sign,
});

const toBase64 = (text: string): string => text.replaceAll("-", "+").replaceAll("_", "/");

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

const base64 = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll("=", "");

/**
 * A public cross-signing key.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3keysdevice_signingupload
 */
export interface CrossSigningKey {
  readonly user_id: string;
  readonly usage: readonly string[];
  /** The key as unpadded base64, under the name `ed25519:` plus the key. */
  readonly keys: Readonly<Record<string, string>>;
  /** Signatures as unpadded base64, by user id and by key id. */
  readonly signatures?: Signatures;
}

/** By user ID and by key ID. */
export type Signatures = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface CrossSigningKeys {
  readonly master_key?: CrossSigningKey;
  readonly self_signing_key?: CrossSigningKey;
  readonly user_signing_key?: CrossSigningKey;
}

/** New cross-signing keys. The private ones are 32-byte seeds as unpadded base64. */
export interface CrossSigningResult {
  readonly masterKey: string;
  readonly selfSigningKey: string;
  readonly userSigningKey: string;
  /** What was published. */
  readonly keys: Required<CrossSigningKeys>;
  /**
   * Whether this client's device now has the signature of the self-signing key: only where its own keys
   * were given, and the homeserver has the same.
   */
  readonly deviceSigned: boolean;
}
