import {
  acceptedMembers,
  isRedirect,
  leaveBody,
  peekJson,
  type RequestOptions,
  LONG_TIMEOUT_MS,
} from "../http/fetch.js";
import type { JsonObject } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import { type AbortOptions, MAX_TIMER_MS, withDeadline } from "../http/wait.js";
import { isUnknownToken, withToken } from "../matrix/access-token.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import { endTokens, tokenRefresh } from "./end-tokens.js";
import { SessionEventTarget, SessionRefreshFailedEvent } from "./events.js";
import {
  DEFAULT_KEY,
  isFresh,
  mayShareDevice,
  type RefreshBackoff,
  remainingLifetimeMs,
  type SessionRecord,
  type SessionState,
} from "./record.js";
import { SharedRecord, tokenOtherThan } from "./shared-record.js";
import type { SessionStore, SessionStoreName, SessionStoreOption } from "./store.js";
import type { TokenRefresh } from "./token-refresh.js";

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
 * The session of a signed-in user: an {@link OidcSession} or a {@link LegacySession}.
 *
 * @experimental
 */
export interface MatrixSession extends Omit<
  TokenSession<SessionRecord>,
  "noteUserId" | "noteUnreachable" | "tryNow" | "isIn"
> {
  /** The sign-in API that the session uses: OAuth 2.0 or the legacy API. */
  readonly kind: "oauth" | "legacy";
  readonly user: MatrixUser;
}

/**
 * The code for a refresh is loaded this long before it is needed. Most pages are closed earlier.
 */
const LOAD_BEFORE_EXPIRY_MS = 2 * 60_000;

const MAX_WAIT_WITH_VALID_TOKEN_MS = 3000;

export interface SignOutOptions extends AbortOptions {
  /**
   * Whether to send the server a request that ends the session. Default: true. It is unnecessary if
   * the server has ended the session itself, for example after a deactivation.
   */
  readonly notify?: boolean | undefined;
}

/** The sessions that started on this page, by the IDs of their records. */
const signedInHere = new Map<string, WeakRef<TokenSession<SessionRecord>>>();

/** The session with this record, if it started on this page with the same store and key. */
export function sessionMadeHere(id: string, options: SessionOptions): MatrixSession | undefined {
  const session = signedInHere.get(id)?.deref();
  return session?.isIn(options) ? session : undefined;
}

export abstract class TokenSession<R extends SessionRecord> extends SessionEventTarget {
  /** The sign-in API that the session uses: OAuth 2.0 or the legacy API. */
  abstract readonly kind: "oauth" | "legacy";
  /** The key in the store. */
  readonly key: string;
  readonly #store: SessionStoreOption;
  readonly #record: SharedRecord;
  readonly #options: RequestOptions;
  #refresh: TokenRefresh | undefined;
  #identifying = new AbortController();
  /** Whether a restored session has yet to look for another URL of its homeserver. */
  #mayHaveMoved: boolean;
  /** The backoff that the user has ended with a reload or "Try again". */
  #endedBackoff: RefreshBackoff | undefined;

  protected constructor(record: R, isNew: boolean, options: SessionOptions) {
    super();
    const { store = "memory", key = DEFAULT_KEY, fetch, timeoutMs = LONG_TIMEOUT_MS } = options;
    this.key = key;
    this.#store = store;
    this.#options = { fetch, timeoutMs };
    this.#endedBackoff = record.backoff;
    this.#mayHaveMoved = !isNew;
    const onReplaced = (older: SessionRecord) => {
      if (mayShareDevice(older, this.#record.current)) return;
      void endTokens(older, this.#options, true);
    };
    const sharing = { store, key, isNew, timeoutMs, target: this, onReplaced };
    this.#record = new SharedRecord(record, sharing);
    if (isNew) {
      signedInHere.set(record.id, new WeakRef<TokenSession<SessionRecord>>(this));
      return;
    }
    void this.#identify();
    this.addEventListener("session-changed", () => void this.#identify());
  }

  abstract get user(): MatrixUser;

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
   * Resolves once the session is in its store.
   *
   * @throws {OidcFlowError} `StorageUnavailable` (`storage_full`, `storage_unavailable`): the
   *   session exists only in this page.
   */
  get stored(): Promise<void> {
    return this.#record.stored;
  }

  /**
   * Resolves to a valid access token, and refreshes it first if it is about to expire. If the
   * provider has just failed, or takes longer than three seconds, it resolves to the current token,
   * if that is still valid.
   *
   * @throws {OidcFlowError} `SessionEnded` if the session is over; `RefreshTokenFailed` if no token
   * is valid.
   */
  async accessToken({ signal }: AbortOptions = {}): Promise<string> {
    const tokens = this.#record.signedInRecord.tokenResponse;
    const lifetimeMs = remainingLifetimeMs(tokens);
    if (lifetimeMs > LOAD_BEFORE_EXPIRY_MS || !tokens.refresh_token) return tokens.access_token;
    if (isFresh(tokens)) {
      tokenRefresh.load().catch(() => undefined);
      return tokens.access_token;
    }
    const isExpired = lifetimeMs <= 0;
    try {
      const waitMs = isExpired ? MAX_TIMER_MS : MAX_WAIT_WITH_VALID_TOKEN_MS;
      const load = (ending: AbortSignal) => this.#loadRefresh(ending);
      const refresh = await withDeadline(waitMs, signal, load);
      return await refresh.accessToken(signal);
    } catch (error) {
      if (isExpired || signal?.aborted || this.state !== "signed-in") throw error;
      return tokens.access_token;
    }
  }

  /**
   * Replaces the tokens now, and resolves to the new access token.
   *
   * @throws {OidcFlowError} `SessionEnded`; `RefreshTokenFailed`: `refresh_not_possible` if there
   *   is no refresh token. If the provider has requested a delay, no request is sent, and the code
   *   is that of the last failure, such as `rate_limited`.
   */
  async refresh({ signal }: AbortOptions = {}): Promise<string> {
    const { access_token: old } = this.#record.signedInRecord.tokenResponse;
    return (await this.#loadRefresh(signal)).refresh(old, signal);
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
    const other = tokenOtherThan(refused, this.#record);
    if (other !== undefined || this.state !== "signed-in") return other;
    const state = softLogout ? "soft-logout" : "signed-out";
    if (!this.#tokens.refresh_token) {
      await this.#record.refuse(state, this.#record.current.version);
      return tokenOtherThan(refused, this.#record);
    }
    return (await this.#loadRefresh(signal)).replaceToken(refused, state, signal);
  }

  /**
   * Switches the session to another base URL of the same homeserver, with the same tokens and in
   * every tab. First, a request to the new URL must confirm the user and the device.
   *
   * A restored session does this once automatically: if its own `fetch` or a `HomeserverClient`
   * that uses it gets no response, and the well-known file of the server in the user ID names
   * another URL. It then fires `session-changed`.
   *
   * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`): it is not an HTTPS URL;
   *   `InvalidBearerTokenResponse` (`user_mismatch`); `SessionEnded`. Also the errors of
   *   `HomeserverClient.whoami()`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#well-known-uris
   */
  async moveTo(homeserverUrl: string, { signal }: AbortOptions = {}): Promise<void> {
    return (await this.#loadRefresh(signal)).moveTo(homeserverUrl, signal);
  }

  /**
   * Like `globalThis.fetch`, but adds the access token to requests to the homeserver's origin
   * without an `Authorization` header. If the homeserver rejects the token, the request is repeated
   * with a new one.
   *
   * The HTTP cache is not used for these requests. A redirect is followed only for `GET` and `HEAD`,
   * and without the token on another origin. For other methods a redirect is a failure, because it
   * could send the body to another server.
   */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const send = this.#options.fetch ?? globalThis.fetch;
    const given = new Request(input, init);
    const { signal, url, headers } = given;
    const isOurs = (target: string) =>
      new URL(target).origin === parseTrustworthyUrl(this.homeserverUrl)?.origin;
    if (!isOurs(url) || headers.has("Authorization")) return send(given);
    const request = new Request(given, safely(given));
    const mayRedirect = request.redirect === given.redirect;
    const sendThere = async (next: Request): Promise<Response> => {
      const response = await send(next);
      if (mayRedirect || !isRedirect(response)) return response;
      leaveBody(response);
      throw new TypeError("The homeserver redirects, which is not followed");
    };
    let refused: Response | undefined;
    const sendWith = async (token: string) => {
      if (refused) leaveBody(refused);
      refused = undefined;
      const next = request.clone();
      // The session might have moved to another URL while the token was requested.
      if (isOurs(url)) next.headers.set("Authorization", `Bearer ${token}`);
      const response = await sendThere(next).catch((error: unknown) => {
        if (!signal.aborted) this.noteUnreachable();
        throw error;
      });
      // After a redirect to another origin, the response doesn't apply to the token.
      const limits = { ...this.#options, signal };
      const body = isOurs(response.url || url) && (await readUnknownToken(response, limits));
      signal.throwIfAborted();
      if (!body) return response;
      refused = response;
      throw new UnknownToken(body);
    };
    try {
      return await withToken(this, sendWith, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (refused && error instanceof UnknownToken) return refused;
      throw error;
    }
  };

  /**
   * Ends the session in every tab, and revokes the tokens or signs out the device. The removal from
   * the store and the requests start before it returns, and continue if the user leaves the page. A
   * page never restores a session that was signed out. After a soft logout, this call only removes
   * the stored user.
   *
   * If a legacy session's access token has expired, or the sign-in's result contains no revocation
   * endpoint, another request must come first.
   *
   * @returns Whether the server has confirmed the sign-out.
   * @see https://spec.matrix.org/v1.19/client-server-api/#token-revocation
   */
  async signOut({ signal, notify = true }: SignOutOptions = {}): Promise<boolean> {
    const { state } = this;
    if (state === "signed-out") return false;
    const revoke = async (record: SessionRecord): Promise<boolean> => {
      if (!notify || state === "soft-logout") return state === "signed-in";
      return endTokens(record, { ...this.#options, signal });
    };
    // The page may be about to close, so both start before anything is awaited.
    const { current } = this.#record;
    const removal = this.#record.signOut();
    const later = (found: SessionRecord | undefined) =>
      found && found.version > current.version && !found.state ? found : undefined;
    const isRevoked = revoke((!(removal instanceof Promise) && later(removal)) || current);
    const removed = await removal;
    this.#record.reportSignOut();
    // Another tab has just refreshed the tokens.
    const missed = removal instanceof Promise ? later(removed) : undefined;
    const results = await Promise.all([isRevoked, !missed || revoke(missed)]);
    return results.every(Boolean);
  }

  /**
   * Undoes a cancelled sign-in. A soft logout that the sign-in replaced is stored again.
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

  /** @internal */
  noteUnreachable(): void {
    if (!this.#mayHaveMoved) return;
    this.#mayHaveMoved = false;
    this.#loadRefresh()
      .then((refresh) => refresh.followMove())
      .catch(() => undefined);
  }

  /** @internal */
  tryNow(): void {
    this.#endedBackoff = this.#record.current.backoff;
  }

  /** @internal */
  isIn({ store, key }: SessionOptions): boolean {
    return store === this.#store && key === this.key;
  }

  /** Stops listening to other tabs. The session stays in its store. */
  close(): void {
    signedInHere.delete(this.#record.current.id);
    this.#identifying.abort();
    this.#refresh?.close();
    this.#record.close();
  }

  /** @internal */
  protected get record(): R {
    return this.#record.current as R;
  }

  /**
   * Requests the user ID if it is missing. This never refreshes or replaces a token, because the
   * user might leave the page before new tokens are stored. A new token aborts the request with the
   * old one.
   */
  async #identify(): Promise<void> {
    this.#identifying.abort();
    const { userId, homeserverUrl: url, tokenResponse } = this.#record.current;
    if (this.state !== "signed-in" || userId !== undefined || !isFresh(tokenResponse)) return;
    const { signal } = (this.#identifying = new AbortController());
    const options = { ...this.#options, signal };
    try {
      const { requestWhoami } = await tokenRefresh.load();
      const { user_id } = await requestWhoami(url, tokenResponse.access_token, options);
      await this.noteUserId(user_id, signal);
    } catch {
      // The request is repeated with the next token or on the next page.
    }
  }

  get #tokens(): SessionRecord["tokenResponse"] {
    return this.#record.current.tokenResponse;
  }

  /** @throws as {@link LazyModule.load} does. */
  async #loadRefresh(signal?: AbortSignal): Promise<TokenRefresh> {
    try {
      const { TokenRefresh } = await tokenRefresh.load(signal);
      const endedBackoff = () => this.#endedBackoff;
      return (this.#refresh ??= new TokenRefresh(this.#record, this.#options, this, endedBackoff));
    } catch (error) {
      const isReported = error instanceof OidcFlowError && error.code === "load_failed";
      if (isReported)
        this.dispatchEvent(new SessionRefreshFailedEvent({ error, retryAt: Date.now() }));
      throw error;
    }
  }
}

/**
 * Resolves to a restored session after its store was read again, because the user might have just
 * signed out.
 */
export async function unlessEnded<S extends Pick<MatrixSession, "state" | "stored">>(
  session: S,
): Promise<S | undefined> {
  await session.stored;
  return session.state === "signed-out" ? undefined : session;
}

/** Thrown for `withToken()`. The app gets the homeserver's response instead. */
class UnknownToken extends Error {
  readonly httpStatus = 401;
  readonly data: JsonObject;

  constructor(data: JsonObject) {
    super();
    this.data = data;
  }
}

/** Changes an app's request before a token is added. See `requestJson` for the reasons. */
function safely({ method, redirect, referrer, referrerPolicy }: Request): RequestInit {
  const isRead = method === "GET" || method === "HEAD";
  return {
    // Not every runtime has "error".
    redirect: redirect === "follow" && !isRead ? "manual" : redirect,
    // Without these, a copied request would lose its referrer.
    ...acceptedMembers({ cache: "no-store", referrer, referrerPolicy }),
  };
}

/**
 * The body of an `M_UNKNOWN_TOKEN` response, which stays readable. Undefined for any other
 * response.
 */
export async function readUnknownToken(
  response: Response,
  limits?: RequestOptions,
): Promise<JsonObject | undefined> {
  const body = response.status === 401 && (await peekJson(response, limits));
  return isUnknownToken(response.status, body) ? body : undefined;
}
