// A whole visit of a user: sign in, return from the provider, confirm a request. Measures its
// downloads and its time, with an empty cache and with the cache of a first visit.
import { call, givenTo } from "./browser.mjs";
import { inTurns } from "./samples.mjs";

/** @typedef {import("./browser.mjs").Page} Page */

const CACHES = /** @type {const} */ (["cold", "warm"]);

/**
 * @typedef {object} Visit
 * @property {string} subject
 * @property {string} note The difference.
 * @property {Record<"cold" | "warm", { files: number, gzip: number, ms: Record<string, number[]> }>} by By the cache; the
 *   milliseconds by the servers' delay, one for each turn.
 */

const NO_UI = "shows no element: a user would also wait for the app's own";

/** Ours first. */
const SUBJECTS = {
  "ours-elements": "with a script tag; the dialog requests the password",
  ours: NO_UI,
  "matrix-js-sdk-41": NO_UI,
  "matrix-js-sdk-43": NO_UI,
};

/**
 * @param {import("./run.mjs").Bench} bench
 * @returns {Promise<Visit[]>}
 */
export async function measureVisits(bench) {
  const { browser, site, servers, quick } = bench;
  /** @type {Visit[]} */
  const visits = Object.entries(SUBJECTS).map(([subject, note]) => ({
    subject,
    note,
    by: { cold: { files: 0, gzip: 0, ms: {} }, warm: { files: 0, gzip: 0, ms: {} } },
  }));
  for (const delayMs of quick ? [0, 50] : [0, 50, 200]) {
    await inTurns(visits, quick ? 1 : 5, (visit) =>
      browser.inFreshPage(async (page) => {
        servers.slowDown(delayMs);
        site.slowDown(delayMs);
        for (const cache of CACHES) {
          site.takeServed();
          const begin = performance.now();
          await (visit.subject === "ours-elements"
            ? byElements(page)
            : byCalls(page, visit.subject));
          const ms = performance.now() - begin;
          const served = site.takeServed();
          const found = visit.by[cache];
          found.files = served.length;
          found.gzip = served.reduce((sum, { gzip }) => sum + gzip, 0);
          (found.ms[delayMs] ??= []).push(ms);
          await page.evaluate("localStorage.clear(); sessionStorage.clear()");
        }
        servers.slowDown(0);
        site.slowDown(0);
      }),
    );
  }
  return visits;

  /** @param {Page} page */
  async function byElements(page) {
    await page.goto(`${site.origin}/html/visit`);
    await page.waitForFunction("window.readyAt");
    await page.click("oidc-login");
    await page.waitForFunction("window.leftFor");
    await comeBack(page, await page.evaluate("window.leftFor"));
    await page.waitForFunction("window.doneAt");
    await page.click("#delete");
    await page.fill("uia-dialog input[type=password]", "secret");
    await page.keyboard.press("Enter");
    await page.waitForFunction("window.isConfirmed");
  }

  /**
   * @param {Page} page
   * @param {string} subject
   */
  async function byCalls(page, subject) {
    const given = givenTo(bench, subject);
    await page.goto(given.redirectUri);
    await page.waitForFunction("window.subject");
    const { result } = await call(page, "fromName", given);
    await comeBack(page, result);
    await page.waitForFunction("window.subject");
    await call(page, "complete", given);
    await call(page, "converse", given);
  }

  /**
   * @param {Page} page
   * @param {string} authorizationUrl
   */
  async function comeBack(page, authorizationUrl) {
    // The provider's page lies between: a response in the fragment would not load the page again.
    await page.goto("about:blank");
    await page.goto(servers.authorize(authorizationUrl));
  }
}
