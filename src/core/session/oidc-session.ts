import type { RequestOptions, AbortOptions } from "../http/index.js";
import { OidcFlowError, discoverIssuer, type IdTokenClaims } from "../oidc/index.js";
import { issuerEndpoints, type IssuerEndpoints } from "../oidc/issuer-endpoints.js";
import { endsSession, requestRefresh } from "../oidc/refresh-grant.js";
import { revokeTokens } from "../oidc/revocation.js";
import { readScope } from "../oidc/scope.js";
import { MAX_ATTEMPTS } from "./retry.js";
import { sessionEnded } from "./errors.js";
import {
  OidcSessionEventTarget,
  SessionChangedEvent,
  SessionEndedEvent,
} from "./session-events.js";
import { fetchWithToken } from "./session-fetch.js";
import {
  isRecord,
  parseRecord,
  recordOf,
  type SessionRecord,
  type SessionSource,
} from "./session-record.js";
import { openStore, type SessionStore, type SessionStoreName } from "./session-store.js";
import { SharedRecord, endedState, type EndedState, type SessionState } from "./shared-record.js";
import { SingleFlight } from "./single-flight.js";
import { isFresh, remainingLifetimeMs } from "./token-expiry.js";

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
 * What takes time rejects with an `OidcFlowError`: `SessionEnded` (`session_ended`) where the session is
 * over, with the refusal as its `cause`; any other leaves the session as it is, to try again.
 *
 * It fires, because of this tab or another: `session-changed` where the tokens were replaced,
 * `session-ended` (`{ softLogout }`) where the user signed out, or the issuer refused.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#token-refresh-flow
 * @experimental
 */
export class OidcSession extends OidcSessionEventTarget {
  readonly #record: SharedRecord;
  readonly #options: RequestOptions;
  /** How the session is over if the issuer refuses, by what the homeserver said about the last token. */
  #endsAs: EndedState = "signed-out";
  readonly #flight = new SingleFlight<string>();
  #pausedUntil = 0;

  /**
   * The session that a store keeps; undefined where it keeps none, or nothing that can be read.
   *
   * @param options As those that the session was made with.
   */
  static async restore(options: OidcSessionOptions): Promise<OidcSession | undefined> {
    try {
      const record = parseRecord(await openStore(options.store).getItem(options.key ?? KEY));
      return record && new OidcSession(record, options);
    } catch {
      // Blocked: the next sign-in reports it.
      return undefined;
    }
  }

  /** @param result What `completeAuthorizationCodeGrant` and its like resolve with. */
  constructor(result: SessionSource, options: OidcSessionOptions = {}) {
    super();
    const { store, key = KEY, userId, fetch, timeoutMs } = options;
    this.#options = { fetch, timeoutMs };
    this.#record = new SharedRecord(recordOf(result, userId), store, key, !isRecord(result), {
      changed: () => {
        this.#endsAs = "signed-out";
        this.dispatchEvent(new SessionChangedEvent());
      },
      ended: (state) =>
        this.dispatchEvent(new SessionEndedEvent({ softLogout: state === "soft-logout" })),
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
    return this.#record.current.tokenResponse.expires_at;
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
    const { tokenResponse: tokens } = this.#signedIn();
    // Without a refresh token there is nothing better.
    if (isFresh(tokens) || !tokens.refresh_token) return tokens.access_token;
    const isGood = (): boolean => remainingLifetimeMs(tokens) > 0;
    if (isGood() && Date.now() >= this.#pausedUntil) {
      try {
        return await this.#refreshWithin(
          Math.min(REFRESH_WAIT_MS, remainingLifetimeMs(tokens)),
          signal,
        );
      } catch (error) {
        this.#pausedUntil = Date.now() + PAUSE_MS;
        if (signal?.aborted || this.state !== "signed-in") throw error;
      }
    }
    return isGood() ? tokens.access_token : this.#refresh(signal, MAX_ATTEMPTS);
  }

  /** Replaces the tokens now, and resolves with the new access token. */
  refresh({ signal }: AbortOptions = {}): Promise<string> {
    return this.#refresh(signal, MAX_ATTEMPTS);
  }

  /**
   * For a caller that was refused with `M_UNKNOWN_TOKEN`: the access token to try instead; undefined where
   * the session is over, and the refusal stands.
   *
   * @param refused The access token that the homeserver refused.
   * @param softLogout The refusal's `soft_logout`.
   */
  async replaceToken(
    refused: string,
    softLogout: boolean,
    { signal }: AbortOptions = {},
  ): Promise<string | undefined> {
    const other = this.#otherThan(refused);
    if (other !== undefined) return other;
    this.#endsAs = endedState(softLogout);
    try {
      return await this.refresh({ signal });
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
   * Signs out: gives the tokens back to the issuer, the refresh token first, and forgets them, in every
   * tab, whether the issuer can be reached or not.
   *
   * @returns Whether the issuer took them back.
   * @see https://spec.matrix.org/v1.16/client-server-api/#token-revocation
   */
  async signOut({ signal }: AbortOptions = {}): Promise<boolean> {
    try {
      return await this.#record.withLock(signal, async () => {
        try {
          const { tokenResponse, oidcClientSettings } = this.#signedIn();
          const options = { ...this.#options, signal };
          const metadata = await this.#endpoints();
          await revokeTokens(metadata, oidcClientSettings.clientId, tokenResponse, options);
          return true;
        } finally {
          // Before another tab's turn: it would take the tokens for good.
          await this.#record.end("signed-out");
        }
      });
    } catch {
      await this.#record.end("signed-out");
      return false;
    }
  }

  /** Stops listening to other tabs. The session stays in its store. */
  close(): void {
    this.#record.close();
  }

  /** Waits at most that long for a refresh; a request that is under way goes on regardless. */
  async #refreshWithin(ms: number, signal: AbortSignal | undefined): Promise<string> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), ms);
    const signals = signal ? [signal, timeout.signal] : [timeout.signal];
    try {
      return await this.#refresh(AbortSignal.any(signals), 1);
    } finally {
      clearTimeout(timer);
    }
  }

  async #refresh(signal: AbortSignal | undefined, attempts: number): Promise<string> {
    const { access_token: old } = this.#signedIn().tokenResponse;
    // Another tab may be faster.
    const newer = (): string | undefined => this.#otherThan(old);
    const attempt = (flightSignal: AbortSignal): Promise<string> =>
      this.#record.withLock(
        flightSignal,
        async () => newer() ?? this.#replace(),
        () => newer() !== undefined,
      );
    return this.#flight.join(old, attempts, attempt, signal);
  }

  /** The current access token, if it is valid, and another one. */
  #otherThan(old: string): string | undefined {
    const { tokenResponse: tokens } = this.#record.current;
    const isOther = this.state === "signed-in" && tokens.access_token !== old && isFresh(tokens);
    return isOther ? tokens.access_token : undefined;
  }

  async #replace(): Promise<string> {
    const { tokenResponse: tokens, oidcClientSettings, scope, idTokenClaims } = this.#signedIn();
    const metadata = await this.#endpoints();
    try {
      const grant = {
        metadata,
        clientId: oidcClientSettings.clientId,
        refreshToken: tokens.refresh_token,
        deviceId: readScope(scope).deviceId,
        requireDeviceScope: true,
        idTokenClaims,
      };
      const tokenResponse = await requestRefresh(grant, this.#options);
      this.#signedIn();
      await this.#record.update({ tokenResponse, metadata });
      return this.#signedIn().tokenResponse.access_token;
    } catch (error) {
      if (!endsSession(error)) throw error;
      await this.#record.end(this.#endsAs);
      throw sessionEnded(error);
    }
  }

  /** The endpoints that came with the sign-in; otherwise they are discovered. */
  async #endpoints(): Promise<IssuerEndpoints> {
    const { metadata, oidcClientSettings } = this.#record.current;
    return (
      metadata ?? issuerEndpoints(await discoverIssuer(oidcClientSettings.issuer, this.#options))
    );
  }

  #signedIn(): SessionRecord {
    if (this.state === "signed-in") return this.#record.current;
    throw sessionEnded();
  }
}
