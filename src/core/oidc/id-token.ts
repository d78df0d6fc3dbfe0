import {
  JWT_TIMESTAMP_CHECK,
  KEY_SELECTION,
  UNSUPPORTED_OPERATION,
  clockSkew,
  clockTolerance,
  getValidatedIdTokenClaims,
  jwksCache,
  processAuthorizationCodeResponse,
  validateApplicationLevelSignature,
  type AuthorizationServer,
} from "oauth4webapi";
import { fromBase64url, toBase64url } from "../base64url.js";
import { isJsonObject } from "../http/index.js";
import { OidcError, OidcFlowError } from "./errors.js";
import type { PendingFlow } from "./flow-store.js";
import type { SigningKey } from "./metadata.js";
import { readClaims } from "./unverified-claims.js";

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
 * Verifies the ID token of a token response in full: the signature by the issuer's keys, `iss`, `aud`,
 * `azp`, `exp`, `nbf`, `iat`, `nonce`, `sub`, and `at_hash` if present.
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
  flow: PendingFlow,
  keySource: KeySource,
  at: number,
): Promise<IdTokenClaims> {
  const response = Response.json({
    access_token: accessToken,
    token_type: "Bearer",
    id_token: idToken,
  });
  const server = flow.metadata as unknown as AuthorizationServer;
  const client = {
    client_id: flow.clientId,
    [clockTolerance]: CLOCK_TOLERANCE_S,
    [clockSkew]: Math.round(issuedAt(idToken) - Date.now() / 1000),
  };
  try {
    // RFC 7515, section 2: no padding, no line breaks. oauth4webapi tolerates both.
    if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(idToken))
      throw new Error("The ID token is no compact JWS");
    const tokens = await processAuthorizationCodeResponse(server, client, response, {
      ...(flow.nonce !== undefined && { expectedNonce: flow.nonce }),
      requireIdToken: true,
    });
    const claims = getValidatedIdTokenClaims(tokens) as unknown as IdTokenClaims;
    if (!/^[^]{1,255}$/.test(claims.sub)) throw new Error("sub is empty, or longer than it may be");
    checkAuthorizedParty(claims, flow.clientId);
    checkIssuedAt(claims, at);
    await verifySignature(server, response, keySource);
    await checkAccessTokenHash(claims, idToken, accessToken);
    return claims;
  } catch (cause) {
    throw idTokenError(cause);
  }
}

async function verifySignature(
  server: AuthorizationServer,
  response: Response,
  keySource: KeySource,
): Promise<void> {
  for (const bypassCache of [false, true]) {
    const keys = await keySource(bypassCache);
    const cache = { jwks: { keys: [...keys] }, uat: Math.floor(Date.now() / 1000) };
    try {
      // A copy, because oauth4webapi remembers keys by the identity of the server object.
      return await validateApplicationLevelSignature({ ...server }, response, {
        [jwksCache]: cache as never,
      });
    } catch (error) {
      // The key may be new, from a rotation: fetch the keys again.
      if (!bypassCache && hasCode(error, KEY_SELECTION)) continue;
      // Not an algorithm that a public client can verify: the token itself is wrong.
      if (hasCode(error, UNSUPPORTED_OPERATION)) throw error;
      throw new OidcFlowError(
        OidcError.InvalidIdToken,
        "id_token_signature",
        withoutSecrets(error),
      );
    }
  }
}

/** The authorized party must be this client, even if there is only one audience. */
function checkAuthorizedParty({ azp }: IdTokenClaims, clientId: string): void {
  if (azp !== undefined && azp !== clientId) throw new Error("azp names another client");
}

/** `iat`, which is verified later with all of the token; without a usable one the present is as good. */
function issuedAt(idToken: string): number {
  const { iat } = readClaims(idToken);
  return Number.isFinite(iat) ? Number(iat) : Date.now() / 1000;
}

function checkIssuedAt({ iat }: IdTokenClaims, at: number): void {
  const age = at / 1000 - iat;
  if (!(Math.abs(age) < MAX_SKEW_S)) {
    throw new OidcFlowError(
      OidcError.InvalidIdToken,
      "id_token_time",
      new Error(`The ID token was issued ${Math.round(age)} seconds ago by this device's clock`),
    );
  }
}

/** @see https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken */
async function checkAccessTokenHash(
  { at_hash: claimed }: IdTokenClaims,
  idToken: string,
  accessToken: string,
): Promise<void> {
  if (claimed === undefined) return;
  const [header = ""] = idToken.split(".");
  const { alg } = JSON.parse(fromBase64url(header)) as { alg: string };
  // Ed25519 is the only algorithm in use whose name does not end in the size of its hash.
  const size = /(256|384|512)$/.exec(alg)?.[0] ?? "512";
  const digest = await crypto.subtle.digest(`SHA-${size}`, new TextEncoder().encode(accessToken));
  const half = digest.slice(0, digest.byteLength / 2);
  if (toBase64url(half) !== claimed) throw new Error("at_hash does not fit the access token");
}

const hasCode = (error: unknown, code: string): boolean =>
  isJsonObject(error) && error["code"] === code;

function idTokenError(cause: unknown): OidcFlowError {
  if (cause instanceof OidcFlowError) return cause;
  const code = hasCode(cause, JWT_TIMESTAMP_CHECK) ? "id_token_time" : "id_token_invalid";
  return new OidcFlowError(OidcError.InvalidIdToken, code, withoutSecrets(cause));
}

/** oauth4webapi attaches the whole response, including tokens, to its errors. */
export function withoutSecrets(error: unknown): Error {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const safe = Object.assign(new Error(message), {
    name,
    ...(isJsonObject(error) && typeof error["code"] === "string" && { code: error["code"] }),
  });
  if (stack !== undefined) safe.stack = stack;
  return safe;
}
