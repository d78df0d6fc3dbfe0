import { bearerHeader, peekJson, type RequestOptions } from "../http/fetch.js";
import { isJsonObject, type JsonObject } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import { type AbortOptions, withDeadline } from "../http/wait.js";
import { withToken } from "../matrix/access-token.js";
import { MatrixError } from "../matrix/error.js";
import { logOut, requestMatrix } from "../matrix/request.js";
import { readWhoami } from "../matrix/whoami.js";
import { OidcFlowError } from "../oauth/errors.js";
import {
  afterFailure,
  afterRefusedToken,
  failureOf,
  isRefusedForGood,
  pendingFailure,
  type RefreshBackoff,
} from "./backoff.js";
import { sessionEnded, SessionEventTarget, SessionRefreshFailedEvent } from "./events.js";
import { OAuthGrant } from "./oauth-grant.js";
import {
  DEFAULT_KEY,
  type GrantedTokens,
  isFresh,
  mayShareDevice,
  remainingLifetimeMs,
  type SessionEnd,
  type SessionRecord,
  type SessionState,
  type TokenGrant,
} from "./record.js";
import { SharedRecord } from "./shared-record.js";
import { SingleFlight } from "./single-flight.js";
import type { SessionStore, SessionStoreName } from "./store.js";

export interface SessionOptions extends Omit<RequestOptions, "signal"> {
  /** The store of the session. Default: `memory`. */
  readonly store?: SessionStoreName | SessionStore | undefined;
  /** The key in the store. Use a different key for each account. */
  readonly key?: string | undefined;
}

/** A signed-in user. */
export interface MatrixUser {
  /** The Matrix user ID; undefined until it is known. */
  readonly userId: string | undefined;
  readonly deviceId: string;
}

/**
 * The session of a signed-in user, of either kind: an {@link OidcSession} or a {@link LegacySession}.
 *
 * @experimental
 */
export interface MatrixSession extends Omit<TokenSession<SessionRecord>, "noteUserId"> {
  /** The sign-in API of the specification: OAuth 2.0 or legacy. */
  readonly kind: "oauth" | "legacy";
  readonly user: MatrixUser;
}

const PAUSE_AFTER_FAILED_REFRESH_MS = 5000;
const MAX_WAIT_WITH_VALID_TOKEN_MS = 3000;

/** A token of this age or less, in milliseconds, is not rejected because it has expired. */
const JUST_ISSUED_MS = 60_000;

export interface SignOutOptions extends AbortOptions {
  /**
   * Whether to send the server a request that ends the session. Default: true. It is unnecessary if
   * the server has ended the session itself, for example after a deactivation.
   */
  readonly notify?: boolean | undefined;
}

export abstract class TokenSession<R extends SessionRecord> extends SessionEventTarget {
  /** The key in the store. */
  readonly key: string;
  readonly #record: SharedRecord;
  readonly #grant: TokenGrant;
  readonly #options: RequestOptions;
  readonly #flight = new SingleFlight<string>((error) => {
    if (error instanceof OidcFlowError && this.state === "signed-in") this.#reportFailure(error);
  });
  #identifying = new AbortController();
  #pausedUntil = 0;
  /** The token that the homeserver did not know, and how the session then ends. */
  #refusal: { readonly token: string; readonly state: SessionEnd["state"] } | undefined;

  protected constructor(record: R, isNew: boolean, options: SessionOptions, grant: TokenGrant<R>) {
    super();
    const { store = "memory", key = DEFAULT_KEY, fetch, timeoutMs } = options;
    this.key = key;
    this.#options = { fetch, timeoutMs };
    this.#grant = grant;
    const onReplaced = (older: SessionRecord) => {
      revokeReplaced(older, this.#record.current, this.#options).catch(() => undefined);
    };
    const sharing = { store, key, isNew, timeoutMs, target: this, onReplaced };
    this.#record = new SharedRecord(record, sharing);
    if (isNew) return;
    void this.#identify();
    this.addEventListener("session-changed", () => void this.#identify());
  }

  get state(): SessionState {
    return this.#record.state;
  }

  /** The base URL of the homeserver. */
  get homeserverUrl(): string {
    return this.#record.current.homeserverUrl;
  }

  /** The access token's expiry, in seconds since the epoch; `undefined` if it is unknown. */
  get expiresAt(): number | undefined {
    return this.#tokens.expires_at;
  }

  /**
   * Resolves when the session is in its store.
   *
   * @throws {OidcFlowError} `StorageUnavailable` (`storage_full`, `storage_unavailable`): the
   *   session exists only in this page.
   */
  get stored(): Promise<void> {
    return this.#record.stored;
  }

  /**
   * Resolves to a valid access token, and refreshes it first if it is about to expire. If the
   * provider has just failed or takes longer than three seconds, it resolves to the current token
   * while that is valid.
   *
   * @throws {OidcFlowError} `SessionEnded` if the session is over; `RefreshTokenFailed` if no token
   * is valid.
   */
  async accessToken({ signal }: AbortOptions = {}): Promise<string> {
    const tokens = this.#record.signedInRecord.tokenResponse;
    if (isFresh(tokens) || !tokens.refresh_token) return tokens.access_token;
    const isGood = (): boolean => remainingLifetimeMs(tokens) > 0;
    if (isGood() && Date.now() >= this.#pausedUntil && !this.#pendingFailure) {
      try {
        const waitMs = Math.min(MAX_WAIT_WITH_VALID_TOKEN_MS, remainingLifetimeMs(tokens));
        // After that, this call no longer waits, but the request's new tokens are still stored.
        return await withDeadline(waitMs, signal, (ending) => this.#joinRefresh(ending, 1));
      } catch (error) {
        this.#pausedUntil = Date.now() + PAUSE_AFTER_FAILED_REFRESH_MS;
        if (signal?.aborted || this.state !== "signed-in") throw error;
      }
    }
    if (isGood()) return tokens.access_token;
    this.#throwPendingFailure();
    return this.#joinRefresh(signal);
  }

  /**
   * Replaces the tokens now, and resolves to the new access token.
   *
   * @throws {OidcFlowError} `SessionEnded`; `RefreshTokenFailed`: `refresh_not_possible` without a
   *   refresh token; the last failure, such as `rate_limited`, without a request if the provider
   *   has requested a delay.
   */
  async refresh({ signal }: AbortOptions = {}): Promise<string> {
    if (this.#record.signedInRecord.backoff?.isRequested) this.#throwPendingFailure();
    return this.#joinRefresh(signal);
  }

  /**
   * Gets another access token after `M_UNKNOWN_TOKEN`. Resolves to `undefined` if there is none:
   * the session has ended, or the homeserver also rejects a token that was just issued
   * (`session-refresh-failed` with `token_refused`).
   *
   * @param refused The access token that the homeserver rejected.
   * @param softLogout The `soft_logout` of the error response.
   */
  async replaceToken(
    refused: string,
    softLogout: boolean,
    { signal }: AbortOptions = {},
  ): Promise<string | undefined> {
    const other = this.#tokenOtherThan(refused);
    if (other !== undefined || this.state !== "signed-in") return other;
    const state = softLogout ? "soft-logout" : "signed-out";
    if (!this.#tokens.refresh_token) {
      await this.#record.refuse(state);
      return this.#tokenOtherThan(refused);
    }
    // A late response about an earlier token doesn't apply to the current one.
    const isCurrent = refused === this.#tokens.access_token;
    if (isCurrent && !(await this.#noteRefusal(state))) return undefined;
    this.#throwPendingFailure();
    try {
      return this.#tokenOtherThan(refused) ?? (await this.#joinRefresh(signal));
    } catch (error) {
      if (error instanceof OidcFlowError && error.code === "session_ended") return undefined;
      throw error;
    }
  }

  /**
   * Like `globalThis.fetch`, but adds the access token to requests to the homeserver's origin
   * without an `Authorization` header. If the homeserver rejects the token, the request is repeated
   * once with a new one.
   *
   * The HTTP cache is not used for these requests. A redirect is followed only for `GET` and `HEAD`,
   * and without the token on another origin. For other methods it is a failure, because it could
   * send the body elsewhere.
   */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const send = this.#options.fetch ?? globalThis.fetch;
    const given = new Request(input, init);
    const { signal, url, headers } = given;
    const isOurs = (target: string) =>
      new URL(target).origin === parseTrustworthyUrl(this.homeserverUrl)?.origin;
    if (!isOurs(url) || headers.has("Authorization")) return send(given);
    const request = new Request(given, safely(given));
    const requests = [request.clone(), request];
    let refused: Response | undefined;
    const sendWith = async (token: string) => {
      refused?.body?.cancel().catch(() => undefined);
      refused = undefined;
      const next = requests.pop() ?? request;
      next.headers.set("Authorization", bearerHeader(token));
      const response = await send(next);
      // After a redirect to another origin, the response doesn't apply to the token.
      const limits = { signal, timeoutMs: this.#options.timeoutMs };
      const body = isOurs(response.url || url) && (await readUnknownToken(response, limits));
      signal.throwIfAborted();
      if (!body) return response;
      refused = response;
      throw new MatrixError({ status: response.status, body });
    };
    try {
      return await withToken(this, sendWith, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (refused && error instanceof MatrixError) return refused;
      throw error;
    }
  };

  /**
   * Ends the session in every tab, and revokes the tokens or signs out the device. The removal from
   * the store and the requests start before it returns, and continue if the user leaves the page. A
   * page never restores a session that was signed out. After a soft logout, it only removes the
   * stored user.
   *
   * The request must wait for another one if a legacy session's access token has expired, or if the
   * sign-in named no revocation endpoint.
   *
   * @returns Whether the server has confirmed it.
   * @see https://spec.matrix.org/v1.19/client-server-api/#token-revocation
   */
  async signOut({ signal, notify = true }: SignOutOptions = {}): Promise<boolean> {
    const { state } = this;
    if (state === "signed-out") return false;
    const revoke = async (record: SessionRecord): Promise<boolean> => {
      if (!notify || state === "soft-logout") return state === "signed-in";
      try {
        await this.#grant.revoke(record, { ...this.#options, signal });
        return true;
      } catch {
        return false;
      }
    };
    // The page may be about to close: nothing is awaited before both have started.
    const { current } = this.#record;
    const removal = this.#record.signOut();
    const later = (found: SessionRecord | undefined) =>
      found && found.version > current.version && found.state === undefined ? found : undefined;
    const isRevoked = revoke((!(removal instanceof Promise) && later(removal)) || current);
    const removed = await removal;
    this.#record.reportSignOut();
    // Another tab has just refreshed the tokens.
    const missed = removal instanceof Promise ? later(removed) : undefined;
    const results = await Promise.all([isRevoked, missed && revoke(missed)]);
    return results.every((isDone) => isDone !== false);
  }

  /**
   * Undoes a sign-in that was cancelled: a soft logout that it has replaced is stored again.
   *
   * @internal
   */
  async undo(options: SignOutOptions): Promise<void> {
    await this.signOut(options);
    await this.#record.restoreSoftLogout().catch(() => undefined);
  }

  /** @internal */
  noteUserId(userId: string, signal?: AbortSignal): Promise<void> {
    const note = async () => {
      if (this.#record.current.userId === undefined) await this.#record.update({ userId });
    };
    return this.#record.withLock(signal, note);
  }

  /** Stops listening to other tabs. The session stays in its store. */
  close(): void {
    this.#identifying.abort();
    this.#record.close();
  }

  /** @internal */
  protected get record(): R {
    return this.#record.current as R;
  }

  /**
   * Requests the user ID, if it is missing. It uses only a token that needs no refresh, because the
   * user can leave the page before new tokens are stored, and doesn't replace a token that the
   * homeserver rejects. A new token aborts the request with the old one.
   */
  async #identify(): Promise<void> {
    this.#identifying.abort();
    const { userId, homeserverUrl: url, tokenResponse } = this.#record.current;
    if (this.state !== "signed-in" || userId !== undefined || !isFresh(tokenResponse)) return;
    const { signal } = (this.#identifying = new AbortController());
    const request = { accessToken: tokenResponse.access_token };
    const options = { ...this.#options, signal };
    try {
      const response = await requestMatrix(url, "v3/account/whoami", request, options);
      await this.noteUserId(readWhoami(response).user_id, signal);
    } catch {
      // The next token, or the next page, asks again.
    }
  }

  get #tokens(): SessionRecord["tokenResponse"] {
    return this.#record.current.tokenResponse;
  }

  get #pendingFailure(): OidcFlowError | undefined {
    return pendingFailure(this.#record.current.backoff);
  }

  #throwPendingFailure(): void {
    const failure = this.#pendingFailure;
    if (failure) throw failure;
  }

  #reportFailure(error: OidcFlowError): void {
    const retryAt = Math.max(Date.now(), this.#record.current.backoff?.until ?? 0);
    this.dispatchEvent(new SessionRefreshFailedEvent({ error, retryAt }));
  }

  /** One refresh for all callers in all tabs. */
  #joinRefresh(signal: AbortSignal | undefined, attempts?: number): Promise<string> {
    const { access_token: old } = this.#record.signedInRecord.tokenResponse;
    // Another tab may be faster.
    const newer = () => this.#tokenOtherThan(old);
    const replace = async () => {
      if (newer() === undefined) await this.#record.query();
      const token = newer();
      if (token !== undefined) return token;
      try {
        return await this.#refreshTokens();
      } catch (error) {
        // Another process, or a tab without this lock, has refreshed the tokens meanwhile.
        const found = newer();
        if (found === undefined) throw error;
        return found;
      }
    };
    const attempt = (flightSignal: AbortSignal) => this.#record.withLock(flightSignal, replace);
    return this.#flight.join(old, attempt, signal, attempts);
  }

  #tokenOtherThan(old: string): string | undefined {
    const { state, current } = this.#record;
    const tokens = current.tokenResponse;
    const isOther = state === "signed-in" && tokens.access_token !== old && isFresh(tokens);
    return isOther ? tokens.access_token : undefined;
  }

  /**
   * @returns Whether a refresh may help. It does not if this token has just replaced another one
   *   that was rejected: the account may be locked.
   */
  async #noteRefusal(state: SessionEnd["state"]): Promise<boolean> {
    const { tokenResponse, refusedTokens = 0, refreshedAt = -Infinity } = this.#record.current;
    const token = tokenResponse.access_token;
    this.#refusal = { token, state };
    const pending = this.#pendingFailure;
    if (pending) return pending.code !== "token_refused";
    const age = Date.now() - refreshedAt;
    if (refusedTokens === 0 || age < 0 || age >= JUST_ISSUED_MS) return true;
    const backoff = afterRefusedToken(refusedTokens - 1);
    const isReplaced = () => this.#tokenOtherThan(token) !== undefined;
    const write = async () => {
      if (!isReplaced()) await this.#record.update({ backoff });
    };
    // If another tab keeps the lock, the next rejection is noted.
    await this.#record.withLock(undefined, write).catch(() => undefined);
    if (isReplaced()) return true;
    this.#reportFailure(failureOf(backoff));
    return false;
  }

  async #refreshTokens(): Promise<string> {
    const { backoff, refusedTokens = 0, tokenResponse } = this.#record.signedInRecord;
    const isRefused =
      this.#refusal?.token === tokenResponse.access_token || backoff?.code === "token_refused";
    const tokens = await this.#requestTokens();
    const members = {
      ...tokens,
      refreshedAt: Date.now(),
      refusedTokens: isRefused ? refusedTokens + 1 : undefined,
      backoff: undefined,
    };
    await this.#record.update(members, tokenResponse.access_token);
    const { current: record, successor } = this.#record;
    const { access_token } = tokens.tokenResponse;
    if (record.tokenResponse.access_token === access_token) return access_token;
    // Another tab's later tokens are of the same device: revoking these could end them, too.
    if (this.state === "signed-in") return record.tokenResponse.access_token;
    // The session ended during the refresh, so the new tokens are not used.
    if (!successor || !mayShareDevice(record, successor)) {
      this.#grant.revoke({ ...record, ...tokens }, this.#options).catch(() => undefined);
    }
    throw sessionEnded();
  }

  async #requestTokens(): Promise<GrantedTokens> {
    try {
      return await this.#grant.refresh(this.#record.signedInRecord, this.#options);
    } catch (error) {
      const backoff = afterFailure(this.#record.current.backoff, error);
      const state = this.#stateAfter(error, backoff);
      if (!state) {
        if (backoff) await this.#record.update({ backoff });
        throw error;
      }
      await this.#record.refuse(state);
      throw this.state === "signed-in" ? error : sessionEnded(error);
    }
  }

  /** Undefined if the session continues. */
  #stateAfter(error: unknown, backoff: RefreshBackoff | undefined) {
    const { access_token } = this.#record.current.tokenResponse;
    const refused = this.#refusal?.token === access_token ? this.#refusal : undefined;
    const end = this.#grant.endOf(error);
    if (end) return refused?.state === "soft-logout" ? refused.state : end;
    return refused && backoff && isRefusedForGood(backoff) ? "soft-logout" : undefined;
  }
}

async function revokeReplaced(older: SessionRecord, newer: SessionRecord, options: RequestOptions) {
  if (older.state || mayShareDevice(older, newer)) return;
  if (older.kind === "oauth") {
    return new OAuthGrant(older.oidcClientSettings.issuer).revoke(older, options);
  }
  // Don't use `legacyGrant`, because pages with only OAuth 2.0 don't load it.
  await logOut(older.homeserverUrl, older.tokenResponse.access_token, options);
}

/** The changes to an app's request that gets a token: `requestJson` has the reasons. */
function safely({ method, redirect, referrer, referrerPolicy }: Request): RequestInit {
  const isRead = method === "GET" || method === "HEAD";
  return {
    cache: "no-store",
    redirect: redirect === "follow" && !isRead ? "error" : redirect,
    // Otherwise a copied request would lose them.
    referrer,
    referrerPolicy,
  };
}

/** The body of an `M_UNKNOWN_TOKEN` response, which stays readable; otherwise undefined. */
export async function readUnknownToken(
  response: Response,
  limits?: RequestOptions,
): Promise<JsonObject | undefined> {
  const body = response.status === 401 && (await peekJson(response, limits));
  return isJsonObject(body) && body["errcode"] === "M_UNKNOWN_TOKEN" ? body : undefined;
}
