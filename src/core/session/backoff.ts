import { isText } from "../http/json.js";
import { OidcError, type OidcErrorCode, OidcFlowError } from "../oauth/errors.js";
import { isBareRefusal } from "../oauth/refresh.js";

/**
 * When the issuer may be asked again after a failure, and why not before. It is kept with the session, so
 * that it holds in every tab and after a reload. Times are in milliseconds since the epoch.
 */
export interface RefreshBackoff {
  /** A clock that was set back to before this ends the wait. */
  readonly since: number;
  readonly until: number;
  /** The failure, for callers that come before `until`. */
  readonly code: OidcErrorCode;
  /** Whether the issuer itself named the time; it then holds for `refresh()` too. */
  readonly isRequested: boolean;
  /** How many failures in a row there were. */
  readonly failures: number;
  /** How many of them in a row were refusals without an OAuth error, and since when. */
  readonly refusals: number;
  readonly refusedSince: number;
}

/** The first wait; each further one is twice as long. */
const FIRST_WAIT_MS = 5000;
const MAX_WAIT_MS = 5 * 60_000;

/** The same after tokens that the homeserver refuses. */
const FIRST_REFUSED_WAIT_MS = 60_000;
const MAX_REFUSED_WAIT_MS = 60 * 60_000;

/** No issuer is taken at its word for longer. */
const MAX_REQUESTED_MS = 24 * 60 * 60_000;

/** So many refusals without an OAuth error, over at least so long, end a session whose token is unknown. */
const ENDING_REFUSALS = 3;
const ENDING_REFUSALS_MS = 60_000;

/**
 * What a failure adds to the back-off; undefined for failures after which the next call may ask at once,
 * because each call has waited between its own attempts.
 */
export function afterFailure(
  before: RefreshBackoff | undefined,
  error: unknown,
): RefreshBackoff | undefined {
  const failure = error instanceof OidcFlowError ? error : undefined;
  if (!failure || (failure.retryable && failure.retryAfterMs === undefined)) return undefined;
  const now = Date.now();
  const failures = (before?.failures ?? 0) + 1;
  const isRefusal = isBareRefusal(error);
  const refusals = isRefusal ? (before?.refusals ?? 0) + 1 : 0;
  const ms = Math.max(
    Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), MAX_WAIT_MS),
    Math.min(failure.retryAfterMs ?? 0, MAX_REQUESTED_MS),
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

/**
 * The back-off after the homeserver has refused a token that the issuer had only just issued: another one
 * would not help, because the account may be locked.
 *
 * @param refusedTokens How many in a row were refused before.
 */
export function afterRefusedToken(refusedTokens: number): RefreshBackoff {
  const now = Date.now();
  const ms = Math.min(FIRST_REFUSED_WAIT_MS * 2 ** refusedTokens, MAX_REFUSED_WAIT_MS);
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

/** Whether the issuer has refused without words so often that the refresh token has to be given up. */
export const isRefusedForGood = ({ refusals, since, refusedSince }: RefreshBackoff): boolean =>
  refusals >= ENDING_REFUSALS && since - refusedSince >= ENDING_REFUSALS_MS;

/** The failure that callers get until the time has come; undefined if it has. */
export function pendingFailure(backoff: RefreshBackoff | undefined): OidcFlowError | undefined {
  const now = Date.now();
  const isPending = backoff && now >= backoff.since && now < backoff.until;
  return isPending ? failureOf(backoff) : undefined;
}

export function failureOf({ code, until }: RefreshBackoff): OidcFlowError {
  const cause = new Error("The issuer is not asked again yet");
  const retryAfterMs = until - Date.now();
  return new OidcFlowError(
    OidcError.RefreshTokenFailed,
    code,
    Object.assign(cause, { retryAfterMs }),
  );
}

/** Parses the back-off of a stored session; undefined if it is not one. */
export function parseBackoff(value: unknown): RefreshBackoff | undefined {
  const backoff = Object(value) as RefreshBackoff;
  const { since, until, failures, refusals, refusedSince } = backoff;
  const isSound = [since, until, failures, refusals, refusedSince].every(Number.isFinite);
  // Another version of the library may have stored a code that this one does not know.
  return isSound && isText(backoff.code) ? backoff : undefined;
}
