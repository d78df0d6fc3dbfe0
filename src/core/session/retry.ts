import { wait } from "../http/index.js";
import { OidcFlowError } from "../oidc/index.js";

/** How often a request is made before its failure is reported: over some 15 seconds. */
export const MAX_ATTEMPTS = 5;

/** A longer wait is reported as an error instead; in milliseconds. */
const MAX_WAIT_MS = 60_000;

/**
 * Repeats an attempt until it succeeds: after no response, HTTP 429 and 5xx, it waits 1, 2, 4, 8 seconds
 * (give or take a fifth, so that clients do not return all at once), or longer if the server asks for it.
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  attempts: number,
  signal: AbortSignal,
): Promise<T> {
  for (let made = 1; ; made += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof OidcFlowError && error.retryable) || made >= attempts) throw error;
      const backOff = 1000 * 2 ** (made - 1) * (0.8 + 0.4 * Math.random());
      const ms = Math.max(backOff, error.retryAfterMs ?? 0);
      if (ms > MAX_WAIT_MS) throw error;
      await wait(ms, signal);
    }
  }
}
