import { wait } from "../http/index.js";
import { OidcFlowError } from "../oidc/index.js";

/** How often a request is made before its failure is told: over some 15 seconds. */
export const MAX_ATTEMPTS = 5;

/** Nobody waits longer for an answer that was asked for; in milliseconds. */
const MAX_WAIT_MS = 60_000;

/**
 * Makes an attempt until one succeeds: after no answer, HTTP 429 and 5xx, after 1, 2, 4, 8 seconds, or
 * as long as the server asks for, give or take a fifth, so that not all come back at once.
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
