// How many requests wait for one another, and what that costs where servers are far away.
import { stepsOf } from "./round-trip-steps.mjs";
import { inTurns } from "./samples.mjs";
import { inARow } from "./servers.mjs";

/** @typedef {import("./servers.mjs").Entry} Entry */

/**
 * @typedef {object} RoundTrips
 * @property {string} step
 * @property {string} subject
 * @property {string} [note] The difference.
 * @property {number} requests
 * @property {number} inARow Requests that waited for one another, without preflights.
 * @property {number} withPreflights The same, including the browser's preflights.
 * @property {Record<string, number[]>} ms By the servers' delay: one for each turn.
 */

/**
 * @param {import("./run.mjs").Bench} bench
 * @returns {Promise<RoundTrips[]>}
 */
export async function measureRoundTrips(bench) {
  const { browser, servers, quick } = bench;
  const pairs = stepsOf(bench).flatMap(({ title, subjects, prepare }) =>
    Object.entries(subjects).map(([subject, note]) => {
      /** @type {RoundTrips} */
      const result = {
        step: title,
        subject,
        ...(note && { note }),
        requests: 0,
        inARow: 0,
        withPreflights: 0,
        ms: {},
      };
      return { prepare, result };
    }),
  );
  // What is counted last is of the longest delay, where nothing hides behind the machine's own time.
  for (const delayMs of quick ? [0, 50] : [0, 50, 200]) {
    const samples = await inTurns(pairs, quick ? 1 : 5, ({ prepare, result }) =>
      browser.inFreshPage(async (page) => {
        const run = await prepare(page, result.subject);
        servers.slowDown(delayMs);
        servers.takeLog();
        const ms = await run();
        count(result, servers.takeLog());
        servers.slowDown(0);
        return ms;
      }),
    );
    for (const [{ result }, ms] of samples) result.ms[delayMs] = ms;
  }
  return pairs.map(({ result }) => result);
}

/**
 * @param {RoundTrips} result
 * @param {readonly Entry[]} log
 */
function count(result, log) {
  const asked = log.filter(({ method }) => method !== "OPTIONS");
  result.requests = asked.length;
  result.inARow = inARow(asked);
  result.withPreflights = inARow(log);
}
