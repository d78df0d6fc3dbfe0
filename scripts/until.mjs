// Waiting for what nothing tells of.
import { setTimeout as delay } from "node:timers/promises";

const INTERVAL_MS = 50;

/**
 * Asks at once, and then at intervals, until the answer is more than nothing or false. What a question
 * rejects with is an end of it too.
 *
 * @template T
 * @param {string} failure What the error says where there is no such answer in time.
 * @param {() => T | Promise<T>} check
 * @param {number} patienceMs
 * @returns {Promise<Exclude<T, false | undefined | null | "">>} The answer.
 */
export async function until(failure, check, patienceMs) {
  for (const end = Date.now() + patienceMs; ; await delay(INTERVAL_MS)) {
    const answer = await check();
    if (answer) return /** @type {Exclude<T, false | undefined | null | "">} */ (answer);
    if (Date.now() >= end) throw new Error(failure);
  }
}
