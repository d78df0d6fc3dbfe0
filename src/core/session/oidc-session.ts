import type { AbortOptions, RequestOptions } from "../http/index.js";
import { OidcFlowError, type IdTokenClaims } from "../oidc/index.js";
import { revokeQuietly, revokeTokens } from "../oidc/revocation.js";
import { sessionEnded } from "./errors.js";
import { MAX_ATTEMPTS } from "./retry.js";
import {
  OidcSessionEventTarget,
  SessionChangedEvent,
  SessionEndedEvent,
  SessionRefreshFailedEvent,
} from "./session-events.js";
import { fetchWithToken } from "./session-fetch.js";
import {
  RECORD_FORMAT,
  isRecord,
  parseRecord,
  recordOf,
  type SessionRecord,
  type SessionSource,
} from "./session-record.js";
import { SessionRefresh } from "./session-refresh.js";
import {
  openStore,
  storageError,
  type SessionStore,
  type SessionStoreName,
} from "./session-store.js";
import { SharedRecord, type SessionState } from "./shared-record.js";
import { lockLimits } from "./tab-lock.js";
import { isFresh, remainingLifetimeMs } from "./token-expiry.js";
import { TokenRequest } from "./token-request.js";

export interface OidcSessionOptions {
  /** Where the session is kept. Default: `memory`. */
  readonly store?: SessionStoreName | SessionStore | undefined;
  /** The key in the store: another one for each account that is signed in at the same time. */
  readonly key?: string | undefined;
  /** Who has signed in, as `HomeserverClient.whoami()` says; kept with the session. */
  readonly userId?: string | undefined;
  /** Used instead of `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Time limit of each request to the issuer, in milliseconds. Default: 10000. */
  readonly timeoutMs?: number | undefined;
}

/** Who is signed in. */
export interface SessionUser {
  /** The Matrix user id, where the session was made with it. */
  readonly userId: string | undefined;
  readonly deviceId: string;
  /** The claims that were verified when the user signed in. */
  readonly idTokenClaims: IdTokenClaims | undefined;
}

const KEY = "matrix-auth-elements:session";

/** How long a token that is about to end is used before the issuer is tried again, in milliseconds. */
const PAUSE_MS = 5000;

/** How long to wait for a new token while the old one is valid: less than a request's own time limit. */
const REFRESH_WAIT_MS = 3000;

/**
 * What an application keeps while a user is signed in: it has a valid access token, and gets
 * a new one when it is needed, once among all tabs.
 *
 * It ends only if the issuer says that it will never accept the refresh token again, if new tokens are for
 * another user or device, or if the homeserver does not know the token and there is no other. What takes
 * time rejects with an `OidcFlowError`: `SessionEnded` (`session_ended`) where the session is over, with
 * the refusal as its `cause`; any other leaves the session as it is, to try again.
 *
 * It fires, because of this tab or another: `session-changed` where the tokens were replaced,
 * `session-ended` (`{ softLogout, reason }`); and `session-refresh-failed` (`{ error, retryAt }`) where this
 * tab got no new tokens for now.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#token-refresh-flow
 * @experimental
 */
export class OidcSession extends OidcSessionEventTarget {
  readonly #record: SharedRecord<SessionRecord>;
  readonly #refresh: SessionRefresh;
  readonly #options: RequestOptions;
  #pausedUntil = 0;

  /**
   * The session that a store keeps; undefined where it keeps none, or nothing that can be read. After a
   * soft logout its `state` says so: the user has to sign in again, as the same device.
   *
   * @param options As those that the session was made with.
   * @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`): the browser refuses the store.
   */
  static async restore(options: OidcSessionOptions): Promise<OidcSession | undefined> {
    const { store, key = KEY } = options;
    let text: string | null | undefined;
    try {
      text = await openStore(store).getItem(key);
    } catch (cause) {
      throw storageError(cause);
    }
    const record = parseRecord(text);
    return record && new OidcSession(record, options);
  }

  /** @param result What `completeAuthorizationCodeGrant` and its like resolve with. */
  constructor(result: SessionSource, options: OidcSessionOptions = {}) {
    super();
    const { store = "memory", key = KEY, userId, fetch, timeoutMs } = options;
    this.#options = { fetch, timeoutMs };
    this.#record = new SharedRecord(
      recordOf(result, userId),
      RECORD_FORMAT,
      {
        store: openStore(store),
        storeName: typeof store === "string" ? store : "custom",
        key,
        isNew: !isRecord(result),
        ...lockLimits(timeoutMs),
      },
      {
        changed: ({ tokenResponse }) => {
          if (tokenResponse.access_token === this.#tokens.access_token) return;
          this.dispatchEvent(new SessionChangedEvent());
        },
        ended: ({ state, reason }) =>
          this.dispatchEvent(
            new SessionEndedEvent({ softLogout: state === "soft-logout", reason }),
          ),
        replaced: ({ metadata, oidcClientSettings: { clientId }, tokenResponse }) => {
          if (metadata) revokeQuietly(metadata, clientId, tokenResponse, this.#options);
        },
        storageError,
      },
    );
    this.#refresh = new SessionRefresh(this.#record, this.#options, (error) => {
      const retryAt = Math.max(Date.now(), this.#record.current.backoff?.until ?? 0);
      this.dispatchEvent(new SessionRefreshFailedEvent({ error, retryAt }));
    });
  }

  get state(): SessionState {
    return this.#record.state;
  }

  get user(): SessionUser {
    const { userId, deviceId, idTokenClaims } = this.#record.current;
    return { userId, deviceId, idTokenClaims };
  }

  /** The homeserver that the user signed in to. */
  get homeserverUrl(): string {
    return this.#record.current.homeserverUrl;
  }

  /** Where, and as which client, the user signed in. */
  get oidcClientSettings(): SessionSource["oidcClientSettings"] {
    return this.#record.current.oidcClientSettings;
  }

  /** What the user granted. */
  get scope(): string {
    return this.#record.current.scope;
  }

  /** When the access token ends, in seconds since the epoch; undefined where the issuer does not say. */
  get expiresAt(): number | undefined {
    return this.#tokens.expires_at;
  }

  /**
   * Resolves when the session is in its store.
   *
   * @throws {OidcFlowError} `StorageUnavailable` (`storage_full`, `storage_unavailable`): it lives in this
   *   page alone.
   */
  get stored(): Promise<void> {
    return this.#record.stored;
  }

  /**
   * A valid access token: a new one if the current one is about to expire; or the
   * current one, while it is valid, if the issuer issues none within three seconds or failed just before.
   */
  async accessToken({ signal }: AbortOptions = {}): Promise<string> {
    const tokens = this.#signedIn().tokenResponse;
    // Without a refresh token there is nothing better.
    if (isFresh(tokens) || !tokens.refresh_token) return tokens.access_token;
    const isGood = (): boolean => remainingLifetimeMs(tokens) > 0;
    if (isGood() && Date.now() >= this.#pausedUntil && !this.#refresh.pendingFailure) {
      try {
        const waitMs = Math.min(REFRESH_WAIT_MS, remainingLifetimeMs(tokens));
        return await this.#refresh.runWithin(waitMs, signal);
      } catch (error) {
        this.#pausedUntil = Date.now() + PAUSE_MS;
        if (signal?.aborted || this.state !== "signed-in") throw error;
      }
    }
    if (isGood()) return tokens.access_token;
    this.#throwPendingFailure();
    return this.#refresh.run(MAX_ATTEMPTS, signal);
  }

  /**
   * Replaces the tokens now, and resolves with the new access token.
   *
   * @throws {OidcFlowError} `RefreshTokenFailed`: `refresh_not_possible` without a refresh token;
   *   `rate_limited` and its like, without a request, until the time that the issuer has asked to wait for.
   */
  async refresh({ signal }: AbortOptions = {}): Promise<string> {
    if (this.#signedIn().backoff?.isRequested) this.#throwPendingFailure();
    return this.#refresh.run(MAX_ATTEMPTS, signal);
  }

  /**
   * For a caller that was refused with `M_UNKNOWN_TOKEN`: the access token to try instead; undefined where
   * there is none and the refusal stands, because the session is over, or because the homeserver refuses
   * what the issuer has only just issued (`session-refresh-failed` says `token_refused`).
   *
   * @param refused The access token that the homeserver refused.
   * @param softLogout The refusal's `soft_logout`.
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
    if (!(await this.#refresh.noteRefusal(state))) return undefined;
    this.#throwPendingFailure();
    try {
      return await this.#refresh.run(MAX_ATTEMPTS, signal);
    } catch (error) {
      if (error instanceof OidcFlowError && error.code === "session_ended") return undefined;
      throw error;
    }
  }

  /**
   * As `globalThis.fetch`, with the access token on requests to the homeserver's own origin that bring no
   * `Authorization` of their own. Where the homeserver does not know the token, the request is made once
   * more with a new one.
   */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const send = this.#options.fetch ?? globalThis.fetch;
    return fetchWithToken(this, send, new Request(input, init));
  };

  /**
   * Signs out: gives up the tokens at once, in every tab, whether the issuer can be reached or not; then
   * revokes them.
   *
   * @returns Whether the issuer has revoked them.
   * @see https://spec.matrix.org/v1.16/client-server-api/#token-revocation
   */
  async signOut({ signal }: AbortOptions = {}): Promise<boolean> {
    if (this.state !== "signed-in") return false;
    const { tokenResponse, oidcClientSettings, metadata } = this.#record.current;
    await this.#record.end({ state: "signed-out", reason: "signed-out" });
    try {
      const options = { ...this.#options, signal };
      const endpoints =
        metadata ?? (await new TokenRequest(oidcClientSettings.issuer, options).endpoints());
      await revokeTokens(endpoints, oidcClientSettings.clientId, tokenResponse, options);
      return true;
    } catch {
      return false;
    }
  }

  /** Stops listening to other tabs. The session stays in its store. */
  close(): void {
    this.#record.close();
  }

  #throwPendingFailure(): void {
    const failure = this.#refresh.pendingFailure;
    if (failure) throw failure;
  }

  get #tokens(): SessionRecord["tokenResponse"] {
    return this.#record.current.tokenResponse;
  }

  #signedIn(): SessionRecord {
    if (this.state === "signed-in") return this.#record.current;
    throw sessionEnded();
  }
}
