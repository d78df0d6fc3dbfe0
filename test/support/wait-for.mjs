// Waiting for a state that no event announces: node:timers/promises has the delay, but not the loop.
import { setTimeout as delay } from "node:timers/promises";

const INTERVAL_MS = 50;

/**
 * Checks immediately, and then at intervals, until the result is truthy. A rejected check ends it too.
 *
 * @template T
 * @param {string} failure What the error says if there is no such result in time.
 * @param {() => T | Promise<T>} check
 * @param {number} timeoutMs
 * @returns {Promise<Exclude<T, false | undefined | null | "">>} The result.
 */
export async function waitFor(failure, check, timeoutMs) {
  for (const end = Date.now() + timeoutMs; ; await delay(INTERVAL_MS)) {
    const result = await check();
    if (result) return /** @type {Exclude<T, false | undefined | null | "">} */ (result);
    if (Date.now() >= end) throw new Error(failure);
  }
}
