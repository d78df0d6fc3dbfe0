import { OidcFlowError } from "../oauth/flow-error.js";
import type { RefreshBackoff } from "./record.js";

const FIRST_BACKOFF_MS = 5000;
const MAX_BACKOFF_MS = 5 * 60_000;
const FIRST_REFUSED_BACKOFF_MS = 60_000;

/**
 * This number of rejections over at least this time ends a session whose access token the
 * homeserver doesn't know.
 */
const ENDING_REFUSALS = 3;
const ENDING_REFUSALS_MS = 60_000;

/**
 * `undefined` if the next call can send a request immediately: each call waits between its own
 * attempts.
 *
 * @param mayEnd Whether several rejections of this kind end the session: see `TokenGrant`.
 */
export function afterFailure(
  before: RefreshBackoff | undefined,
  error: unknown,
  mayEnd = false,
): RefreshBackoff | undefined {
  const failure = error instanceof OidcFlowError ? error : undefined;
  if (!failure || (failure.retryable && failure.retryAfterMs === undefined)) return undefined;
  const now = Date.now();
  const failures = (before?.failures ?? 0) + 1;
  const refusals = mayEnd ? (before?.refusals ?? 0) + 1 : 0;
  const ms = Math.max(
    Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS),
    failure.retryAfterMs ?? 0,
  );
  return {
    since: now,
    until: now + ms,
    code: failure.code,
    isRequested: failure.retryAfterMs !== undefined,
    failures,
    refusals,
    refusedSince: refusals > 1 ? (before?.refusedSince ?? now) : now,
  };
}

/** The backoff after the homeserver has rejected a new token. The account may be locked. */
export function afterRefusedToken(refusedTokens: number): RefreshBackoff {
  const now = Date.now();
  const ms = Math.min(FIRST_REFUSED_BACKOFF_MS * 2 ** refusedTokens, MAX_BACKOFF_MS);
  return {
    since: now,
    until: now + ms,
    code: "token_refused",
    isRequested: false,
    failures: 0,
    refusals: 0,
    refusedSince: 0,
  };
}

export const isRefusedForGood = ({ refusals, since, refusedSince }: RefreshBackoff): boolean =>
  refusals >= ENDING_REFUSALS && since - refusedSince >= ENDING_REFUSALS_MS;

export function pendingFailure(backoff: RefreshBackoff | undefined): OidcFlowError | undefined {
  const now = Date.now();
  const isPending = backoff && now >= backoff.since && now < backoff.until;
  return isPending ? failureOf(backoff) : undefined;
}

export function failureOf({ code, until }: RefreshBackoff): OidcFlowError {
  const cause = new Error("The provider requested a delay that is not over yet");
  Object.assign(cause, { retryAfterMs: until - Date.now() });
  return new OidcFlowError("Failed to refresh token", code, cause);
}
