import { readFailure, type Failure } from "./challenge.js";

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
 * @param pause Waits that many milliseconds and resolves with whether the request is still wanted.
 * @throws whatever the request rejects with, if it is not made again.
 */
export async function retryRateLimited<T>(
  request: () => Promise<T>,
  pause: (ms: number, failure: Failure) => Promise<boolean>,
): Promise<T> {
  for (let resends = 0; ; resends += 1) {
    try {
      return await request();
    } catch (error) {
      const failure = readFailure(error);
      const ms = waitBefore(failure, resends);
      if (ms === undefined || !(await pause(ms, failure))) throw error;
    }
  }
}
