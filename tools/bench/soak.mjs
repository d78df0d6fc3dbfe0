// Whether sessions last: many sign-ins, one after the other, in two tabs and a service worker that refresh rotating tokens
// together, at servers of which one response in ten fails. Time runs faster for all of them.
import { call, goToSubject } from "./browser.mjs";
import { number } from "./figures.mjs";
import { COUNT_LEFT, grownSince, measureOf } from "./heap.mjs";
import { startSite } from "./site.mjs";
import { TOKEN_LIFETIME_S, startSoakServers } from "./soak-servers.mjs";

/** How much faster than real. */
const SPEED = 100;
/** Access tokens end between two rounds: they expire, or the homeserver revokes them. */
const ROUNDS = 4;
const MEASUREMENTS = 10;
const WORKER_URL = "/html/soak-worker.js";

/** @typedef {import("./browser.mjs").Page} Page */
/** @typedef {import("./heap.mjs").Counts} Left */

/** @typedef {{ event: string, counts: number[] }} Row One count, or those of both tabs. */

/** Makes time run faster, in a page or a worker. @param {number} begin In ms since the epoch. */
const fastClock = (begin) => `{
  const [now, sinceStart, wait] = [Date.now, performance.now.bind(performance), setTimeout];
  Date.now = () => ${begin} + (now() - ${begin}) * ${SPEED};
  performance.now = () => sinceStart() * ${SPEED};
  globalThis.setTimeout = (run, ms = 0, ...rest) => wait(run, ms / ${SPEED}, ...rest);
}`;

/** @param {import("./report.mjs").Bench} bench @returns {Promise<Row[]>} */
async function measure({ browser, quick }) {
  const signIns = quick ? 50 : 1000;
  let begunAgain = 0;
  /** @type {string[]} */
  const lost = [];
  const begin = Date.now();
  const servers = await startSoakServers({
    now: () => begin + (Date.now() - begin) * SPEED,
    speed: SPEED,
  });
  const site = await startSite({
    "soak-worker.js": `${COUNT_LEFT}${fastClock(begin)}
importScripts("/cdn/service-worker.global.js");
MatrixAuthElements.authenticateMedia();
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));`,
  });
  try {
    return await browser.inFreshPage(async (first) => {
      const second = await first.context().newPage();
      const tabs = [first, second];
      for (const page of tabs) {
        await page.addInitScript(`${COUNT_LEFT}${fastClock(begin)}`);
        await goToSubject(page, `${site.origin}/page/soak`);
      }
      await first.evaluate(`navigator.serviceWorker.register("${WORKER_URL}", { scope: "/" })`);
      for (const page of tabs) await page.waitForFunction("navigator.serviceWorker.controller");
      const measures = await Promise.all(tabs.map(measureOf));
      /** @type {Left[][]} */
      const measured = [];
      const every = Math.ceil(signIns / MEASUREMENTS);
      for (let nth = 1; nth <= signIns; nth += 1) {
        await visit(nth, nth % 2 ? tabs : [second, first]);
        if (nth % every > 0) continue;
        measured.push(await Promise.all(measures.map((measure) => measure())));
        console.log(`${nth} of ${signIns} sign-ins`);
      }
      // After the first one, caches are filled and code is compiled.
      const grown = (measured.at(-1) ?? []).map((last, nth) =>
        grownSince(measured[0]?.[nth], last),
      );
      return rowsOf({ signIns, begunAgain, lost, grown, servers });
    });
  } finally {
    await Promise.all([servers.close(), site.close()]);
  }

  /**
   * One user signs in in one tab, is there in the other and the worker too, and signs out.
   *
   * @param {number} nth
   * @param {readonly Page[]} tabs
   */
  async function visit(nth, [own, other]) {
    if (!own || !other) throw new Error("There are no two tabs");
    const { homeserver, clientId } = servers;
    const user = `user-${nth}`;
    for (;;) {
      const url = await call(own, "begin", homeserver.origin, clientId);
      const failure = await call(own, "complete", servers.authorize(url, user));
      if (failure === undefined) break;
      if (failure !== "code_rejected") throw new Error(`The sign-in failed: ${failure}`);
      begunAgain += 1;
    }
    await call(other, "restore");
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round % 2) servers.expireTokens();
      else if (round > 0) await own.waitForTimeout((TOKEN_LIFETIME_S * 1000) / SPEED);
      const userIds = await Promise.all(
        [own, other].flatMap((page) => [call(page, "ask"), call(page, "askForMedia")]),
      );
      const strangers = userIds.flat().filter((id) => id !== `@${user}:localhost`);
      if (strangers.length > 0) throw new Error(`${user} was taken for ${strangers.join()}`);
    }
    await Promise.all([own, other].map((page) => call(page, "expectEnd")));
    await Promise.all(
      [call(own, "signOut"), call(other, "end")].map(async (ended) => {
        lost.push(...((await ended) ?? []));
      }),
    );
    lost.push(...(await call(own, "end")));
  }
}

/**
 * What was counted.
 *
 * @param {object} found
 * @param {number} found.signIns
 * @param {number} found.begunAgain Sign-ins whose code was used up by a response that did not arrive.
 * @param {readonly string[]} found.lost Why sessions ended that nobody had signed out of.
 * @param {readonly Left[]} found.grown What grew in each tab from the first measurement to the last.
 * @param {Awaited<ReturnType<typeof startSoakServers>>} found.servers
 * @throws If a session was lost, a refresh token was used twice, or anything is left over.
 */
function rowsOf({ signIns, begunAgain, lost, grown, servers: { counts, devices } }) {
  /** What a tab has kept and must not. */
  const left = grown.map(
    ({ listeners, timers, channels, locks }) => listeners + timers + channels + locks,
  );
  const problems = [
    ...lost.map((reason) => `a session was lost: ${reason}`),
    ...(counts.reused > 0 ? [`${counts.reused} refresh tokens were used twice`] : []),
    ...(left.some((count) => count > 0) ? [`left over: ${JSON.stringify(grown)}`] : []),
  ];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  /** @type {Record<string, number[]>} */
  const rows = {
    "sign-ins": [signIns],
    "of these, restarted: the response with the tokens was lost": [begunAgain],
    requests: [counts.requests],
    "of these, without a response, late, or with HTTP 429 and 503": [
      ...[counts.lost, counts.late, counts.limited + counts.unavailable],
    ],
    refreshes: [counts.refreshes],
    "of these, repeated because the response was lost": [counts.retries],
    "sessions lost": [lost.length],
    "refresh tokens used twice": [counts.reused],
    "devices that stayed signed in on the provider": [devices],
    "growth of the heap for each sign-in, in bytes, in each tab": grown.map(
      ({ heap }) => heap / signIns,
    ),
    "listeners, timers, channels and locks left over, in each tab": left,
  };
  return Object.entries(rows).map(([event, counts]) => ({ event, counts }));
}

/** @type {import("./report.mjs").Section<Row>} */
export const soak = {
  title: "Endurance",
  text:
    "One user after the other signs in, sends requests from two " +
    "tabs and a service worker at the same time, and signs out. Access tokens expire after at most 20 seconds. " +
    "All clocks run 100 times as fast. The provider rotates refresh tokens, and accepts the previous one only " +
    "until the new tokens are used.",
  head: ["Event", "Count"],
  measure,
  cells: ({ event, counts }) => [event, counts.map(number).join(", ")],
};
