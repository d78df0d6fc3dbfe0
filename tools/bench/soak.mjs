// Whether sessions last: many sign-ins, one after the other, in two tabs and a service worker that refresh rotating tokens
// together, at servers of which one response in ten fails. Time runs faster for all of them.
import { COUNT_LEFT, grownSince, measureOf } from "./heap.mjs";
import { goToSubject, call } from "./browser.mjs";
import { startSite } from "./site.mjs";
import { TOKEN_LIFETIME_S, startSoakServers } from "./soak-servers.mjs";

/** How much faster than real. */
const SPEED = 100;
/** Access tokens end between two rounds: they expire, or the homeserver revokes them. */
const ROUNDS = 4;
const MEASUREMENTS = 10;
const WORKER_URL = "/html/soak-worker.js";

/** @typedef {import("./browser.mjs").Page} Page */
/** @typedef {import("./browser.mjs").Browser} Browser */

/** @typedef {import("./heap.mjs").Counts} Left */

/**
 * @typedef {object} Soak
 * @property {number} signIns
 * @property {Awaited<ReturnType<typeof startSoakServers>>["counts"]} counts
 * @property {number} begunAgain Sign-ins whose code was used up by a response that did not arrive.
 * @property {string[]} lost Why sessions ended that nobody had signed out of.
 * @property {number} forgotten Devices that are still signed in at the provider, although their user signed out.
 * @property {Left[]} grown What grew in each tab from the first measurement to the last.
 */

/**
 * Makes time run faster, in a page or a worker.
 *
 * @param {number} begin In ms since the epoch.
 */
const fastClock = (begin) => `{
  const [now, sinceStart, wait] = [Date.now, performance.now.bind(performance), setTimeout];
  Date.now = () => ${begin} + (now() - ${begin}) * ${SPEED};
  performance.now = () => sinceStart() * ${SPEED};
  globalThis.setTimeout = (run, ms = 0, ...rest) => wait(run, ms / ${SPEED}, ...rest);
}`;

/**
 * Numbers that look random, the same in each run.
 *
 * @param {number} seed
 */
function chance(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * @param {Browser} browser
 * @param {{ signIns: number }} options
 * @returns {Promise<Soak>}
 */
export async function soak(browser, { signIns }) {
  const begin = Date.now();
  const servers = await startSoakServers({
    now: () => begin + (Date.now() - begin) * SPEED,
    speed: SPEED,
    random: chance(1),
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
      await startWorker(tabs);
      const measures = await Promise.all(tabs.map(measureOf));
      /** @type {Soak} */
      const result = {
        ...{ signIns, counts: servers.counts, begunAgain: 0, lost: [], forgotten: 0, grown: [] },
      };
      /** @type {Left[][]} */
      const measured = [];
      const every = Math.ceil(signIns / MEASUREMENTS);
      for (let nth = 1; nth <= signIns; nth += 1) {
        await visit(nth, nth % 2 ? tabs : [second, first], result);
        if (nth % every > 0) continue;
        measured.push(await Promise.all(measures.map((measure) => measure())));
        console.log(`${nth} of ${signIns} sign-ins`);
      }
      result.forgotten = servers.devices;
      // After the first one, caches are filled and code is compiled.
      result.grown = (measured.at(-1) ?? []).map((last, nth) =>
        grownSince(measured[0]?.[nth], last),
      );
      return result;
    });
  } finally {
    await Promise.all([servers.close(), site.close()]);
  }

  /**
   * One user signs in in one tab, is there in the other and the worker too, and signs out.
   *
   * @param {number} nth
   * @param {readonly Page[]} tabs
   * @param {Soak} result
   */
  async function visit(nth, [own, other], result) {
    if (!own || !other) throw new Error("There are no two tabs");
    const { homeserver, clientId } = servers;
    const user = `user-${nth}`;
    for (;;) {
      const url = await call(own, "begin", homeserver.origin, clientId);
      const failure = await call(own, "complete", servers.authorize(url, user));
      if (failure === undefined) break;
      if (failure !== "code_rejected") throw new Error(`The sign-in failed: ${failure}`);
      result.begunAgain += 1;
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
        result.lost.push(...((await ended) ?? []));
      }),
    );
    result.lost.push(...(await call(own, "end")));
  }
}

/** @param {readonly Page[]} tabs */
async function startWorker(tabs) {
  await tabs[0]?.evaluate(
    `navigator.serviceWorker.register(${JSON.stringify(WORKER_URL)}, { scope: "/" })`,
  );
  for (const page of tabs) {
    await page.waitForFunction("navigator.serviceWorker.controller");
  }
}

/** The number of objects that a tab has kept and must not. @param {Left} grown */
export const leftOver = ({ listeners, timers, channels, locks }) =>
  listeners + timers + channels + locks;

/** The failures. @param {Soak} soak */
export const problemsOf = ({ counts, lost, grown }) => [
  ...lost.map((reason) => `a session was lost: ${reason}`),
  ...(counts.reused > 0 ? [`${counts.reused} refresh tokens were used twice`] : []),
  ...(grown.some((left) => leftOver(left) > 0) ? [`left over: ${JSON.stringify(grown)}`] : []),
];
