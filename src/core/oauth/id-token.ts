import {
  isJsonObject,
  isText,
  type JsonObject,
  parseJson,
  presentMembers,
  textIn,
  toJson,
} from "../http/json.js";
import { toBase64url } from "../shared/base64url.js";
import {
  clockSkew,
  clockTolerance,
  customFetch,
  jweDecrypt,
  jwksCache,
  JWT_TIMESTAMP_CHECK,
  processAuthorizationCodeResponse,
  validateApplicationLevelSignature,
} from "./certified.js";
import type { OidcErrorCode } from "./error-codes.js";
import { flowError } from "./errors.js";
import { OidcFlowError } from "./flow-error.js";
import type { PendingFlow } from "./flow-store.js";
import { BY_OUR_RULES, serverOf } from "./issuer-request.js";
import type { SigningKey } from "./metadata.js";

/**
 * The claims of a verified ID token. Times are in seconds since the epoch.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDToken
 */
export interface IdTokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf?: number;
  readonly nonce?: string;
  readonly [claim: string]: unknown;
}

const CLOCK_TOLERANCE_S = 5 * 60;
/**
 * The largest accepted error of this device's clock. A clock in a wrong time zone is wrong by
 * hours. The nonce already shows that the token belongs to this sign-in.
 */
const MAX_SKEW_S = 24 * 60 * 60;

/**
 * After this many seconds oauth4webapi requests a key set again if it lacks the token's key. Our
 * key sets count as that old from the start, because they may come from the HTTP cache.
 */
const KEYS_AGE_S = 60;

/** Gets the provider's keys. `bypassCache` is set if the cached keys lack the token's key. */
export type KeySource = (bypassCache: boolean) => Promise<readonly SigningKey[]>;

/**
 * Verifies the ID token of a token response in full. oauth4webapi checks its claims, its times, and
 * the signature. This adds `at_hash`, the device's clock, and some claims that oauth4webapi
 * tolerates.
 *
 * @param at When the token was requested, in milliseconds since the epoch. The difference to `iat`
 *   is the error of this device's clock, so the token's other times are compared with `iat`.
 * @throws {OidcFlowError} `InvalidIdToken`: `id_token_time`, `id_token_signature`,
 *   `id_token_invalid`. Also the errors of the key source.
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
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(idToken))
    throw invalidIdToken("The ID token is not a compact JWS");
  const { header, claims } = decodeJwt(idToken);
  // oauth4webapi tolerates a header that is not UTF-8.
  if (!isText(header["alg"])) throw invalidIdToken("The header contains no alg");
  assertClaims(claims, clientId, at);

  const server = serverOf(metadata);
  const now = Math.floor(Date.now() / 1000);
  const client = {
    client_id: clientId,
    [clockSkew]: claims.iat - now,
    [clockTolerance]: CLOCK_TOLERANCE_S,
  };
  const known = withoutUnsetClaims(idToken);
  const tokens = {
    access_token: accessToken,
    token_type: "bearer",
    id_token: known?.jwe ?? idToken,
  };
  const response = new Response(toJson(tokens));
  await processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce ?? "",
    ...(known && { [jweDecrypt]: known.decrypt }),
  }).catch((error: unknown) => {
    const { code, message } = error as Error & { readonly code?: unknown };
    throw invalidIdToken(message, code === JWT_TIMESTAMP_CHECK ? "id_token_time" : undefined);
  });

  const { kid } = header;
  /** If the header names no key, any key may be the right one. */
  const keysFor = async (bypassCache: boolean): Promise<readonly JsonWebKey[]> => {
    const keys = (await keySource(bypassCache)) as readonly JsonWebKey[];
    return (kid ?? "") === "" ? keys.map((key) => ({ ...key, kid })) : keys;
  };
  const keys = await keysFor(false);
  await validateApplicationLevelSignature(server, response, {
    ...BY_OUR_RULES,
    [customFetch]: async () => new Response(toJson({ keys: await keysFor(true) })),
    [jwksCache]: { jwks: { keys: [...keys] }, uat: now - KEYS_AGE_S },
  }).catch((error: unknown) => {
    if (error instanceof OidcFlowError) throw error;
    const { cause, message } = error as { cause?: { alg?: unknown }; message: string };
    // A public client cannot verify the algorithm: `none`, an HMAC, or an unknown one.
    const isUnverifiable = cause?.alg !== undefined;
    throw invalidIdToken(message, isUnverifiable ? undefined : "id_token_signature");
  });

  await assertAccessTokenHash(claims, header["alg"], accessToken);
  return claims;
}

function assertClaims(
  claims: JsonObject,
  clientId: string,
  at: number,
): asserts claims is IdTokenClaims {
  const { sub, azp, exp, iat, nbf, auth_time } = claims;
  // It becomes part of a session's key, which can't contain a lone surrogate.
  const isValid = isText(sub) && sub.length <= 255 && !/\p{Cs}/u.test(sub);
  if (!isValid) throw invalidIdToken("sub is missing or invalid");
  if (azp !== undefined && azp !== clientId) throw invalidIdToken("azp names another client");
  if (![exp, iat, nbf ?? 0, auth_time ?? 0].every(Number.isFinite)) {
    throw invalidIdToken("A time is not a number");
  }
  const age = at / 1000 - Number(iat);
  if (Math.abs(age) < MAX_SKEW_S) return;
  const reason = `iat is ${Math.round(age)} seconds ago by this device's clock`;
  throw invalidIdToken(reason, "id_token_time");
}

/**
 * oauth4webapi rejects claims that are `null` or empty. It reads the decrypted content of an
 * encrypted token twice: first the claims, which this removes the unset ones from, and then the
 * signed content.
 *
 * @returns Undefined if all claims are set.
 */
function withoutUnsetClaims(idToken: string) {
  const [header = "", payload = "", signature = ""] = idToken.split(".");
  const raw = toJson(decodeObject(payload));
  const set = toJson(presentMembers(decodeObject(payload)));
  if (raw === set) return undefined;
  const readings = [[header, toBase64url(new TextEncoder().encode(set).buffer), signature]];
  const content = { split: () => readings.pop() ?? [header, payload, signature] };
  return { jwe: "....", decrypt: () => Promise.resolve(content as unknown as string) };
}

/** @see https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken */
async function assertAccessTokenHash(
  { at_hash: claimed }: IdTokenClaims,
  alg: unknown,
  accessToken: string,
): Promise<void> {
  if (claimed === undefined) return;
  // Ed25519 is the only algorithm in use whose name does not end in the size of its hash.
  const size = /(256|384|512)$/.exec(textIn(alg) ?? "")?.[0] ?? "512";
  const digest = await crypto.subtle.digest(`SHA-${size}`, new TextEncoder().encode(accessToken));
  const half = digest.slice(0, digest.byteLength / 2);
  if (toBase64url(half) !== claimed)
    throw invalidIdToken("at_hash does not match the access token");
}

/** @param reason The message of oauth4webapi's error, but not its `cause`, which may contain tokens. */
const invalidIdToken = (reason: string, code: OidcErrorCode = "id_token_invalid"): OidcFlowError =>
  flowError("Invalid ID token", code, reason);

/**
 * The unverified header and claims of a JSON Web Token, without unset claims. A part that is not a
 * JSON object is returned as an empty object.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-3
 */
export function decodeJwt(token: string): Readonly<Record<"header" | "claims", JsonObject>> {
  const [header, claims] = token.split(".");
  return { header: decodeObject(header), claims: presentMembers(decodeObject(claims)) };
}

function decodeObject(part = ""): JsonObject {
  try {
    const value = parseJson(fromBase64url(part));
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // It is not base64url, or not UTF-8.
  }
}

/** @throws if the input is not base64url, or its bytes are not UTF-8. */
function fromBase64url(encoded: string): string {
  const text = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (byte) => byte.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
