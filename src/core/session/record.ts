import type { RequestOptions } from "../http/fetch.js";
import { isJsonObject, isText, type JsonObject, parseJson, presentMembers } from "../http/json.js";
import { parseTrustworthyUrl, readBaseUrl, withScheme } from "../http/url.js";
import type { LegacyLoginResult } from "../legacy/login.js";
import type { OidcErrorCode } from "../oauth/error-codes.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import type { IdTokenClaims } from "../oauth/id-token.js";
import type { IssuerEndpoints } from "../oauth/metadata.js";
import type { AuthorizationCodeGrantResult, BearerTokenResponse } from "../oauth/token-response.js";
import { secureRandomString } from "../shared/base64url.js";
import { isDeviceId, isHeaderToken, isUserId } from "../shared/identifiers.js";
import type { SessionEndReason } from "./events.js";

export const DEFAULT_KEY = "matrix-auth-elements:session";

/**
 * `soft-logout`: the session has ended, but the homeserver keeps the device for the next sign-in.
 */
export type SessionState = "signed-in" | "soft-logout" | "signed-out";

export interface SessionEnd {
  readonly state: Exclude<SessionState, "signed-in">;
  readonly reason: SessionEndReason;
}

/** The part of a sign-in's result that a session needs. */
export type SessionSource = Pick<
  AuthorizationCodeGrantResult,
  | "tokenResponse"
  | "oidcClientSettings"
  | "metadata"
  | "homeserverUrl"
  | "idTokenClaims"
  | "deviceId"
  | "scope"
>;

/** Stored with the session, for every tab and after a reload. Times are in ms since the epoch. */
export interface RefreshBackoff {
  /** The wait also ends if the clock is set to an earlier time than this. */
  readonly since: number;
  readonly until: number;
  readonly code: OidcErrorCode;
  /** Whether the provider itself requested the delay. Then it applies to `refresh()`, too. */
  readonly isRequested: boolean;
  readonly failures: number;
  /** The number of consecutive rejections that may end the session, and the time of the first. */
  readonly refusals: number;
  readonly refusedSince: number;
}

interface TokenRecord {
  readonly id: string;
  readonly version: number;
  /**
   * The IDs of the last sign-ins that this sign-in replaced, newest first. This gives the order of
   * sign-ins without a clock.
   */
  readonly replaces: readonly string[];
  /** Stores contain no record of a signed-out session. */
  readonly state?: SessionEnd["state"];
  readonly homeserverUrl: string;
  readonly userId: string | undefined;
  readonly deviceId: string;
  readonly tokenResponse: BearerTokenResponse;
  /** In milliseconds since the epoch. */
  readonly refreshedAt?: number | undefined;
  /**
   * The number of consecutive tokens that the homeserver rejected immediately after they were
   * issued.
   */
  readonly refusedTokens?: number | undefined;
  readonly backoff?: RefreshBackoff | undefined;
}

export interface OAuthRecord extends TokenRecord, SessionSource {
  readonly kind: "oauth";
}

export interface LegacyRecord extends TokenRecord {
  readonly kind: "legacy";
  readonly userId: string;
}

export type SessionRecord = OAuthRecord | LegacyRecord;

const NO_TOKENS: BearerTokenResponse = { access_token: "", token_type: "Bearer" };

export const endedRecord = (record: SessionRecord, state: SessionEnd["state"]): SessionRecord => ({
  ...record,
  state,
  tokenResponse: NO_TOKENS,
  refusedTokens: undefined,
  backoff: undefined,
});

/** The records that were read from a store. An app's objects can have members of the same names. */
const storedRecords = new WeakSet();

export const isOAuthRecord = (source: SessionSource): source is OAuthRecord =>
  storedRecords.has(source);

export const isLegacyRecord = (
  result: LegacyLoginResult | LegacyRecord,
): result is LegacyLoginResult & LegacyRecord => storedRecords.has(result);

/**
 * Whether revoking the older tokens could end the newer sign-in: some servers remove a device when
 * any of its tokens is revoked, and the newer tokens may have replaced the older ones already.
 */
export function mayShareDevice(older: SessionRecord, newer: SessionRecord): boolean {
  const { deviceId, userId } = older;
  // After a sign-in with OAuth 2.0 the user ID is not known yet.
  const mayBeSameUser = !userId || !newer.userId || userId === newer.userId;
  return deviceId === newer.deviceId && mayBeSameUser;
}

/**
 * The key that the record of a soft logout is moved to if another user signs in under its key. The
 * first user's encryption keys belong to its device. Only a session of the same user at the same
 * homeserver replaces the record.
 */
export const softLogoutKey = (
  key: string,
  { homeserverUrl, userId, deviceId }: Pick<SessionRecord, "homeserverUrl" | "userId" | "deviceId">,
): string => [key, "soft-logout", homeserverUrl, userId ?? deviceId].join(":");

export const isSameUser = (one: SessionRecord, other: SessionRecord): boolean =>
  one.userId !== undefined &&
  one.userId === other.userId &&
  one.homeserverUrl === other.homeserverUrl;

/**
 * The record of a sign-in, in a form that can be stored and read again: unset members are left out,
 * and the homeserver's URL is in the form of `readBaseUrl()`.
 *
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`) if a member is missing or invalid.
 */
export function oauthRecordOf(source: SessionSource, knownUser: string | undefined): OAuthRecord {
  const userId = knownUser ? check("userId", knownUser, isUserId) : undefined;
  if (isOAuthRecord(source)) return { ...source, userId: source.userId ?? userId };
  const { tokenResponse, oidcClientSettings, metadata, homeserverUrl, deviceId, scope } = source;
  const { issuer } = presentMembers(oidcClientSettings);
  const record = {
    ...newRecord(),
    tokenResponse,
    metadata,
    deviceId,
    userId,
    homeserverUrl,
    oidcClientSettings: { ...oidcClientSettings, issuer: withScheme(issuer) },
    scope: typeof scope === "string" ? scope : "",
    idTokenClaims: source.idTokenClaims ?? undefined,
  };
  return asOAuth(readCommon(record), record);
}

/** @throws as {@link oauthRecordOf} does. */
export function legacyRecordOf(result: LegacyLoginResult): LegacyRecord {
  const { userId, deviceId, accessToken, refreshToken, expiresAt } = result;
  const tokenResponse = {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_at: expiresAt,
  };
  const { homeserverUrl } = result;
  return asLegacy(readCommon({ ...newRecord(), userId, deviceId, homeserverUrl, tokenResponse }));
}

/** @throws as {@link oauthRecordOf} does. */
export const homeserverUrlOf = (url: unknown): string =>
  check("homeserverUrl", readBaseUrl(url), isText);

const newRecord = () => ({ id: secureRandomString(16), version: 0, replaces: [] });

const MAX_REPLACED = 8;

/** The record of a sign-in that replaces another one. */
export const replacing = (record: SessionRecord, older: SessionRecord): SessionRecord => ({
  ...record,
  replaces: [older.id, ...older.replaces].slice(0, MAX_REPLACED),
});

/** Undefined if the text is not a record: other code on the page can write to the store, too. */
export function parseRecord(text: unknown): SessionRecord | undefined {
  const record = isText(text) && parseJson(text);
  if (!isJsonObject(record)) return undefined;
  const { kind } = record;
  if (kind !== "legacy" && kind !== "oauth") return undefined;
  try {
    const common = readCommon(record);
    const stored = kind === "legacy" ? asLegacy(common) : asOAuth(common, record);
    storedRecords.add(stored);
    return stored;
  } catch {
    return undefined;
  }
}

/** @throws {OidcFlowError} `Misconfigured` (`settings_invalid`) */
function check<T>(name: string, value: unknown, isValid: (value: unknown) => value is T): T {
  if (isValid(value)) return value;
  const cause = new Error(`The session's ${name} is missing or invalid`);
  throw new OidcFlowError("OIDC is misconfigured", "settings_invalid", cause);
}

/** @throws as {@link check} does, as do the functions that use it. */
function readCommon(record: JsonObject): TokenRecord {
  const { replaces, userId, homeserverUrl, refreshedAt, refusedTokens } = record;
  const isSoftLogout = record["state"] === "soft-logout";
  return {
    id: check("id", record["id"], isText),
    version: check("version", record["version"], isCount),
    replaces: Array.isArray(replaces) ? replaces.filter(isText) : [],
    userId: userId === undefined ? undefined : check("userId", userId, isUserId),
    // It is empty after a sign-in without a homeserver.
    homeserverUrl: homeserverUrl ? homeserverUrlOf(homeserverUrl) : "",
    deviceId: check("deviceId", record["deviceId"], isDeviceId),
    tokenResponse: isSoftLogout ? NO_TOKENS : readTokens(record["tokenResponse"]),
    ...(isSoftLogout && { state: "soft-logout" }),
    ...(isCount(refreshedAt) && { refreshedAt }),
    ...(isCount(refusedTokens) && { refusedTokens }),
    backoff: parseBackoff(record["backoff"]),
  };
}

const asLegacy = (common: TokenRecord): LegacyRecord => ({
  kind: "legacy",
  ...common,
  userId: check("userId", common.userId, isUserId),
  homeserverUrl: check("homeserverUrl", common.homeserverUrl, isText),
});

function asOAuth(common: TokenRecord, record: JsonObject): OAuthRecord {
  const { idTokenClaims } = record;
  const settings = presentMembers(record["oidcClientSettings"]);
  const issuer = check("issuer", settings["issuer"], isUrl);
  const { token_endpoint, revocation_endpoint } = presentMembers(record["metadata"]);
  return {
    kind: "oauth",
    ...common,
    scope: check("scope", record["scope"], (value) => typeof value === "string"),
    oidcClientSettings: { clientId: check("clientId", settings["clientId"], isText), issuer },
    idTokenClaims:
      idTokenClaims === undefined ? undefined : check("idTokenClaims", idTokenClaims, isClaims),
    // If the endpoints are missing, they are requested from the provider.
    ...(isUrl(token_endpoint) &&
      isUrl(revocation_endpoint) && { metadata: { issuer, token_endpoint, revocation_endpoint } }),
  };
}

/** Without the ID token, whose claims are stored instead. */
function readTokens(value: unknown): BearerTokenResponse {
  const { access_token, refresh_token, expires_in, expires_at, scope } = presentMembers(value);
  return {
    access_token: check("access token", access_token, isHeaderToken),
    token_type: "Bearer",
    ...(isText(refresh_token) && { refresh_token }),
    ...(isCount(expires_in) && { expires_in }),
    ...(isCount(expires_at) && { expires_at }),
    ...(isText(scope) && { scope }),
  };
}

function parseBackoff(value: unknown): RefreshBackoff | undefined {
  const backoff = Object(value) as RefreshBackoff;
  const { since, until, failures, refusals, refusedSince } = backoff;
  const isSound = [since, until, failures, refusals, refusedSince].every(Number.isFinite);
  // Any code is accepted: another version of the library may have stored it.
  return isSound && isText(backoff.code) ? backoff : undefined;
}

/** JSON has no `Infinity`. */
const isCount = (value: unknown): value is number =>
  Number.isFinite(value) && (value as number) >= 0;

const isUrl = (value: unknown): value is string => parseTrustworthyUrl(value) !== undefined;

const isClaims = (value: unknown): value is IdTokenClaims =>
  isJsonObject(value) && isText(value["iss"]) && isText(value["sub"]);

export interface GrantedTokens {
  readonly tokenResponse: BearerTokenResponse;
  readonly metadata?: IssuerEndpoints;
}

export interface TokenGrant<R extends SessionRecord = SessionRecord> {
  /** @throws {OidcFlowError} `RefreshTokenFailed`, and the errors of the kind's requests. */
  refresh(record: R, options: RequestOptions): Promise<GrantedTokens>;
  /** Undefined if the session continues after this failed refresh. */
  endOf(error: unknown): SessionEnd["state"] | undefined;
  /**
   * Whether several failures of this kind, together with a rejection of the access token, end the
   * session.
   */
  mayEnd(error: unknown): boolean;
  revoke(record: R, options: RequestOptions): Promise<void>;
}

/** A token is replaced this long before its expiry. */
const EXPIRY_MARGIN_MS = 30_000;

/**
 * `Infinity` if the lifetime is unknown; 0 if the clock was set to a time before the token was
 * issued.
 */
export function remainingLifetimeMs({ expires_in, expires_at }: BearerTokenResponse): number {
  if (expires_at === undefined) return Infinity;
  const left = expires_at * 1000 - Date.now();
  return expires_in !== undefined && left > expires_in * 1000 ? 0 : left;
}

export const isFresh = (tokens: BearerTokenResponse): boolean =>
  remainingLifetimeMs(tokens) > Math.min(EXPIRY_MARGIN_MS, (tokens.expires_in ?? Infinity) * 500);
