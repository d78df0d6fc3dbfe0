import type { RequestOptions } from "../http/fetch.js";
import { isJsonObject, isText, type JsonObject, parseJson, presentMembers } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import type { LegacyLoginResult } from "../legacy/login.js";
import type { IdTokenClaims } from "../oauth/id-token.js";
import { issuerEndpoints, type IssuerEndpoints } from "../oauth/metadata.js";
import type { AuthorizationCodeGrantResult, BearerTokenResponse } from "../oauth/token-response.js";
import { secureRandomString } from "../shared/base64url.js";
import { isDeviceId, isUserId } from "../shared/identifiers.js";
import { parseBackoff, type RefreshBackoff } from "./backoff.js";
import type { SessionEndReason } from "./events.js";

export const DEFAULT_KEY = "matrix-auth-elements:session";

/** `soft-logout`: ended, but the homeserver keeps the device for the next sign-in. */
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

interface TokenRecord {
  readonly id: string;
  readonly version: number;
  /** The IDs of the last sign-ins that this one replaced, newest first: their order needs no clock. */
  readonly replaces: readonly string[];
  /** Stores have no record of a session that is signed out. */
  readonly state?: SessionEnd["state"];
  readonly homeserverUrl: string;
  readonly userId: string | undefined;
  readonly deviceId: string;
  readonly tokenResponse: BearerTokenResponse;
  /** In milliseconds since the epoch. */
  readonly refreshedAt?: number | undefined;
  /** Consecutive tokens that the homeserver rejected as soon as they had been issued. */
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

export const isOAuthRecord = (source: SessionSource): source is OAuthRecord => "version" in source;

export const isLegacyRecord = (
  result: LegacyLoginResult | LegacyRecord,
): result is LegacyLoginResult & LegacyRecord => "version" in result;

/**
 * Whether revoking the older tokens could end the newer sign-in: some servers remove a device with
 * each of its tokens, and the newer tokens may have replaced the older ones already.
 */
export function mayShareDevice(older: SessionRecord, newer: SessionRecord): boolean {
  const { deviceId, userId } = older;
  // After a sign-in with OAuth 2.0 the user ID is not known yet.
  const mayBeSameUser = !userId || !newer.userId || userId === newer.userId;
  return deviceId === newer.deviceId && mayBeSameUser;
}

/**
 * Where the record of a soft logout goes if another user signs in under its key: the user's keys
 * need its device. Only a session of the same user at the same homeserver replaces it.
 */
export const softLogoutKey = (
  key: string,
  { homeserverUrl, userId, deviceId }: Pick<SessionRecord, "homeserverUrl" | "userId" | "deviceId">,
): string => [key, "soft-logout", homeserverUrl, userId ?? deviceId].join(":");

export const isSameUser = (one: SessionRecord, other: SessionRecord): boolean =>
  one.userId !== undefined &&
  one.userId === other.userId &&
  one.homeserverUrl === other.homeserverUrl;

export function oauthRecordOf(source: SessionSource): OAuthRecord {
  const { metadata, tokenResponse } = source;
  return {
    kind: "oauth",
    ...newRecord(),
    userId: undefined,
    homeserverUrl: source.homeserverUrl,
    oidcClientSettings: source.oidcClientSettings,
    ...(metadata && { metadata: issuerEndpoints(metadata) }),
    deviceId: source.deviceId,
    scope: source.scope,
    idTokenClaims: source.idTokenClaims,
    // The ID token is not stored; its claims are stored instead.
    tokenResponse: parseTokens(tokenResponse) ?? tokenResponse,
  };
}

export function legacyRecordOf(result: LegacyLoginResult): LegacyRecord {
  const { homeserverUrl, userId, deviceId, accessToken, refreshToken, expiresAt } = result;
  const tokenResponse: BearerTokenResponse = {
    access_token: accessToken,
    token_type: "Bearer",
    ...(refreshToken && { refresh_token: refreshToken }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
  return { kind: "legacy", ...newRecord(), userId, homeserverUrl, deviceId, tokenResponse };
}

const newRecord = () => ({ id: secureRandomString(16), version: 0, replaces: [] });

const MAX_REPLACED = 8;

/** The record of a sign-in that replaces another one. */
export const replacing = (record: SessionRecord, older: SessionRecord): SessionRecord => ({
  ...record,
  replaces: [older.id, ...older.replaces].slice(0, MAX_REPLACED),
});

/** Undefined if it is not a record: other code on the page can write to the store too. */
export function parseRecord(text: unknown): SessionRecord | undefined {
  const record = typeof text === "string" ? parseJson(text) : undefined;
  if (!isJsonObject(record)) return undefined;
  const common = parseCommon(record);
  if (!common) return undefined;
  if (record["kind"] === "legacy") return asLegacy(common);
  return record["kind"] === "oauth" ? asOAuth(common, record) : undefined;
}

function parseCommon(record: JsonObject): TokenRecord | undefined {
  const { id, version, replaces, userId, homeserverUrl, deviceId } = record;
  const isSoftLogout = record["state"] === "soft-logout";
  const tokenResponse = isSoftLogout ? NO_TOKENS : parseTokens(record["tokenResponse"]);
  const { refreshedAt, refusedTokens } = record;
  if (!tokenResponse || !isText(id) || !isDeviceId(deviceId)) return undefined;
  if (!isCount(version)) return undefined;
  // It is empty after a sign-in without a homeserver.
  if (homeserverUrl !== "" && !isUrl(homeserverUrl)) return undefined;
  if (userId !== undefined && !isUserId(userId)) return undefined;
  return {
    id,
    version,
    replaces: Array.isArray(replaces) ? replaces.filter(isText) : [],
    userId,
    homeserverUrl,
    deviceId,
    tokenResponse,
    ...(isSoftLogout && { state: "soft-logout" }),
    ...(isCount(refreshedAt) && { refreshedAt }),
    ...(isCount(refusedTokens) && { refusedTokens }),
    backoff: parseBackoff(record["backoff"]),
  };
}

const asLegacy = ({ userId, ...common }: TokenRecord): LegacyRecord | undefined =>
  userId !== undefined && common.homeserverUrl ? { kind: "legacy", userId, ...common } : undefined;

function asOAuth(common: TokenRecord, record: JsonObject): OAuthRecord | undefined {
  const { scope, idTokenClaims } = record;
  const { clientId, issuer } = presentMembers(record["oidcClientSettings"]);
  const { token_endpoint, revocation_endpoint } = presentMembers(record["metadata"]);
  if (!isText(clientId) || !isUrl(issuer) || typeof scope !== "string") return undefined;
  if (idTokenClaims !== undefined && !isClaims(idTokenClaims)) return undefined;
  return {
    kind: "oauth",
    ...common,
    scope,
    oidcClientSettings: { clientId, issuer },
    idTokenClaims,
    // If they are missing, they are requested from the provider.
    ...(isUrl(token_endpoint) &&
      isUrl(revocation_endpoint) && { metadata: { issuer, token_endpoint, revocation_endpoint } }),
  };
}

function parseTokens(value: unknown): BearerTokenResponse | undefined {
  const { access_token, refresh_token, expires_in, expires_at, scope } = presentMembers(value);
  if (!isText(access_token)) return undefined;
  return {
    access_token,
    token_type: "Bearer",
    ...(isText(refresh_token) && { refresh_token }),
    ...(isCount(expires_in) && { expires_in }),
    ...(isCount(expires_at) && { expires_at }),
    ...(isText(scope) && { scope }),
  };
}

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0;

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
  revoke(record: R, options: RequestOptions): Promise<void>;
}

/** A token is replaced so long before its expiry. */
const EXPIRY_MARGIN_MS = 30_000;

/** `Infinity` if it is unknown, 0 if the clock was set back to before the token was issued. */
export function remainingLifetimeMs({ expires_in, expires_at }: BearerTokenResponse): number {
  if (expires_at === undefined) return Infinity;
  const left = expires_at * 1000 - Date.now();
  return expires_in !== undefined && left > expires_in * 1000 ? 0 : left;
}

export const isFresh = (tokens: BearerTokenResponse): boolean =>
  remainingLifetimeMs(tokens) > Math.min(EXPIRY_MARGIN_MS, (tokens.expires_in ?? Infinity) * 500);
