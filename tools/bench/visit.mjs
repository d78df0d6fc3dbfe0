// A whole visit of a user: sign in, return from the provider, confirm a request. Measures its
// downloads and its time, with an empty cache and with the cache of a first visit.
import { DELAYS, call, clickLogin, givenTo, goElsewhere, inTurns, openLogin } from "./browser.mjs";
import { compared, kb, titleOf } from "./figures.mjs";

/** @typedef {import("./browser.mjs").Page} Page */
/** @typedef {import("./report.mjs").Bench} Bench */

/**
 * @typedef {object} Visit
 * @property {string} subject
 * @property {string} note The difference.
 * @property {"empty" | "full"} cache
 * @property {number} files
 * @property {number} gzip
 * @property {Record<string, number[]>} ms By the servers' delay, one for each turn.
 */

/** @param {Page} page @param {Bench} bench */
async function byElements(page, { site, servers }) {
  await openLogin(page, `${site.origin}/html/visit`);
  const back = servers.authorize(await clickLogin(page));
  await goElsewhere(page);
  await page.goto(back);
  await page.waitForFunction("window.doneAt");
  await page.click("#delete");
  await page.fill("uia-dialog input[type=password]", "secret");
  await page.keyboard.press("Enter");
  await page.waitForFunction("window.isConfirmed");
}

/** @param {Page} page @param {Bench} bench @param {string} subject */
async function byCalls(page, bench, subject) {
  const given = givenTo(bench, subject);
  await page.goto(given.redirectUri);
  await page.waitForFunction("window.subject");
  const { result } = await call(page, "fromName", given);
  await goElsewhere(page);
  await page.goto(bench.servers.authorize(result));
  await page.waitForFunction("window.subject");
  await call(page, "complete", given);
  await call(page, "converse", given);
}

const NO_UI = "shows no element: a user would also wait for the app's own";

/** Ours first. */
const SUBJECTS = [
  { subject: "ours", note: "with a script tag; the dialog requests the password", go: byElements },
  ...["ours", "matrix-js-sdk-41", "matrix-js-sdk-43"].map((subject) => ({
    ...{ subject, note: NO_UI, go: byCalls },
  })),
];

/** @type {import("./report.mjs").Section<Visit>} */
export const visit = {
  title: "A whole visit",
  text:
    "A user signs in to a homeserver, returns from the provider, and confirms a request. The table has the scripts' download size (gzip, level 9) and the time, " +
    "first with an empty cache and then with a full one. The delay is that of each response. Times are " +
    "a ratio to ours in the same turn, median (smallest – largest).",
  head: ["By", "Cache", "gzip", "Files", ...DELAYS.map((ms) => `at ${ms} ms`), "Note"],

  async measure(bench) {
    const { site, servers } = bench;
    const visits = SUBJECTS.map(({ subject, note, go }) => ({
      go,
      rows: /** @type {const} */ (["empty", "full"]).map((cache) => {
        /** @type {Visit} */
        const row = { subject, note, cache, files: 0, gzip: 0, ms: {} };
        return row;
      }),
    }));
    for (const delayMs of DELAYS) {
      await inTurns(bench, visits, 5, async (page, { go, rows }) => {
        servers.slowDown(delayMs);
        site.slowDown(delayMs);
        // One after the other: the first visit fills the cache.
        for (const row of rows) {
          site.takeServed();
          const begin = performance.now();
          await go(page, bench, row.subject);
          (row.ms[delayMs] ??= []).push(performance.now() - begin);
          const served = site.takeServed();
          row.files = served.length;
          row.gzip = served.reduce((sum, gzip) => sum + gzip, 0);
          await page.evaluate("localStorage.clear(); sessionStorage.clear()");
        }
        servers.slowDown(0);
        site.slowDown(0);
      });
    }
    return visits.flatMap(({ rows }) => rows);
  },

  cells({ subject, note, cache, files, gzip, ms }, rows) {
    const isFirst = cache === "empty";
    const ours = rows.find((row) => row.cache === cache);
    return [
      isFirst ? titleOf(subject) : "",
      cache,
      kb(gzip),
      String(files),
      ...DELAYS.map((delay) => compared(ms[delay], ours?.ms[delay])),
      isFirst ? note : "",
    ];
  },
};
