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
 * @param {Pick<import("./run.mjs").Bench, "site" | "servers">} bench
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
