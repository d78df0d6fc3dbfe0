import { isJsonObject, isText, type JsonObject, parseJson } from "../http/json.js";
import { fromBase64url, toBase64url } from "../shared/base64url.js";
import {
  clockSkew,
  clockTolerance,
  customFetch,
  jwksCache,
  JWT_TIMESTAMP_CHECK,
  processAuthorizationCodeResponse,
  validateApplicationLevelSignature,
} from "./certified.js";
import { OidcError, type OidcErrorCode, OidcFlowError } from "./errors.js";
import type { PendingFlow } from "./flow-store.js";
import { BY_OUR_RULES, serverOf, withoutCause } from "./issuer-request.js";
import type { SigningKey } from "./metadata.js";

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

/**
 * After this many seconds oauth4webapi takes a key set for one that may have changed, and requests it again if it lacks
 * the token's key. Ours are as old from the start: the HTTP cache may have had them.
 */
const KEYS_AGE_S = 60;

const MAX_SUBJECT = 255;

/** Gets the issuer's keys; with `bypassCache` if the ones at hand lack the token's key. */
export type KeySource = (bypassCache: boolean) => Promise<readonly SigningKey[]>;

/**
 * Verifies the ID token of a token response in full: oauth4webapi checks its claims, its times, and the signature by
 * the issuer's keys. Checked here is what that tolerates, `at_hash`, and how wrong this device's clock may be.
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
  { metadata, clientId, nonce }: Pick<PendingFlow, "metadata" | "clientId" | "nonce">,
  keySource: KeySource,
  at: number,
): Promise<IdTokenClaims> {
  // RFC 7515, section 2: no padding, no line breaks. Decoders tolerate both.
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(idToken)) throw invalid("The ID token is not a compact JWS");
  const { header, claims } = decodeJwt(idToken);
  checkClaims(claims, clientId);
  checkAge(claims, at);

  const server = serverOf(metadata);
  const now = Math.floor(Date.now() / 1000);
  const client = {
    client_id: clientId,
    [clockSkew]: claims.iat - now,
    [clockTolerance]: CLOCK_TOLERANCE_S,
  };
  const response = new Response(
    JSON.stringify({ access_token: accessToken, token_type: "bearer", id_token: idToken }),
  );
  await processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce ?? "",
  }).catch((error: unknown) => {
    const isLate = (error as { readonly code?: unknown }).code === JWT_TIMESTAMP_CHECK;
    throw failure(isLate ? "id_token_time" : "id_token_invalid", error);
  });

  const keys = await keySource(false);
  await validateApplicationLevelSignature(server, response, {
    ...BY_OUR_RULES,
    [customFetch]: async () => new Response(JSON.stringify({ keys: await keySource(true) })),
    [jwksCache]: { jwks: { keys: keys as JsonWebKey[] }, uat: now - KEYS_AGE_S },
  }).catch((error: unknown) => {
    if (error instanceof OidcFlowError) throw error;
    throw failure(isUnverifiable(error) ? "id_token_invalid" : "id_token_signature", error);
  });

  await checkAccessTokenHash(claims, header["alg"], accessToken);
  return claims;
}

/** Whether the library names an algorithm that a public client cannot verify: `none`, an HMAC, an unknown one. */
const isUnverifiable = (error: unknown): boolean =>
  (error as { readonly cause?: { readonly alg?: unknown } }).cause?.alg !== undefined;

/** Checks what oauth4webapi does not. */
function checkClaims(claims: JsonObject, clientId: string): asserts claims is IdTokenClaims {
  const { sub, azp, exp, iat, nbf, auth_time } = claims;
  if (!isText(sub) || sub.length > MAX_SUBJECT) throw invalid("sub is missing or too long");
  if (azp !== undefined && azp !== clientId) throw invalid("azp names another client");
  if (![exp, iat, nbf ?? 0, auth_time ?? 0].every(Number.isFinite)) {
    throw invalid("A time is not a number");
  }
}

/** Compares `iat`, the issuer's own clock, with this device's. */
function checkAge({ iat }: IdTokenClaims, at: number): void {
  const age = at / 1000 - iat;
  if (Math.abs(age) < MAX_SKEW_S) return;
  throw failure(
    "id_token_time",
    new Error(`iat is ${Math.round(age)} seconds ago by this device's clock`),
  );
}

/** @see https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken */
async function checkAccessTokenHash(
  { at_hash: claimed }: IdTokenClaims,
  alg: unknown,
  accessToken: string,
): Promise<void> {
  if (claimed === undefined) return;
  // Ed25519 is the only algorithm in use whose name does not end in the size of its hash.
  const size = /(256|384|512)$/.exec(String(alg))?.[0] ?? "512";
  const digest = await crypto.subtle.digest(`SHA-${size}`, new TextEncoder().encode(accessToken));
  const half = digest.slice(0, digest.byteLength / 2);
  if (toBase64url(half) !== claimed) throw invalid("at_hash does not fit the access token");
}

const failure = (code: OidcErrorCode, cause: unknown): OidcFlowError =>
  new OidcFlowError(OidcError.InvalidIdToken, code, withoutCause(cause));

const invalid = (reason: string): OidcFlowError => failure("id_token_invalid", new Error(reason));

/**
 * The header and the claims of a JSON Web Token that nobody has verified. What is not a JSON object is empty.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-3
 */
export function decodeJwt(token: string): {
  readonly header: JsonObject;
  readonly claims: JsonObject;
} {
  const [header, claims] = token.split(".");
  return { header: decodeObject(header), claims: decodeObject(claims) };
}

function decodeObject(part = ""): JsonObject {
  try {
    const value = parseJson(fromBase64url(part));
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // It is not base64url, or not UTF-8.
  }
}
