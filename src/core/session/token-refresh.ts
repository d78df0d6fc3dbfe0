import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { withDeadline } from "../http/wait.js";
import { isUnknownTokenError } from "../matrix/access-token.js";
import { publishedHomeserver } from "../matrix/discovery.js";
import { requestWhoami } from "../matrix/whoami.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import {
  afterFailure,
  afterRefusedToken,
  failureOf,
  isRefusedForGood,
  pendingFailure,
} from "./backoff.js";
import { sessionEnded, SessionRefreshFailedEvent } from "./events.js";
import { legacyGrant } from "./legacy-grant.js";
import { OAuthGrant } from "./oauth-grant.js";
import {
  type GrantedTokens,
  homeserverUrlOf,
  isFresh,
  mayShareDevice,
  type RefreshBackoff,
  remainingLifetimeMs,
  type SessionEnd,
  type SessionRecord,
  type TokenGrant,
} from "./record.js";
import { type SharedRecord, tokenOtherThan } from "./shared-record.js";
import { SingleFlight } from "./single-flight.js";

export { requestWhoami };

const grantOf = (record: SessionRecord): TokenGrant =>
  record.kind === "oauth" ? new OAuthGrant(record.oidcClientSettings.issuer) : legacyGrant;

/**
 * Revokes a session's tokens.
 *
 * @param sent The responses to requests that were already sent, by their tokens or `Authorization`
 *   headers. These requests are not sent again.
 * @throws the errors of the kind's requests.
 */
export async function revokeOnce(
  record: SessionRecord,
  { fetch = globalThis.fetch, ...options }: RequestOptions,
  sent: Map<string | null, Promise<Response>>,
): Promise<void> {
  const sendOnce: typeof fetch = async (input, init = {}) => {
    const { body, headers } = init;
    const secret =
      body instanceof URLSearchParams
        ? body.get("token")
        : new Headers(headers).get("Authorization");
    const response = sent.get(secret);
    sent.delete(secret);
    // Other requests that continue after the page may have used up the browser's limit for them.
    const sendAgain = (error: unknown): Promise<Response> => {
      if (error instanceof RequestError) throw error;
      return fetch(input, { ...init, keepalive: false });
    };
    return response ? response.catch(sendAgain) : fetch(input, init);
  };
  await grantOf(record).revoke(record, { ...options, fetch: sendOnce });
}

const PAUSE_AFTER_FAILED_REFRESH_MS = 5000;

/**
 * The delay before a refresh without a response is repeated. Providers accept a used token again
 * within this time.
 */
const REPEAT_AFTER_MS = 5000;

const MAX_WAIT_WITH_VALID_TOKEN_MS = 3000;

/** A token that is at most this old, in milliseconds, was just issued. */
const JUST_ISSUED_MS = 60_000;

/** After these errors, the server may have carried out the request. */
const LOST_CODES: readonly string[] = ["network_error", "timeout", "response_not_json"];

/**
 * Gets new tokens for a session. A page loads this code shortly before a refresh: see
 * `TokenSession`.
 */
export class TokenRefresh {
  readonly #record: SharedRecord;
  readonly #options: RequestOptions;
  /** Receives `session-refresh-failed`. */
  readonly #target: EventTarget;
  readonly #grant: TokenGrant;
  readonly #endedBackoff: () => RefreshBackoff | undefined;
  readonly #flight = new SingleFlight<string>((error) => {
    const isOn = this.#record.state === "signed-in";
    if (error instanceof OidcFlowError && isOn) this.#reportFailure(error);
  });
  #pausedUntil = 0;
  readonly #closing = new AbortController();
  /** The refresh token whose request has been repeated in the background. */
  #repeated: string | undefined;
  /** The token that the homeserver rejected as unknown, and the state that the session ends in. */
  #refusal: { readonly token: string; readonly state: SessionEnd["state"] } | undefined;

  /** @param endedBackoff Returns the backoff that the user has ended. */
  constructor(
    record: SharedRecord,
    options: RequestOptions,
    target: EventTarget,
    endedBackoff: () => RefreshBackoff | undefined,
  ) {
    this.#endedBackoff = endedBackoff;
    this.#record = record;
    this.#options = options;
    this.#target = target;
    this.#grant = grantOf(record.current);
  }

  /** Stops repeating requests in the background. */
  close(): void {
    this.#closing.abort();
  }

  /** See `TokenSession`. */
  async accessToken(signal: AbortSignal | undefined): Promise<string> {
    const tokens = this.#record.signedInRecord.tokenResponse;
    // Another tab may have replaced the token while this tab loaded the code.
    if (isFresh(tokens)) return tokens.access_token;
    const isGood = (): boolean => remainingLifetimeMs(tokens) > 0;
    if (isGood() && Date.now() >= this.#pausedUntil && !this.#pendingFailure) {
      try {
        const waitMs = Math.min(MAX_WAIT_WITH_VALID_TOKEN_MS, remainingLifetimeMs(tokens));
        // After that, this call no longer waits, but the request's new tokens are still stored.
        return await withDeadline(waitMs, signal, (ending) => this.#join(ending, 1));
      } catch (error) {
        this.#pausedUntil = Date.now() + PAUSE_AFTER_FAILED_REFRESH_MS;
        if (signal?.aborted || this.#record.state !== "signed-in") throw error;
      }
    }
    if (isGood()) return tokens.access_token;
    this.#throwPendingFailure();
    return this.#join(signal);
  }

  /** See `TokenSession`. @param old The access token to replace. */
  async refresh(old: string, signal: AbortSignal | undefined): Promise<string> {
    if (this.#record.signedInRecord.backoff?.isRequested) this.#throwPendingFailure();
    return tokenOtherThan(old, this.#record) ?? this.#join(signal);
  }

  /** See `TokenSession`. */
  async moveTo(url: string, signal: AbortSignal | undefined): Promise<void> {
    const homeserverUrl = homeserverUrlOf(url);
    const { tokenResponse, userId, deviceId } = this.#record.signedInRecord;
    const isUsable = isFresh(tokenResponse) || !tokenResponse.refresh_token;
    const token = isUsable ? tokenResponse.access_token : await this.accessToken(signal);
    const found = await requestWhoami(homeserverUrl, token, { ...this.#options, signal });
    const { user_id, device_id = deviceId } = found;
    if (user_id !== userId || device_id !== deviceId) {
      throw new OidcFlowError("Invalid bearer token response", "user_mismatch");
    }
    await this.#record.withLock(signal, () => this.#record.update({ homeserverUrl }));
  }

  /** Switches the session to another URL if the user's server names one in its well-known file. */
  async followMove(): Promise<void> {
    const { userId, homeserverUrl } = this.#record.current;
    const published = userId && (await publishedHomeserver(userId, homeserverUrl, this.#options));
    if (!published || published.baseUrl === homeserverUrl) return;
    await this.moveTo(published.baseUrl, undefined);
  }

  /**
   * Gets a replacement for a token that the homeserver doesn't know.
   *
   * @param state The state that the session ends in if there is no replacement.
   */
  async replaceToken(
    refused: string,
    state: SessionEnd["state"],
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    // A late response about an earlier token doesn't apply to the current one.
    const isCurrent = refused === this.#record.current.tokenResponse.access_token;
    if (isCurrent && !(await this.#noteRefusal(state))) return undefined;
    this.#throwPendingFailure();
    try {
      return tokenOtherThan(refused, this.#record) ?? (await this.#join(signal));
    } catch (error) {
      if (error instanceof OidcFlowError && error.code === "session_ended") return undefined;
      throw error;
    }
  }

  get #pendingFailure(): OidcFlowError | undefined {
    const { backoff } = this.#record.current;
    const isOver = backoff?.since === this.#endedBackoff()?.since;
    return isOver && !backoff?.isRequested ? undefined : pendingFailure(backoff);
  }

  #throwPendingFailure(): void {
    const failure = this.#pendingFailure;
    if (failure) throw failure;
  }

  #reportFailure(error: OidcFlowError): void {
    const retryAt = Math.max(Date.now(), this.#record.current.backoff?.until ?? 0);
    this.#target.dispatchEvent(new SessionRefreshFailedEvent({ error, retryAt }));
  }

  /** One refresh for all callers in all tabs. */
  #join(signal: AbortSignal | undefined, attempts?: number): Promise<string> {
    const { access_token: old } = this.#record.signedInRecord.tokenResponse;
    // Another tab may have refreshed the tokens first.
    const newer = () => tokenOtherThan(old, this.#record);
    const replace = async () => {
      if (newer() === undefined) await this.#record.query();
      const token = newer();
      if (token !== undefined) return token;
      try {
        return await this.#refreshTokens();
      } catch (error) {
        // Another process, or a tab without this lock, has refreshed the tokens in the meantime.
        const found = newer();
        if (found !== undefined) return found;
        const isLost = error instanceof OidcFlowError && LOST_CODES.includes(error.code);
        if (isLost && attempts === 1) this.#repeatLater();
        throw error;
      }
    };
    const attempt = (flightSignal: AbortSignal) => this.#record.withLock(flightSignal, replace);
    return this.#flight.join(old, attempt, signal, attempts);
  }

  /**
   * @returns Whether a refresh might help. It doesn't help if this token has just replaced another
   *   rejected token: the account may be locked.
   */
  async #noteRefusal(state: SessionEnd["state"]): Promise<boolean> {
    const { current } = this.#record;
    const { tokenResponse, refusedTokens = 0, refreshedAt = -Infinity } = current;
    const token = tokenResponse.access_token;
    this.#refusal = { token, state };
    const pending = this.#pendingFailure;
    if (pending) return pending.code !== "token_refused";
    // The session has waited, or the user has ended its wait.
    if (current.backoff?.code === "token_refused") return true;
    // The computer might have slept before the token arrived.
    const isExpired = remainingLifetimeMs(tokenResponse) <= 0;
    const age = Date.now() - refreshedAt;
    if (refusedTokens === 0 || isExpired || age < 0 || age >= JUST_ISSUED_MS) return true;
    const backoff = afterRefusedToken(refusedTokens - 1);
    const isReplaced = () => tokenOtherThan(token, this.#record) !== undefined;
    const write = async () => {
      if (!isReplaced()) await this.#record.update({ backoff });
    };
    // If another tab is holding the lock, the next rejection is noted instead.
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
    // Another tab's later tokens belong to the same device. Revoking these tokens could also revoke
    // the later ones.
    if (this.#record.state === "signed-in") return record.tokenResponse.access_token;
    // The session ended during the refresh, so the new tokens are not used.
    if (!successor || !mayShareDevice(record, successor)) {
      const unused = { ...record, ...tokens };
      this.#grant.revoke(unused, this.#options).catch(() => undefined);
    }
    throw sessionEnded();
  }

  async #requestTokens(): Promise<GrantedTokens> {
    const sent = this.#record.signedInRecord;
    try {
      return await this.#grant.refresh(sent, this.#options);
    } catch (error) {
      const backoff = afterFailure(this.#record.current.backoff, error, this.#grant.mayEnd(error));
      const state = await this.#stateAfter(error, backoff);
      if (!state) {
        if (backoff) await this.#record.update({ backoff });
        throw error;
      }
      await this.#record.refuse(state, sent.version);
      throw this.#record.state === "signed-in" ? error : sessionEnded(error);
    }
  }

  /**
   * The response was lost, but the provider may have used up the refresh token, and accepts it
   * again only for a short time. While the access token is valid, no call would repeat the request
   * in time. Therefore this repeats it, once for each refresh token, when the device is online.
   */
  #repeatLater(): void {
    const { tokenResponse } = this.#record.current;
    const { refresh_token: token } = tokenResponse;
    if (this.#repeated === token || remainingLifetimeMs(tokenResponse) <= 0) return;
    this.#repeated = token;
    const { signal } = this.#closing;
    const repeat = (): void => {
      const { state, current } = this.#record;
      const isWanted = state === "signed-in" && current.tokenResponse.refresh_token === token;
      if (isWanted && !signal.aborted) this.#join(undefined, 1).catch(() => undefined);
    };
    const timer = setTimeout(() => {
      // Node has neither this property nor this event.
      const { navigator = {} } = globalThis as { navigator?: Partial<Navigator> };
      const { onLine = true } = navigator;
      if (onLine) repeat();
      else addEventListener("online", repeat, { once: true, signal });
    }, REPEAT_AFTER_MS);
    // The timer must not keep Node running.
    (timer as { unref?: () => void }).unref?.();
  }

  /** Undefined if the session continues. */
  async #stateAfter(error: unknown, backoff: RefreshBackoff | undefined) {
    const { access_token } = this.#record.current.tokenResponse;
    const refused = this.#refusal?.token === access_token ? this.#refusal : undefined;
    const end = this.#grant.endOf(error);
    if (end) return refused?.state === "soft-logout" ? refused.state : end;
    if (!backoff || !isRefusedForGood(backoff)) return undefined;
    return refused || (await this.#isUnknown(access_token)) ? "soft-logout" : undefined;
  }

  /** Checks an expired token, which apps no longer get, with the homeserver. */
  async #isUnknown(accessToken: string): Promise<boolean> {
    const { homeserverUrl } = this.#record.current;
    const whoami = requestWhoami(homeserverUrl, accessToken, this.#options);
    return whoami.then(() => false).catch(isUnknownTokenError);
  }
}
