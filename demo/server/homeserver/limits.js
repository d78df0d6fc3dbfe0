// @ts-check
import { MatrixError } from "./errors.js";

/**
 * How often something may be tried.
 *
 * @typedef {object} Limits
 * @property {(key: string) => void} assert throws a MatrixError after too many attempts
 * @property {(key: string) => void} count
 */

/**
 * @param {import("./uia/settings.js").UiaSettings} settings
 * @returns {Limits}
 */
export function createLimits(settings) {
  /** @type {Map<string, number[]>} when each was tried, in milliseconds since the epoch */
  const tries = new Map();

  /** @type {(key: string, windowMs: number) => number[]} */
  const recent = (key, windowMs) =>
    (tries.get(key) ?? []).filter((at) => Date.now() - at < windowMs);

  return {
    assert(key) {
      const { rateLimit } = settings;
      if (!rateLimit) return;
      const { allowed, windowMs } = rateLimit;
      const times = recent(key, windowMs);
      const [oldest = Date.now()] = times;
      if (times.length < allowed) return;
      throw new MatrixError(429, "M_LIMIT_EXCEEDED", "Too Many Requests", {
        retry_after_ms: Math.max(1, oldest + windowMs - Date.now()),
      });
    },

    count(key) {
      const { rateLimit } = settings;
      if (rateLimit) tries.set(key, [...recent(key, rateLimit.windowMs), Date.now()]);
    },
  };
}
