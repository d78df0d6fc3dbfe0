import { isJsonObject, parseJson, parseTrustworthyUrl } from "../http/index.js";
import type {
  AuthorizationCodeGrantResult,
  BearerTokenResponse,
  IdTokenClaims,
} from "../oidc/index.js";
import { issuerEndpoints } from "../oidc/issuer-endpoints.js";
import { secureRandomString } from "../random.js";
import { parseBackoff, type RefreshBackoff } from "./refresh-backoff.js";
import type { RecordFormat, StoredRecord } from "./shared-record.js";

/** What a session takes from a sign-in's result. */
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

/** A session as it is stored. */
export interface SessionRecord extends SessionSource, StoredRecord {
  readonly userId: string | undefined;
  /** When the tokens were last replaced, in milliseconds since the epoch. */
  readonly refreshedAt?: number | undefined;
  /** How many tokens in a row the homeserver refused as soon as the issuer had issued them. */
  readonly refusedTokens?: number | undefined;
  readonly backoff?: RefreshBackoff | undefined;
}

/** How a record is read, and what stays of it after a soft logout. */
export const RECORD_FORMAT: RecordFormat<SessionRecord> = {
  parse: parseRecord,
  withoutTokens: (record) => ({
    ...record,
    tokenResponse: NO_TOKENS,
    refusedTokens: undefined,
    backoff: undefined,
  }),
};

const NO_TOKENS: BearerTokenResponse = { access_token: "", token_type: "Bearer" };

export const isRecord = (source: SessionSource): source is SessionRecord => "version" in source;

/** The record of a session: only what it needs from a sign-in's result. */
export function recordOf(source: SessionSource, userId?: string): SessionRecord {
  if (isRecord(source)) return { ...source, userId: userId ?? source.userId };
  const { homeserverUrl, oidcClientSettings, metadata, deviceId, scope, idTokenClaims } = source;
  const { tokenResponse } = source;
  return {
    id: secureRandomString(16),
    version: 0,
    signedInAt: Date.now(),
    userId,
    homeserverUrl,
    oidcClientSettings,
    ...(metadata && { metadata: issuerEndpoints(metadata) }),
    deviceId,
    scope,
    idTokenClaims,
    // Without the ID token: its claims are kept instead.
    tokenResponse: readTokens(tokenResponse) ?? tokenResponse,
  };
}

/** Parses a record; undefined if it is not one. Other code on the page can write to the store too. */
export function parseRecord(text: unknown): SessionRecord | undefined {
  const record = typeof text === "string" ? parseJson(text) : undefined;
  if (!isJsonObject(record)) return undefined;
  const { id, version, userId, homeserverUrl, deviceId, scope } = record;
  const isSoftLogout = record["state"] === "soft-logout";
  const tokenResponse = isSoftLogout ? NO_TOKENS : readTokens(record["tokenResponse"]);
  const { signedInAt, refreshedAt, refusedTokens } = record;
  const { clientId, issuer } = objectOf(record["oidcClientSettings"]);
  const { token_endpoint, revocation_endpoint } = objectOf(record["metadata"]);
  const idTokenClaims = record["idTokenClaims"];
  if (
    !tokenResponse ||
    !isText(id) ||
    !isCount(version) ||
    !isText(clientId) ||
    !isUrl(issuer) ||
    // Empty after a sign-in at an issuer only.
    !(homeserverUrl === "" || isUrl(homeserverUrl)) ||
    !isText(deviceId) ||
    typeof scope !== "string" ||
    !(userId === undefined || isText(userId)) ||
    !(idTokenClaims === undefined || isClaims(idTokenClaims))
  ) {
    return undefined;
  }
  return {
    id,
    version,
    userId,
    homeserverUrl,
    deviceId,
    scope,
    tokenResponse,
    oidcClientSettings: { clientId, issuer },
    idTokenClaims,
    ...(isSoftLogout && { state: "soft-logout" }),
    ...(isCount(signedInAt) && { signedInAt }),
    ...(isCount(refreshedAt) && { refreshedAt }),
    ...(isCount(refusedTokens) && { refusedTokens }),
    backoff: parseBackoff(record["backoff"]),
    // If they are missing, they are requested from the issuer.
    ...(isUrl(token_endpoint) &&
      isUrl(revocation_endpoint) && { metadata: { issuer, token_endpoint, revocation_endpoint } }),
  };
}

function readTokens(value: unknown): BearerTokenResponse | undefined {
  const { access_token, refresh_token, expires_in, expires_at, scope } = objectOf(value);
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

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isJsonObject(value) ? value : {};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0;

const isUrl = (value: unknown): value is string => parseTrustworthyUrl(value) !== undefined;

const isClaims = (value: unknown): value is IdTokenClaims =>
  isJsonObject(value) && isText(value["iss"]) && isText(value["sub"]);
