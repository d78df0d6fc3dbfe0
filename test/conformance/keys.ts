import { base64url, exportJWK, generateKeyPair, type CryptoKey, type JWK } from "jose";

/** The algorithms with which the scripted providers sign. */
export type Algorithm =
  "RS256" | "RS512" | "PS256" | "ES256" | "ES384" | "ES512" | "EdDSA" | "Ed25519";

export const ALGORITHMS: readonly Algorithm[] = [
  "RS256",
  "RS512",
  "PS256",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

export interface SigningKey {
  readonly alg: Algorithm;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** The public key, as in a key set. */
  readonly jwk: JWK;
  /** The private and the public key. A key set must not have it. */
  readonly privateJwk: JWK;
}

const SIGNATURES = {
  RS256: "RSASSA-PKCS1-v1_5",
  RS512: "RSASSA-PKCS1-v1_5",
  PS256: { name: "RSA-PSS", saltLength: 32 },
  ES256: { name: "ECDSA", hash: "SHA-256" },
  ES384: { name: "ECDSA", hash: "SHA-384" },
  ES512: { name: "ECDSA", hash: "SHA-512" },
  EdDSA: "Ed25519",
  Ed25519: "Ed25519",
} as const;

/** All environments share their keys, because an RSA key takes long to generate. */
const made = new Map<string, Promise<SigningKey>>();

/** A key by its algorithm, and by a name if there are several. */
export function signingKey(alg: Algorithm, name = "first"): Promise<SigningKey> {
  const kid = `${alg}-${name}`;
  const key = made.get(kid) ?? makeKey(alg, kid, 2048);
  made.set(kid, key);
  return key;
}

/** An RSA key that is too short to be secure. */
export function shortKey(): Promise<SigningKey> {
  const key = made.get("short") ?? makeShortKey();
  made.set("short", key);
  return key;
}

async function makeKey(alg: Algorithm, kid: string, modulusLength: number): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, {
    extractable: true,
    modulusLength,
  });
  return describeKey(alg, kid, privateKey, publicKey);
}

/** The jose package rejects short keys. */
async function makeShortKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    true,
    ["sign", "verify"],
  );
  return describeKey("RS256", "RS256-short", privateKey, publicKey);
}

async function describeKey(
  alg: Algorithm,
  kid: string,
  privateKey: CryptoKey,
  publicKey: CryptoKey,
): Promise<SigningKey> {
  const members = { kid, alg, use: "sig" };
  return {
    alg,
    kid,
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), ...members },
    privateJwk: { ...(await exportJWK(privateKey)), ...members },
  };
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(new TextEncoder().encode(text));

/** The signature of a JWS with one of these keys. */
export const signatureOf = async (
  input: string,
  { alg, privateKey }: SigningKey,
): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.sign(SIGNATURES[alg], privateKey, bytesOf(input)));

/** An HS256 signature. An attacker uses the public key as the secret. */
export async function hmacOf(input: string, secret: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytesOf(input)));
}

export const hashOf = async (text: string, size: 256 | 384 | 512): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest(`SHA-${size}`, bytesOf(text)));

/** The left half of an access token's hash, OpenID Connect Core 3.1.3.6. */
export const accessTokenHash = async (token: string, size: 256 | 384 | 512): Promise<string> =>
  base64url.encode((await hashOf(token, size)).subarray(0, size / 16));
