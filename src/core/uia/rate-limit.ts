import { type Failure, readFailure, reason } from "./failure.js";
import type { IStageStatus } from "./options.js";

/** What is reported while a rate limit is waited out. */
export type RateLimitStatus = IStageStatus & { readonly retryAfterMs: number };

/** How often a request is sent again where the homeserver says "too many requests". */
export const MAX_RESENDS = 5;
/** A longer wait is reported as an error: no user waits for that long. */
export const MAX_WAIT_MS = 5 * 60_000;
/** The first wait if the homeserver does not say how long; it doubles each time. */
export const FIRST_WAIT_MS = 1000;

/** How long to wait before the request is sent again, in milliseconds; undefined if it is not. */
function waitBefore({ status, retryAfterMs }: Failure, resends: number): number | undefined {
  if (status !== 429 || resends >= MAX_RESENDS) return undefined;
  const wait = retryAfterMs ?? FIRST_WAIT_MS * 2 ** resends;
  return wait <= MAX_WAIT_MS ? wait : undefined;
}

/**
 * Makes a request, and repeats it after a wait if the homeserver rate-limits it: Synapse limits requests
 * for messages most strictly.
 *
 * @param waitOut Reports that status, waits as long as it says, and resolves with whether the request is still wanted.
 * @throws whatever the request rejects with, if it is not made again.
 */
export async function retryRateLimited<T>(
  request: () => Promise<T>,
  waitOut: (status: RateLimitStatus) => Promise<boolean>,
): Promise<T> {
  for (let resends = 0; ; resends += 1) {
    try {
      return await request();
    } catch (error) {
      const failure = readFailure(error);
      const retryAfterMs = waitBefore(failure, resends);
      if (retryAfterMs === undefined) throw error;
      if (!(await waitOut({ ...reason(failure), retryAfterMs }))) throw error;
    }
  }
}
