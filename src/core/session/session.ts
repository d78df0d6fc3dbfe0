import { bearerHeader, type RequestOptions } from "../http/fetch.js";
import { isJsonObject, type JsonObject } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import { type AbortOptions, withDeadline } from "../http/wait.js";
import { logOut } from "../matrix/request.js";
import { OidcFlowError } from "../oauth/errors.js";
import {
  SessionChangedEvent,
  SessionEndedEvent,
  SessionEventTarget,
  SessionRefreshFailedEvent,
} from "./events.js";
import { OAuthGrant } from "./oauth-grant.js";
import { DEFAULT_KEY, mayShareDevice, type SessionRecord } from "./record.js";
import { isFresh, remainingLifetimeMs, SessionRefresh, type TokenGrant } from "./refresh.js";
import { type SessionState, SharedRecord } from "./shared-record.js";
import { MAX_ATTEMPTS } from "./single-flight.js";
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
  readonly #refresh: SessionRefresh;
  readonly #grant: TokenGrant;
  readonly #options: RequestOptions;
  #pausedUntil = 0;

  protected constructor(record: R, isNew: boolean, options: SessionOptions, grant: TokenGrant<R>) {
    super();
    const { store = "memory", key = DEFAULT_KEY, fetch, timeoutMs } = options;
    this.key = key;
    this.#options = { fetch, timeoutMs };
    this.#grant = grant;
    const sharing = { store, key, isNew, timeoutMs };
    this.#record = new SharedRecord(record, sharing, {
      changed: ({ tokenResponse, userId }) => {
        const isSameToken = tokenResponse.access_token === this.#tokens.access_token;
        if (isSameToken && userId === this.#record.current.userId) return;
        this.dispatchEvent(new SessionChangedEvent());
      },
      ended: ({ state, reason }) => {
        const softLogout = state === "soft-logout";
        this.dispatchEvent(new SessionEndedEvent({ softLogout, reason }));
      },
      replaced: (older) => {
        revokeReplaced(older, this.#record.current, this.#options).catch(() => undefined);
      },
    });
    this.#refresh = new SessionRefresh(this.#record, this.#grant, this.#options, (error) => {
      const retryAt = Math.max(Date.now(), this.#record.current.backoff?.until ?? 0);
      this.dispatchEvent(new SessionRefreshFailedEvent({ error, retryAt }));
    });
  }

  get state(): SessionState {
    return this.#record.state;
  }

  /** The base URL of the homeserver. */
  get homeserverUrl(): string {
    return this.#record.current.homeserverUrl;
  }

  /**
   * The expiry of the access token, in seconds since the epoch; `undefined` if the provider doesn't
   * return it.
   */
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
    if (isGood() && Date.now() >= this.#pausedUntil && !this.#refresh.pendingFailure) {
      try {
        const waitMs = Math.min(MAX_WAIT_WITH_VALID_TOKEN_MS, remainingLifetimeMs(tokens));
        // A request that was sent continues after that.
        return await withDeadline(waitMs, signal, (ending) => this.#refresh.run(1, ending));
      } catch (error) {
        this.#pausedUntil = Date.now() + PAUSE_AFTER_FAILED_REFRESH_MS;
        if (signal?.aborted || this.state !== "signed-in") throw error;
      }
    }
    if (isGood()) return tokens.access_token;
    this.#throwPendingFailure();
    return this.#refresh.run(MAX_ATTEMPTS, signal);
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
    return this.#refresh.run(MAX_ATTEMPTS, signal);
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
    const other = this.#refresh.tokenOtherThan(refused);
    if (other !== undefined || this.state !== "signed-in") return other;
    const state = softLogout ? "soft-logout" : "signed-out";
    if (!this.#tokens.refresh_token) {
      await this.#record.end({ state, reason: "refused" });
      return undefined;
    }
    // A late response about an earlier token doesn't apply to the current one.
    const isCurrent = refused === this.#tokens.access_token;
    if (isCurrent && !(await this.#refresh.noteRefusal(state))) return undefined;
    this.#throwPendingFailure();
    try {
      return (
        this.#refresh.tokenOtherThan(refused) ?? (await this.#refresh.run(MAX_ATTEMPTS, signal))
      );
    } catch (error) {
      if (error instanceof OidcFlowError && error.code === "session_ended") return undefined;
      throw error;
    }
  }

  /**
   * Like `globalThis.fetch`, but adds the access token to requests to the homeserver's origin
   * without an `Authorization` header. If the homeserver rejects the token, the request is repeated
   * once with a new one.
   */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const send = this.#options.fetch ?? globalThis.fetch;
    const request = new Request(input, init);
    const { signal, url, headers } = request;
    const isOurs = (target: string) =>
      new URL(target).origin === parseTrustworthyUrl(this.homeserverUrl)?.origin;
    if (!isOurs(url) || headers.has("Authorization")) return send(request);
    const requests = [request.clone(), request];
    try {
      let token = await this.accessToken({ signal });
      for (;;) {
        const next = requests.pop() ?? request;
        next.headers.set("Authorization", bearerHeader(token));
        const response = await send(next);
        // After a redirect to another origin, the response doesn't apply to the token.
        const refusal = isOurs(response.url || url) && (await readUnknownToken(response));
        if (!refusal) return response;
        // This also runs for the second token, because the session must note that it was rejected.
        const other = await this.replaceToken(token, refusal["soft_logout"] === true, { signal });
        if (other === undefined || requests.length === 0) return response;
        token = other;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };

  /**
   * Ends the session in every tab immediately, then revokes the tokens or signs out the device.
   * After a soft logout, it only removes the stored user.
   *
   * @returns Whether the server has confirmed it.
   * @see https://spec.matrix.org/v1.19/client-server-api/#token-revocation
   */
  async signOut({ signal, notify = true }: SignOutOptions = {}): Promise<boolean> {
    if (this.state === "soft-logout") await this.#record.forget();
    if (this.state !== "signed-in") return false;
    const record = this.#record.current;
    await this.#record.end({ state: "signed-out", reason: "signed-out" });
    if (!notify) return true;
    try {
      await this.#grant.revoke(record, { ...this.#options, signal });
      return true;
    } catch {
      return false;
    }
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
    this.#record.close();
  }

  /** @internal */
  protected get record(): R {
    return this.#record.current as R;
  }

  #throwPendingFailure(): void {
    const failure = this.#refresh.pendingFailure;
    if (failure) throw failure;
  }

  get #tokens(): SessionRecord["tokenResponse"] {
    return this.#record.current.tokenResponse;
  }
}

async function revokeReplaced(older: SessionRecord, newer: SessionRecord, options: RequestOptions) {
  if (mayShareDevice(older, newer)) return;
  if (older.kind === "oauth") {
    return new OAuthGrant(older.oidcClientSettings.issuer).revoke(older, options);
  }
  // Don't use `legacyGrant`, because pages with only OAuth 2.0 don't load it.
  await logOut(older.homeserverUrl, older.tokenResponse.access_token, options);
}

/**
 * The body of an `M_UNKNOWN_TOKEN` response, which stays readable; undefined for any other
 * response.
 */
export async function readUnknownToken(response: Response): Promise<JsonObject | undefined> {
  if (response.status !== 401) return undefined;
  const copy = response.clone();
  const body: unknown = await copy.json().catch(() => undefined);
  return isJsonObject(body) && body["errcode"] === "M_UNKNOWN_TOKEN" ? body : undefined;
}
