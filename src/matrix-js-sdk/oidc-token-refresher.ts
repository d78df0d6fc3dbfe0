import type { RequestOptions } from "../core/http/fetch.js";
import { isListOfStrings } from "../core/http/body-members.js";
import { isText, type JsonObject, toJson } from "../core/http/json.js";
import type { AbortOptions } from "../core/http/wait.js";
import type { IdTokenClaims } from "../core/oauth/id-token.js";
import type { IssuerEndpoints } from "../core/oauth/metadata.js";
import { endsSession } from "../core/oauth/refusal.js";
import type { RefreshGrant } from "../core/oauth/refresh.js";
import { afterFailure, pendingFailure } from "../core/session/backoff.js";
import { sessionEnded } from "../core/session/events.js";
import { OAuthGrant } from "../core/session/oauth-grant.js";
import type { RefreshBackoff } from "../core/session/record.js";
import { SingleFlight } from "../core/session/single-flight.js";
import { leaseStores, openStore } from "../core/session/store.js";
import { TabChannel } from "../core/session/tab-channel.js";
import { withTabLock } from "../core/session/tab-lock.js";

/** Tokens in matrix-js-sdk's form. */
export interface AccessTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** When the access token expires, counted from the start of the request. */
  readonly expiry?: Date;
}

interface RefreshedTokens {
  readonly tokens: AccessTokens;
  /** The result of the app's `persistTokens`. */
  readonly persisted: Promise<void>;
}

export interface OidcTokenRefresherOptions extends Omit<RequestOptions, "signal"> {
  /**
   * The token endpoint, from a sign-in's result. Default: the token endpoint in the issuer's
   * document.
   */
  readonly metadata?: IssuerEndpoints | undefined;
}

/**
 * The number of replaced refresh tokens that are remembered. It is enough for more than half a day.
 */
const MAX_REPLACED = 200;

/**
 * Refreshes tokens for a client that keeps them itself. It has the API of matrix-js-sdk's class of
 * this name, up to version 41.9. Up to version 42.4, matrix-js-sdk's client takes
 * `doRefreshAccessToken` as `tokenRefreshFunction`. Since version 43 it refreshes its tokens
 * itself.
 *
 * @experimental
 */
export class OidcTokenRefresher {
  /**
   * Always resolved, because endpoints are looked up only when needed. matrix-js-sdk's class has
   * this member.
   */
  readonly oidcClientReady: Promise<void> = Promise.resolve();
  readonly #tokens: OAuthGrant;
  readonly #grant: Omit<RefreshGrant, "metadata" | "refreshToken" | "deviceId">;
  /** The session's device. New tokens must not be for another device. */
  protected readonly deviceId: string;
  readonly #options: RequestOptions;
  readonly #name: string;
  readonly #flight = new SingleFlight<RefreshedTokens>();
  #metadata: IssuerEndpoints | undefined;
  #backoff: RefreshBackoff | undefined;
  #channel: TabChannel | undefined;
  /** Refresh tokens that this tab or another has used up; `#latest` replaces them. */
  readonly #replaced = new Set<string>();
  #latest: AccessTokens = { accessToken: "" };
  /** The access token that `persistTokens` has stored. */
  #storedToken = "";
  /**
   * The refresh token that the provider no longer accepts, and the reason, if this tab has sent it.
   */
  #refusal: { readonly refreshToken: string | undefined; readonly cause?: unknown } = {
    refreshToken: undefined,
  };

  /**
   * @param issuer From the result's `oidcClientSettings`.
   * @param clientId From the result's `oidcClientSettings`.
   * @param _redirectUri Not used.
   * @param deviceId From the result: new tokens must not be for another device.
   * @param idTokenClaims From the result: new tokens must be for the same user.
   */
  constructor(
    issuer: string,
    clientId: string,
    _redirectUri: string,
    deviceId: string,
    idTokenClaims?: IdTokenClaims,
    { metadata, ...options }: OidcTokenRefresherOptions = {},
  ) {
    this.#tokens = new OAuthGrant(issuer);
    // The sign-in's result contains a device ID even if the granted scope contains none.
    this.#grant = { clientId, requireDeviceScope: false, idTokenClaims };
    this.deviceId = deviceId;
    this.#options = options;
    this.#metadata = metadata;
    this.#name = `matrix-auth-elements:refresh:${toJson([issuer, clientId, deviceId])}`;
  }

  /**
   * Exchanges a refresh token for new tokens, once for all callers in all tabs. If there is no
   * response, or after HTTP 429 or 5xx, it retries for a while. If the provider requires a delay,
   * calls reject without a request until then. After any other unusable response, calls reject
   * without a request for a few seconds.
   *
   * @throws {OidcFlowError} `SessionEnded` (`session_ended`) if the provider rejects the token: the
   *   user must sign in again. After any other error the refresh token is still valid.
   * @throws The error of `persistTokens`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#token-refresh-flow
   */
  async doRefreshAccessToken(
    refreshToken: string,
    { signal }: AbortOptions = {},
  ): Promise<AccessTokens> {
    const failure = pendingFailure(this.#backoff);
    if (failure) throw failure;
    this.#channel ??= new TabChannel(this.#name, (message) => this.#onMessage(message));
    const stores = leaseStores(openStore("localStorage"));
    const { timeoutMs } = this.#options;
    const refresh = () => this.#refresh(refreshToken);
    const attempt = (flightSignal: AbortSignal) =>
      withTabLock(this.#name, stores, { signal: flightSignal, timeoutMs }, refresh);
    const { tokens, persisted } = await this.#flight.join(refreshToken, attempt, signal);
    await persisted;
    return tokens;
  }

  /**
   * Override it to store new tokens. It is called before `doRefreshAccessToken` resolves, in every
   * tab that calls it. If it rejects, the next call of `doRefreshAccessToken` calls it again.
   */
  protected async persistTokens(tokens: AccessTokens): Promise<void> {
    await Promise.resolve(tokens);
  }

  /** Stops listening to other tabs. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }

  async #refresh(refreshToken: string): Promise<RefreshedTokens> {
    if (!this.#replaced.has(refreshToken)) await this.#channel?.query({ query: refreshToken });
    if (!this.#replaced.has(refreshToken)) await this.#request(refreshToken);
    else if (Number(this.#latest.expiry ?? Infinity) <= Date.now()) {
      await this.#request(this.#latest.refreshToken);
    }
    const tokens = this.#latest;
    const persisted = this.#persist(tokens);
    // Hold the lock until the tokens are stored. A failure to store them is not a request's
    // failure, so it is not retried here.
    await persisted.catch(() => undefined);
    return { tokens, persisted };
  }

  async #persist(tokens: AccessTokens): Promise<void> {
    if (this.#storedToken !== tokens.accessToken) await this.persistTokens(tokens);
    this.#storedToken = tokens.accessToken;
  }

  async #request(refreshToken: string | undefined): Promise<void> {
    if (refreshToken === this.#refusal.refreshToken) throw sessionEnded(this.#refusal.cause);
    try {
      const grant = { ...this.#grant, deviceId: this.deviceId, refreshToken };
      const granted = await this.#tokens.send(grant, this.#metadata, this.#options);
      const { tokenResponse, metadata } = granted;
      const { access_token, refresh_token, expires_at } = tokenResponse;
      this.#metadata = metadata;
      this.#backoff = undefined;
      this.#take(refreshToken ? [refreshToken] : [], {
        accessToken: access_token,
        ...(refresh_token && { refreshToken: refresh_token }),
        ...(expires_at !== undefined && { expiry: new Date(expires_at * 1000) }),
      });
      this.#broadcast();
    } catch (cause) {
      if (!endsSession(cause)) {
        this.#backoff = afterFailure(this.#backoff, cause);
        throw cause;
      }
      // Another tab may have used it up.
      await this.#channel?.query({ query: refreshToken ?? null });
      if (refreshToken && this.#replaced.has(refreshToken)) return;
      this.#refusal = { refreshToken, cause };
      this.#channel?.broadcast({ refused: refreshToken });
      throw sessionEnded(cause);
    }
  }

  #take(replaced: readonly string[], tokens: AccessTokens): void {
    const { refreshToken } = this.#latest;
    // Tokens that replace neither token belong to another sign-in.
    if (tokens.refreshToken !== refreshToken && !replaced.some((token) => token === refreshToken)) {
      this.#replaced.clear();
    }
    for (const token of replaced) {
      // Some providers never replace a refresh token.
      if (token !== tokens.refreshToken) this.#replaced.add(token);
    }
    for (const token of [...this.#replaced].slice(0, -MAX_REPLACED)) this.#replaced.delete(token);
    // Another tab may only repeat the tokens that this tab has.
    if (tokens.accessToken !== this.#latest.accessToken) this.#backoff = undefined;
    this.#latest = tokens;
  }

  /**
   * Reports all replaced tokens, because a tab that asks, or has just started to listen, has none.
   */
  #broadcast(): void {
    this.#channel?.broadcast({ replaced: [...this.#replaced], ...this.#latest });
  }

  /** @returns Whether the message is a response. */
  #onMessage(message: JsonObject): boolean {
    const { query, refused, replaced, accessToken, refreshToken, expiry } = message;
    if (typeof query === "string" && this.#replaced.has(query)) this.#broadcast();
    if (typeof query === "string" && query === this.#refusal.refreshToken) {
      this.#channel?.broadcast({ refused: query });
    }
    if (typeof refused === "string") this.#refusal = { refreshToken: refused };
    if (
      isListOfStrings(replaced) &&
      isText(accessToken) &&
      isText(refreshToken) &&
      // Otherwise that tab has missed a message.
      !this.#replaced.has(refreshToken)
    ) {
      const known = expiry instanceof Date && { expiry };
      this.#take(replaced, { accessToken, refreshToken, ...known });
    }
    return query === undefined;
  }
}
