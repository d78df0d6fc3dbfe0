import type { RequestOptions } from "../http/fetch.js";
import { OidcFlowError } from "../oauth/errors.js";
import type { IssuerEndpoints } from "../oauth/metadata.js";
import type { BearerTokenResponse } from "../oauth/token-response.js";
import {
  afterFailure,
  afterRefusedToken,
  failureOf,
  isRefusedForGood,
  pendingFailure,
  type RefreshBackoff,
} from "./backoff.js";
import { sessionEnded } from "./events.js";
import { mayShareDevice, type SessionRecord } from "./record.js";
import type { SessionEnd, SharedRecord } from "./shared-record.js";
import { SingleFlight } from "./single-flight.js";

/** A token of this age or less, in milliseconds, is not rejected because it has expired. */
const JUST_ISSUED_MS = 60_000;

export class SessionRefresh {
  readonly #record: SharedRecord;
  readonly #grant: TokenGrant;
  readonly #options: RequestOptions;
  readonly #flight: SingleFlight<string>;
  readonly #onFailure: (error: OidcFlowError) => void;
  /** The token that the homeserver did not know, and how the session then ends. */
  #refusal: { readonly token: string; readonly state: SessionEnd["state"] } | undefined;

  /** @param onFailure Called once for each refresh that failed while the session continues. */
  constructor(
    record: SharedRecord,
    grant: TokenGrant,
    options: RequestOptions,
    onFailure: (error: OidcFlowError) => void,
  ) {
    this.#record = record;
    this.#grant = grant;
    this.#options = options;
    this.#onFailure = onFailure;
    this.#flight = new SingleFlight((error) => {
      if (error instanceof OidcFlowError && record.state === "signed-in") onFailure(error);
    });
  }

  get pendingFailure(): OidcFlowError | undefined {
    return pendingFailure(this.#record.current.backoff);
  }

  run(attempts: number, signal: AbortSignal | undefined): Promise<string> {
    const { access_token: old } = this.#record.signedInRecord.tokenResponse;
    // Another tab may be faster.
    const newer = () => this.tokenOtherThan(old);
    const replace = async () => {
      if (newer() === undefined) await this.#record.query();
      return newer() ?? this.#replace();
    };
    const attempt = (flightSignal: AbortSignal) => this.#record.withLock(flightSignal, replace);
    return this.#flight.join(old, attempts, attempt, signal);
  }

  tokenOtherThan(old: string): string | undefined {
    const { state, current } = this.#record;
    const tokens = current.tokenResponse;
    const isOther = state === "signed-in" && tokens.access_token !== old && isFresh(tokens);
    return isOther ? tokens.access_token : undefined;
  }

  /**
   * @returns Whether a refresh may help. It does not if this token has just replaced another one
   *   that was rejected: the account may be locked.
   */
  async noteRefusal(state: SessionEnd["state"]): Promise<boolean> {
    const { tokenResponse, refusedTokens = 0, refreshedAt = -Infinity } = this.#record.current;
    const token = tokenResponse.access_token;
    this.#refusal = { token, state };
    const pending = this.pendingFailure;
    if (pending) return pending.code !== "token_refused";
    const age = Date.now() - refreshedAt;
    if (refusedTokens === 0 || age < 0 || age >= JUST_ISSUED_MS) return true;
    const backoff = afterRefusedToken(refusedTokens - 1);
    const isReplaced = () => this.tokenOtherThan(token) !== undefined;
    const write = async () => {
      if (!isReplaced()) await this.#record.update({ backoff });
    };
    // If another tab keeps the lock, the next rejection is noted.
    await this.#record.withLock(undefined, write).catch(() => undefined);
    if (isReplaced()) return true;
    this.#onFailure(failureOf(backoff));
    return false;
  }

  async #replace(): Promise<string> {
    const { backoff, refusedTokens = 0, tokenResponse } = this.#record.signedInRecord;
    const isRefused =
      this.#refusal?.token === tokenResponse.access_token || backoff?.code === "token_refused";
    const tokens = await this.#request();
    await this.#record.update({
      ...tokens,
      refreshedAt: Date.now(),
      refusedTokens: isRefused ? refusedTokens + 1 : undefined,
      backoff: undefined,
    });
    const { current: record, successor } = this.#record;
    const { access_token } = tokens.tokenResponse;
    if (record.tokenResponse.access_token === access_token) return access_token;
    // The session ended during the refresh, so the new tokens are not used.
    if (!successor || !mayShareDevice(record, successor)) {
      this.#grant.revoke({ ...record, ...tokens }, this.#options).catch(() => undefined);
    }
    throw sessionEnded();
  }

  async #request(): Promise<GrantedTokens> {
    try {
      return await this.#grant.refresh(this.#record.signedInRecord, this.#options);
    } catch (error) {
      const backoff = afterFailure(this.#record.current.backoff, error);
      const state = this.#stateAfter(error, backoff);
      if (!state) {
        if (backoff) await this.#record.update({ backoff });
        throw error;
      }
      await this.#record.end({ state, reason: "refused" });
      throw sessionEnded(error);
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

export interface GrantedTokens {
  readonly tokenResponse: BearerTokenResponse;
  readonly metadata?: IssuerEndpoints;
}

export interface TokenGrant<R extends SessionRecord = SessionRecord> {
  /** @throws {OidcFlowError} `RefreshTokenFailed`, and the errors of the kind's requests. */
  refresh(record: R, options: RequestOptions): Promise<GrantedTokens>;
  /** Undefined if the session continues after this failed refresh. */
  endOf(error: unknown): SessionEnd["state"] | undefined;
  revoke(record: R, options: RequestOptions): Promise<void>;
}

/** A token is replaced so long before its expiry. */
const EXPIRY_MARGIN_MS = 30_000;

/**
 * `Infinity` if the provider does not say, and 0 if the clock was set back to before the token was
 * issued.
 */
export function remainingLifetimeMs({ expires_in, expires_at }: BearerTokenResponse): number {
  if (expires_at === undefined) return Infinity;
  const left = expires_at * 1000 - Date.now();
  return expires_in !== undefined && left > expires_in * 1000 ? 0 : left;
}

export const isFresh = (tokens: BearerTokenResponse): boolean =>
  remainingLifetimeMs(tokens) > Math.min(EXPIRY_MARGIN_MS, (tokens.expires_in ?? Infinity) * 500);
