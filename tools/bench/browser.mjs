// The Chromium that is measured in, and its pages.
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, ensureWholeChromium, versionOf } from "../../scripts/browser.mjs";

/** Nothing that the browser does for people who look elsewhere may slow a page down. */
const ARGUMENTS = [
  ...CHROMIUM_ARGUMENTS,
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--disable-backgrounding-occluded-windows",
  // Heap sizes are exact only after a forced collection.
  "--js-flags=--expose-gc",
];

const SETTLED_MS = 150;

/** The delays of the servers' responses that are compared, in ms. */
export const DELAYS = [0, 50, 200];

/** @typedef {import("playwright-core").Page} Page */

export async function openBrowser() {
  const executablePath = await ensureWholeChromium();
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: 60_000 });
  return {
    version: versionOf(executablePath),
    /**
     * Runs something in a page of its own profile: nothing is cached, nothing stored.
     *
     * @template Result
     * @param {(page: Page) => Promise<Result>} use
     * @returns {Promise<Result>}
     */
    async inFreshPage(use) {
      const context = await browser.newContext();
      context.setDefaultTimeout(60_000);
      try {
        return await use(await context.newPage());
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
}

/** @typedef {Awaited<ReturnType<typeof openBrowser>>} Browser */

/**
 * Measures all subjects in each turn, each in a fresh page. Their order changes, so that the first one has no advantage.
 *
 * @template Subject
 * @template Result
 * @param {Pick<import("./report.mjs").Bench, "browser" | "quick">} bench
 * @param {readonly Subject[]} subjects
 * @param {number} turns
 * @param {(page: Page, subject: Subject) => Promise<Result>} measure
 * @returns The results of each subject, by turn.
 */
export async function inTurns({ browser, quick }, subjects, turns, measure) {
  const samples = subjects.map((subject) => ({ subject, results: /** @type {Result[]} */ ([]) }));
  for (let turn = 0; turn < (quick ? 1 : turns); turn += 1) {
    const first = turn % subjects.length;
    for (const { subject, results } of [...samples.slice(first), ...samples.slice(0, first)]) {
      results.push(await browser.inFreshPage((page) => measure(page, subject)));
    }
  }
  return samples;
}

/**
 * Opens the page of a subject, and waits for the interface of run-page.js.
 *
 * @param {Page} page
 * @param {string} url
 */
export async function goToSubject(page, url) {
  await page.goto(url);
  await page.waitForFunction("window.subject");
  // The browser's work after the page has loaded is not timed.
  await page.waitForTimeout(SETTLED_MS);
}

/**
 * Calls what `window.subject` offers.
 *
 * @param {Page} page
 * @param {string} name
 * @param {...unknown} given
 * @returns {Promise<any>}
 */
export const call = (page, name, ...given) =>
  page.evaluate(`window.subject.${name}(...${JSON.stringify(given)})`);

/**
 * The arguments of the functions of a subject's page.
 *
 * @param {Pick<import("./report.mjs").Bench, "site" | "servers">} bench
 * @param {string} subject
 */
export const givenTo = ({ site, servers }, subject) => ({
  serverName: servers.homeserver.host,
  homeserverUrl: servers.homeserver.origin,
  issuer: servers.issuer,
  clientId: servers.clientId,
  redirectUri: `${site.origin}/page/${subject}`,
  clientUri: site.origin,
});

/**
 * Opens a page with `<oidc-login>`, and waits until the element is ready for the click.
 *
 * @param {Page} page
 * @param {string} url
 */
export async function openLogin(page, url) {
  await page.goto(url);
  await page.waitForFunction("window.readyAt");
}

/**
 * Clicks `<oidc-login>`.
 *
 * @param {Page} page
 * @returns {Promise<string>} The authorization URL. The page stays.
 */
export async function clickLogin(page) {
  await page.click("oidc-login");
  await page.waitForFunction("window.leftFor");
  return page.evaluate("window.leftFor");
}

/**
 * Leaves the page, as for the provider's page. A URL that differs only in its fragment would not load the page again.
 *
 * @param {Page} page
 */
export const goElsewhere = (page) => page.goto("about:blank");
