import { bytesFromBase64url } from "../base64url.js";
import type { SigningKey } from "./metadata.js";

/** What verifies signatures of one algorithm: which keys, and by what call of Web Cryptography. */
export interface Verification {
  readonly alg: string;
  readonly kty: "RSA" | "EC" | "OKP";
  readonly crv?: string;
  /** For `importKey()` and `verify()` alike: each reads what it needs. */
  readonly parameters: {
    readonly name: string;
    readonly hash?: string;
    readonly namedCurve?: string;
    readonly saltLength?: number;
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc7518#section-3.3 */
const SMALLEST_MODULUS_BITS = 2048;

/**
 * How to verify an algorithm's signatures. Undefined for what a public client cannot verify, `none` and HMACs
 * included.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7518#section-3.1
 * @see https://www.rfc-editor.org/rfc/rfc9864#section-2.2 on `Ed25519` and `EdDSA`
 */
export function verificationOf(alg: string): Verification | undefined {
  if (alg === "Ed25519" || alg === "EdDSA") {
    return { alg, kty: "OKP", crv: "Ed25519", parameters: { name: "Ed25519" } };
  }
  const [, family, size] = /^(RS|PS|ES)(256|384|512)$/.exec(alg) ?? [];
  const hash = `SHA-${size}`;
  switch (family) {
    case "RS":
      return { alg, kty: "RSA", parameters: { name: "RSASSA-PKCS1-v1_5", hash } };
    case "PS":
      return {
        alg,
        kty: "RSA",
        parameters: { name: "RSA-PSS", hash, saltLength: Number(size) / 8 },
      };
    case "ES": {
      const crv = size === "512" ? "P-521" : `P-${size}`;
      return { alg, kty: "EC", crv, parameters: { name: "ECDSA", hash, namedCurve: crv } };
    }
    default:
      return undefined;
  }
}

/**
 * The issuer's key that a signature's header calls for: one of the algorithm's kind, for signatures, and by the name
 * in the header. Undefined if there is none, or, without a name, more than one.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#Signing
 */
export function findKey(
  keys: readonly SigningKey[],
  { alg, kty, crv }: Verification,
  kid: unknown,
): SigningKey | undefined {
  const fitting = keys.filter(
    (key) =>
      key.kty === kty &&
      (crv === undefined || key.crv === crv) &&
      (kid === undefined || key.kid === kid) &&
      (key.alg === undefined || key.alg === alg) &&
      (key.use === undefined || key.use === "sig") &&
      // Unset members may be null, and any may be malformed.
      [key.key_ops ?? "verify"].flat().includes("verify"),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * Whether a compact JWS was signed by this key.
 *
 * @throws {Error} if the key is malformed, too weak, or not only its public half.
 * @see https://www.rfc-editor.org/rfc/rfc7515#section-5.2
 */
export async function isSignedBy(
  signingKey: SigningKey,
  { parameters }: Verification,
  jws: string,
): Promise<boolean> {
  // What the key is for, findKey() has checked.
  const jwk = { ...signingKey, use: undefined, key_ops: undefined } as unknown as JsonWebKey;
  const key = await crypto.subtle.importKey("jwk", jwk, parameters, false, ["verify"]);
  const { modulusLength = SMALLEST_MODULUS_BITS } = key.algorithm as { modulusLength?: number };
  if (modulusLength < SMALLEST_MODULUS_BITS) throw new Error("The issuer's RSA key is too short");
  const end = jws.lastIndexOf(".");
  return crypto.subtle.verify(
    parameters,
    key,
    bytesFromBase64url(jws.slice(end + 1)),
    new TextEncoder().encode(jws.slice(0, end)),
  );
}
