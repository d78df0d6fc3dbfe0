// Chromium pages that run one test file at a time.
import { once } from "node:events";
import { createServer } from "node:http";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";

/** @typedef {import("./in-page.mjs").Job} Job */
/** @typedef {import("./in-page.mjs").Result} Result */

const ARGUMENTS = [
  ...CHROMIUM_ARGUMENTS,
  "--disable-renderer-backgrounding",
  "--disable-background-timer-throttling",
];
const START = `<!doctype html><html lang="en"><title>Mutants</title><body>
<script type="module" src="/tools/mutate/in-page.js"></script></body></html>`;

/** Frames share the page's object, so mutants and hits count for all of them. */
const SHARE_WITH_FRAMES = "if (window !== top) window.__stryker__ = parent.__stryker__";

/** @type {Result} */
const LATE = { failure: "Timed out: the page", onLoad: {}, tests: [] };

/** @param {ReadonlyMap<string, Uint8Array>} files By path. */
export async function serve(files) {
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const body = pathname === "/" ? START : files.get(pathname);
    const type = /\.[jt]s$/.test(pathname) ? "text/javascript" : "text/html";
    response.writeHead(body ? 200 : 404, {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": "max-age=86400",
    });
    response.end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    origin: `http://localhost:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A page in a separate browser, which can be killed even if a mutant blocks it. */
export class TestPage {
  #origin;
  /** @type {import("playwright-core").BrowserServer | undefined} */
  #browser;
  /** @type {import("playwright-core").Page | undefined} */
  #page;

  /** @param {string} origin */
  constructor(origin) {
    this.#origin = origin;
  }

  /**
   * Runs tests in a fresh document.
   *
   * @param {Job} job
   * @param {number} timeoutMs
   * @returns {Promise<Result>} Only a `failure` if the page hangs. Rejects if it crashes twice.
   */
  async run(job, timeoutMs) {
    try {
      return await this.#runOnce(job, timeoutMs);
    } catch {
      await this.close();
      return this.#runOnce(job, timeoutMs);
    }
  }

  /**
   * @param {Job} job
   * @param {number} timeoutMs
   * @returns {Promise<Result>}
   */
  async #runOnce(job, timeoutMs) {
    const page = await this.#open();
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, timeoutMs, LATE)));
    const running = this.#start(page, job);
    running.catch(() => undefined);
    const result = await Promise.race([running, late]).finally(() => clearTimeout(timer));
    // A page in an endless loop cannot be closed either.
    if (result === LATE) await this.close();
    return result;
  }

  /**
   * @param {import("playwright-core").Page} page
   * @param {Job} job
   * @returns {Promise<Result>}
   */
  async #start(page, job) {
    // A busy machine may take long.
    await page.goto(`${this.#origin}/`, { timeout: 0 });
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    return page.evaluate(`runTests(${JSON.stringify(job)})`);
  }

  async #open() {
    if (this.#page) return this.#page;
    const executablePath = await ensureChromium();
    this.#browser = await chromium.launchServer({ executablePath, args: ARGUMENTS });
    const browser = await chromium.connect(this.#browser.wsEndpoint());
    const context = await browser.newContext();
    await context.addInitScript(SHARE_WITH_FRAMES);
    return (this.#page = await context.newPage());
  }

  async close() {
    this.#page = undefined;
    await this.#browser?.kill();
  }
}
