// Waits for a state without an event: node:timers/promises has a delay, but no loop.
import { setTimeout as delay } from "node:timers/promises";

const INTERVAL_MS = 50;

/** The time after which a wait has failed. A very busy machine needs long, and a passing test does not wait. */
export const WAIT_MS = 120_000;

/** The options of a suite. Its time limit includes all of its tests, and ends only a suite that hangs. */
export const SUITE = { timeout: 20 * 60_000 };

/**
 * Checks immediately, and then at intervals, until the result is truthy or a check rejects.
 *
 * @template T
 * @param {string} failure The error's message if the time is up.
 * @param {() => T | Promise<T>} check
 * @param {number} [timeoutMs]
 * @returns {Promise<Exclude<T, false | undefined | null | "">>} The result.
 */
export async function waitFor(failure, check, timeoutMs = WAIT_MS) {
  for (const end = Date.now() + timeoutMs; ; await delay(INTERVAL_MS)) {
    const result = await check();
    if (result) return /** @type {Exclude<T, false | undefined | null | "">} */ (result);
    if (Date.now() >= end) throw new Error(failure);
  }
}
