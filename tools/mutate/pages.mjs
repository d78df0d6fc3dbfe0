// Pages of Chromium that run one file of tests at a time.
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";

/** @typedef {import("./in-page.mjs").Job} Job */
/** @typedef {import("./in-page.mjs").Result} Result */

/**
 * @typedef {object} Launched
 * @property {import("playwright-core").BrowserServer} process
 * @property {import("playwright-core").Browser} browser
 */

/** @type {Record<string, string>} */
const TYPES = { html: "text/html", js: "text/javascript", ts: "text/javascript" };
const START = `<!doctype html><html lang="en"><title>Mutants</title><body>
<script type="module" src="/tools/mutate/in-page.js"></script></body></html>`;

/** Frames are of the same build: what is on or met in one counts for all. */
const SHARE_WITH_FRAMES = "if (window !== top) window.__stryker__ = parent.__stryker__";

/** @param {ReadonlyMap<string, Uint8Array>} files By path. */
async function serve(files) {
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const body = pathname === "/" ? START : files.get(pathname);
    const type = TYPES[pathname.split(".").at(-1) ?? ""] ?? "text/html";
    response.writeHead(body ? 200 : 404, {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": "max-age=86400",
    });
    response.end(body);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(true)));
  const address = server.address();
  if (typeof address !== "object") throw new Error("The server has no port");
  return { origin: `http://localhost:${address?.port}`, server };
}

/** @param {ReadonlyMap<string, Uint8Array>} files */
export async function openBrowser(files) {
  const executablePath = await ensureChromium();
  const { origin, server } = await serve(files);
  const args = [
    ...CHROMIUM_ARGUMENTS,
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
  ];
  const launch = async () => {
    const process = await chromium.launchServer({ executablePath, args, timeout: 60_000 });
    return { process, browser: await chromium.connect(process.wsEndpoint()) };
  };
  let launched = launch();
  /** A run takes an hour: a browser that crashed meanwhile is replaced. */
  const connected = async () => {
    const last = launched;
    const { browser } = await last;
    if (!browser.isConnected() && launched === last) launched = launch();
    return launched;
  };
  return {
    newPage: () => new TestPage(connected, origin),
    async close() {
      await (await launched).process.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A page with its own storage, locks and channels. */
export class TestPage {
  #connected;
  #origin;
  /** @type {Launched | undefined} */
  #launched;
  /** @type {import("playwright-core").BrowserContext | undefined} */
  #context;
  /** @type {import("playwright-core").Page | undefined} */
  #page;

  /**
   * @param {() => Promise<Launched>} connected
   * @param {string} origin
   */
  constructor(connected, origin) {
    this.#connected = connected;
    this.#origin = origin;
  }

  /**
   * Runs tests in a fresh document.
   *
   * @param {Job} job
   * @param {number} timeoutMs
   * @returns {Promise<Result>} Only a `failure` if the page is stuck. Rejects if it crashes twice.
   */
  async run(job, timeoutMs) {
    try {
      return await this.#runOnce(job, timeoutMs);
    } catch {
      await this.#drop();
      return this.#runOnce(job, timeoutMs);
    }
  }

  /**
   * @param {Job} job
   * @param {number} timeoutMs
   * @returns {Promise<Result>}
   */
  async #runOnce(job, timeoutMs) {
    const stop = new AbortController();
    const late = delay(timeoutMs, LATE, { signal: stop.signal }).catch(() => LATE);
    try {
      const result = await Promise.race([this.#start(job), late]);
      if (result === LATE) await this.#drop();
      return result;
    } finally {
      stop.abort();
    }
  }

  /**
   * @param {Job} job
   * @returns {Promise<Result>}
   */
  async #start(job) {
    const page = await this.#open();
    // However busy the machine is.
    await page.goto(`${this.#origin}/`, { timeout: 0 });
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    return page.evaluate(`runTests(${JSON.stringify(job)})`);
  }

  async #open() {
    if (this.#page) return this.#page;
    this.#launched = await this.#connected();
    this.#context = await this.#launched.browser.newContext();
    await this.#context.addInitScript(SHARE_WITH_FRAMES);
    this.#page = await this.#context.newPage();
    return this.#page;
  }

  /**
   * A page in an endless loop does not respond, not even when it is closed. What it sends meanwhile to other pages or
   * to a store would fill the browser's memory.
   */
  async #drop() {
    const closed = this.#context?.close().catch(() => undefined);
    this.#page = undefined;
    if ((await Promise.race([closed, delay(5000, LATE)])) === LATE) {
      await this.#launched?.process.kill();
    }
  }
}

/** @type {Result} */
const LATE = { failure: "Timed out: the page", onLoad: {}, tests: [] };
