import { toBase64url } from "../base64url.js";
import type { JsonObject } from "../http/index.js";
import { OidcError, OidcFlowError, type OidcErrorCode } from "./errors.js";
import type { PendingFlow } from "./flow-store.js";
import { decodeJwt } from "./jwt.js";
import type { SigningKey } from "./metadata.js";
import { findKey, isSignedBy, verificationOf, type Verification } from "./signature.js";

/**
 * The claims of a verified ID token.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDToken
 */
export interface IdTokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch. */
  readonly nbf?: number;
  readonly nonce?: string;
  readonly [claim: string]: unknown;
}

/** How exact an issuer's times have to be, in seconds. */
const CLOCK_TOLERANCE_S = 5 * 60;
/**
 * How far apart the clocks of this device and the issuer may be, in seconds: a clock that was set for another time
 * zone is wrong by hours. The nonce already shows that the token is of this login.
 */
const MAX_SKEW_S = 24 * 60 * 60;

/** Gets the issuer's keys; with `bypassCache` if the ones at hand lack the token's key. */
export type KeySource = (bypassCache: boolean) => Promise<readonly SigningKey[]>;

/**
 * Verifies the ID token of a token response in full: `iss`, `aud`, `azp`, `exp`, `nbf`, `iat`, `nonce`, `sub`, the
 * signature by the issuer's keys, and `at_hash` if present.
 *
 * @param at When the token was requested, in milliseconds since the epoch. How far `iat` is from this is how wrong
 *   this device's clock is: the token's other times are compared with `iat`.
 * @throws {OidcFlowError} `InvalidIdToken`: `id_token_time`, `id_token_signature`, `id_token_invalid`.
 *   What the key source throws passes through.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
export async function verifyIdToken(
  idToken: string,
  accessToken: string,
  flow: Pick<PendingFlow, "metadata" | "clientId" | "nonce">,
  keySource: KeySource,
  at: number,
): Promise<IdTokenClaims> {
  // RFC 7515, section 2: no padding, no line breaks. Decoders tolerate both.
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(idToken)) throw invalid("The ID token is no compact JWS");
  const { header, claims } = decodeJwt(idToken);
  const verification = checkHeader(header, flow);
  checkClaims(claims, flow);
  checkTimes(claims, at);
  await verifySignature(idToken, header["kid"], verification, keySource);
  await checkAccessTokenHash(claims, verification, accessToken);
  return claims;
}

/**
 * Without a list of the issuer's, the algorithm is RS256: OpenID Connect Discovery, section 3.
 *
 * @returns How to verify the signature.
 */
function checkHeader(
  { alg, crit }: JsonObject,
  { metadata }: Pick<PendingFlow, "metadata">,
): Verification {
  const expected = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
  const agreed = expected.find((each) => each === alg);
  const verification = agreed && verificationOf(agreed);
  if (!verification) {
    const name = typeof alg === "string" ? alg : "no text";
    throw invalid(`alg is ${name}, which was not agreed on or cannot be verified`);
  }
  // RFC 7515, section 4.1.11: extensions that have to be understood. None is.
  if (crit !== undefined) throw invalid("crit names unknown extensions");
  return verification;
}

/** @see https://openid.net/specs/openid-connect-core-1_0.html#IDToken */
function checkClaims(
  claims: JsonObject,
  { metadata, clientId, nonce }: Pick<PendingFlow, "metadata" | "clientId" | "nonce">,
): asserts claims is IdTokenClaims {
  const { iss, sub, aud, azp, exp, iat, nbf, auth_time } = claims;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isTime = (value: unknown): boolean => Number.isFinite(value);
  const isOptionalTime = (value: unknown): boolean => value === undefined || isTime(value);

  if (iss !== metadata.issuer) throw invalid("iss is another issuer");
  if (!audiences.includes(clientId)) throw invalid("aud names only other clients");
  // Who else is meant by the token may have asked for it, unless azp says that this client did.
  if (azp === undefined && audiences.length > 1) throw invalid("aud names other clients too");
  if (azp !== undefined && azp !== clientId) throw invalid("azp names another client");
  if (typeof sub !== "string") throw invalid("sub is missing, or no text");
  if (!/^[^]{1,255}$/.test(sub)) throw invalid("sub is empty, or longer than it may be");
  if (claims["nonce"] !== nonce) throw invalid("nonce is that of another login");
  if (![exp, iat].every(isTime) || ![nbf, auth_time].every(isOptionalTime)) {
    throw invalid("A time is missing, or is no number");
  }
  // checkTimes() compares the others.
  if (Number(auth_time) < 0) throw invalid("auth_time is negative");
}

/** Compares `exp` and `nbf` with `iat`, the issuer's own clock, and that with this device's. */
function checkTimes({ iat, exp, nbf }: IdTokenClaims, at: number): void {
  const age = at / 1000 - iat;
  if (!(Math.abs(age) < MAX_SKEW_S)) {
    throw failure(
      "id_token_time",
      `The ID token was issued ${Math.round(age)} seconds ago by this device's clock`,
    );
  }
  if (exp <= iat - CLOCK_TOLERANCE_S) throw failure("id_token_time", "The ID token has expired");
  if (nbf !== undefined && nbf > iat + CLOCK_TOLERANCE_S) {
    throw failure("id_token_time", "The ID token is not valid yet");
  }
}

async function verifySignature(
  idToken: string,
  kid: unknown,
  verification: Verification,
  keySource: KeySource,
): Promise<void> {
  // The key may be new, from a rotation: then the keys at hand are old ones.
  const key =
    findKey(await keySource(false), verification, kid) ??
    findKey(await keySource(true), verification, kid);
  if (!key) throw failure("id_token_signature", "The issuer has no key for it, or more than one");
  let isVerified;
  try {
    isVerified = await isSignedBy(key, verification, idToken);
  } catch (cause) {
    throw failure("id_token_signature", cause);
  }
  if (!isVerified) throw failure("id_token_signature", "The signature is not by the issuer's key");
}

/** @see https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken */
async function checkAccessTokenHash(
  { at_hash: claimed }: IdTokenClaims,
  { alg }: Verification,
  accessToken: string,
): Promise<void> {
  if (claimed === undefined) return;
  // Ed25519 is the only algorithm in use whose name does not end in the size of its hash.
  const size = /(256|384|512)$/.exec(alg)?.[0] ?? "512";
  const digest = await crypto.subtle.digest(`SHA-${size}`, new TextEncoder().encode(accessToken));
  const half = digest.slice(0, digest.byteLength / 2);
  if (toBase64url(half) !== claimed) throw invalid("at_hash does not fit the access token");
}

const failure = (code: OidcErrorCode, cause: unknown): OidcFlowError =>
  new OidcFlowError(
    OidcError.InvalidIdToken,
    code,
    typeof cause === "string" ? new Error(cause) : cause,
  );

const invalid = (reason: string): OidcFlowError => failure("id_token_invalid", reason);
