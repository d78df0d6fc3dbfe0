import type { RequestOptions } from "../http/fetch.js";
import type { AbortOptions } from "../http/wait.js";
import { requestMatrix } from "../matrix/request.js";
import { OidcFlowError } from "../oauth/errors.js";
import {
  SessionChangedEvent,
  sessionEnded,
  SessionEndedEvent,
  SessionEventTarget,
  SessionRefreshFailedEvent,
} from "./events.js";
import { fetchWithToken } from "./fetch.js";
import { OAuthGrant } from "./oauth-grant.js";
import { mayShareDevice, RECORD_FORMAT, type SessionRecord } from "./record.js";
import { isFresh, remainingLifetimeMs, SessionRefresh, type TokenGrant } from "./refresh.js";
import { type SessionState, SharedRecord } from "./shared-record.js";
import { MAX_ATTEMPTS } from "./single-flight.js";
import { openStore, type SessionStore, type SessionStoreName } from "./store.js";
import { lockLimits } from "./tab-lock.js";

export interface SessionOptions {
  /** Where the session is kept. Default: `memory`. */
  readonly store?: SessionStoreName | SessionStore | undefined;
  /** The key in the store: another one for each account that is signed in at the same time. */
  readonly key?: string | undefined;
  /** Used instead of `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Time limit of each request for tokens, in milliseconds. Default: 10000. */
  readonly timeoutMs?: number | undefined;
}

/** Who is signed in. */
export interface MatrixUser {
  /** The Matrix user ID, where it is known. */
  readonly userId: string | undefined;
  readonly deviceId: string;
}

/**
 * What an application keeps while a user is signed in, in whichever way that was. {@link OidcSession} and
 * {@link LegacySession} say what each member does.
 *
 * @experimental
 */
export interface MatrixSession extends InstanceType<typeof SessionEventTarget> {
  /** How the user signed in: by the specification's OAuth 2.0 API, or by its legacy API. */
  readonly kind: "oauth" | "legacy";
  /** The key in the store. */
  readonly key: string;
  readonly state: SessionState;
  readonly homeserverUrl: string;
  readonly user: MatrixUser;
  readonly expiresAt: number | undefined;
  readonly stored: Promise<void>;
  readonly fetch: typeof globalThis.fetch;
  accessToken(options?: AbortOptions): Promise<string>;
  replaceToken(
    refused: string,
    softLogout: boolean,
    options?: AbortOptions,
  ): Promise<string | undefined>;
  refresh(options?: AbortOptions): Promise<string>;
  signOut(options?: AbortOptions): Promise<boolean>;
  close(): void;
}

export const DEFAULT_KEY = "matrix-auth-elements:session";

/** How long a token that is about to end is used before the issuer is tried again, in milliseconds. */
const PAUSE_MS = 5000;

/** How long to wait for a new token while the old one is valid: less than a request's own time limit. */
const REFRESH_WAIT_MS = 3000;

/**
 * The session of a user who is signed in, of either kind: what they share. It has a valid access token, and
 * gets a new one when it is needed, once among all tabs.
 */
export abstract class TokenSession<R extends SessionRecord> extends SessionEventTarget {
  /** The key in the store: another one for each account that is signed in at the same time. */
  readonly key: string;
  readonly #record: SharedRecord<SessionRecord>;
  readonly #refresh: SessionRefresh;
  readonly #grant: TokenGrant;
  readonly #options: RequestOptions;
  #pausedUntil = 0;

  /**
   * @param isNew Whether the user has just signed in.
   * @param createGrant How sessions of this kind get new tokens.
   */
  protected constructor(
    record: R,
    isNew: boolean,
    options: SessionOptions,
    createGrant: (options: RequestOptions) => TokenGrant<R>,
  ) {
    super();
    const { store = "memory", key = DEFAULT_KEY, fetch, timeoutMs } = options;
    this.key = key;
    this.#options = { fetch, timeoutMs };
    this.#grant = createGrant(this.#options);
    this.#record = new SharedRecord<SessionRecord>(
      record,
      RECORD_FORMAT,
      {
        store: openStore(store),
        storeName: typeof store === "string" ? store : "custom",
        key,
        isNew,
        ...lockLimits(timeoutMs),
      },
      {
        changed: ({ tokenResponse, userId }) => {
          const isSameToken = tokenResponse.access_token === this.#tokens.access_token;
          if (isSameToken && userId === this.#record.current.userId) return;
          this.dispatchEvent(new SessionChangedEvent());
        },
        ended: ({ state, reason }) =>
          this.dispatchEvent(
            new SessionEndedEvent({ softLogout: state === "soft-logout", reason }),
          ),
        replaced: (older) => revokeReplaced(older, this.#record.current, this.#options),
      },
    );
    this.#refresh = new SessionRefresh(this.#record, this.#grant, this.#options, (error) => {
      const retryAt = Math.max(Date.now(), this.#record.current.backoff?.until ?? 0);
      this.dispatchEvent(new SessionRefreshFailedEvent({ error, retryAt }));
    });
  }

  get state(): SessionState {
    return this.#record.state;
  }

  /** The homeserver that the user signed in to. */
  get homeserverUrl(): string {
    return this.#record.current.homeserverUrl;
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
    // A late refusal of an earlier token says nothing of the current one.
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
   * As `globalThis.fetch`, with the access token on requests to the homeserver's own origin that bring no
   * `Authorization` of their own. Where the homeserver does not know the token, the request is made once
   * more with a new one.
   */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const send = this.#options.fetch ?? globalThis.fetch;
    return fetchWithToken(this, send, new Request(input, init));
  };

  /**
   * Signs out: gives up the tokens at once, in every tab, whether a server can be reached or not; then
   * revokes them, or has the homeserver sign out the device. After a soft logout there are none, and only
   * who was signed in is forgotten.
   *
   * @returns Whether that has succeeded.
   * @see https://spec.matrix.org/v1.19/client-server-api/#token-revocation
   */
  async signOut({ signal }: AbortOptions = {}): Promise<boolean> {
    if (this.state === "soft-logout") await this.#record.forget();
    if (this.state !== "signed-in") return false;
    const record = this.#record.current;
    await this.#record.end({ state: "signed-out", reason: "signed-out" });
    try {
      await this.#grant.revoke(record, { ...this.#options, signal });
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Keeps who has signed in, where that was not known at first. Once it is known, it never changes.
   *
   * @param signal Ends the wait for other tabs.
   * @internal
   */
  noteUserId(userId: string, signal?: AbortSignal): Promise<void> {
    const note = async (): Promise<void> => {
      if (this.#record.current.userId === undefined) await this.#record.update({ userId });
    };
    return this.#record.withLock(signal, note, () => true);
  }

  /** Stops listening to other tabs. The session stays in its store. */
  close(): void {
    this.#record.close();
  }

  /**
   * The session's record. A session never becomes one of another kind.
   *
   * @internal
   */
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

  #signedIn(): SessionRecord {
    if (this.state === "signed-in") return this.#record.current;
    throw sessionEnded();
  }
}

/** Revokes the tokens of a session that another has taken the place of, unless they are the same device's. */
export function revokeReplaced(
  older: SessionRecord,
  newer: SessionRecord,
  options: RequestOptions,
): void {
  if (!mayShareDevice(older, newer)) revoke(older, options).catch(() => undefined);
}

async function revoke(record: SessionRecord, options: RequestOptions): Promise<void> {
  if (record.kind === "oauth") {
    await new OAuthGrant(record.oidcClientSettings.issuer, options).revoke(record, options);
    return;
  }
  // Not by a `LegacyGrant`, which pages that know only OAuth 2.0 need not load.
  const { homeserverUrl, tokenResponse } = record;
  const request = { method: "POST", body: {}, accessToken: tokenResponse.access_token } as const;
  await requestMatrix(homeserverUrl, "v3/logout", request, options);
}
