import { isJsonObject, isText, type JsonObject, parseJson, presentMembers } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import { wait } from "../http/wait.js";
import type { LegacyLoginResult } from "../legacy/login.js";
import type { IdTokenClaims } from "../oauth/id-token.js";
import { issuerEndpoints } from "../oauth/metadata.js";
import type { AuthorizationCodeGrantResult, BearerTokenResponse } from "../oauth/token-response.js";
import { secureRandomString } from "../shared/base64url.js";
import { parseBackoff, type RefreshBackoff } from "./backoff.js";
import { openStore, type SessionStore, type SessionStoreOption, storageError } from "./store.js";

export const DEFAULT_KEY = "matrix-auth-elements:session";

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
  /** In milliseconds since the epoch, later than any earlier sign-in. */
  readonly signedInAt: number;
  readonly state?: "soft-logout";
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

export const withoutTokens = (record: SessionRecord): SessionRecord => ({
  ...record,
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

const newRecord = () => ({ id: secureRandomString(16), version: 0, signedInAt: Date.now() });

/** @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`). */
export async function readStoredRecord(
  store: SessionStoreOption | undefined,
  key = DEFAULT_KEY,
): Promise<SessionRecord | undefined> {
  try {
    return parseRecord(await openStore(store).getItem(key));
  } catch (cause) {
    throw storageError(cause);
  }
}

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
  const { id, version, signedInAt, userId, homeserverUrl, deviceId } = record;
  const isSoftLogout = record["state"] === "soft-logout";
  const tokenResponse = isSoftLogout ? NO_TOKENS : parseTokens(record["tokenResponse"]);
  const { refreshedAt, refusedTokens } = record;
  if (!tokenResponse || !isText(id) || !isText(deviceId)) return undefined;
  if (!isCount(version) || !isCount(signedInAt)) return undefined;
  // It is empty after a sign-in without a homeserver.
  if (homeserverUrl !== "" && !isUrl(homeserverUrl)) return undefined;
  if (userId !== undefined && !isText(userId)) return undefined;
  return {
    id,
    version,
    signedInAt,
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

/** `localStorage` may show another tab's change so late. */
const LATE_MS = 500;
const READ_INTERVAL_MS = 10;

const storeEntry = (text: unknown) => ({ record: parseRecord(text), isEmpty: !text });
type StoreEntry = ReturnType<typeof storeEntry>;

export class RecordPlace {
  readonly store: SessionStore;
  readonly #key: string;

  constructor(store: SessionStore, key: string) {
    this.store = store;
    this.#key = key;
  }

  /** Reads synchronously if the store does. */
  read(): StoreEntry | Promise<StoreEntry> {
    const text = this.store.getItem(this.#key);
    return text instanceof Promise ? text.then(storeEntry) : storeEntry(text);
  }

  async write(record: SessionRecord): Promise<void> {
    await this.store.setItem(this.#key, JSON.stringify(record));
  }

  /**
   * Removes the record of this sign-in, or one that cannot be read; not that of another sign-in.
   */
  async clear(id: string, rest?: SessionRecord): Promise<void> {
    try {
      const found = this.read();
      // A store that responds immediately is not awaited: a sign-in that follows must not be
      // removed.
      const { record } = found instanceof Promise ? await found : found;
      if (record && record.id !== id) return;
      const remove = () => this.store.removeItem(this.#key);
      // If that fails, remove the tokens with the rest.
      await (record && rest ? this.write(rest).catch(remove) : remove());
    } catch {
      // The store cannot be reached.
    }
  }

  /** Removes the record; after a soft logout, leaves it without tokens. */
  leave(ended: SessionRecord): Promise<void> {
    return this.clear(ended.id, ended.state && ended);
  }

  /**
   * Waits until the store shows that another tab has ended the session: a router calls
   * `hasSession()` next.
   */
  async untilEnded(id: string): Promise<void> {
    try {
      for (let left = LATE_MS / READ_INTERVAL_MS; left > 0; left -= 1) {
        const { record } = await this.read();
        if (record?.id !== id || record.state) return;
        await wait(READ_INTERVAL_MS);
      }
    } catch {
      // The store cannot be reached.
    }
  }
}
