// The site in Chromium, as built with `npm run site`, below its base path.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before } from "node:test";
import type { AxeResults } from "axe-core";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "playwright-core";
import { startPages } from "../../demo/server/pages.js";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";
import { WAIT_MS } from "../support/wait-for.mjs";

export const SITE = "dist/site";
/** All files of a run share one browser. */
let browser: Browser | undefined;
let server: Awaited<ReturnType<typeof startPages>> | undefined;
let home = "";

before(async () => {
  const [, base = "/"] =
    /src="([^"]*)assets\/app\./.exec(await readFile(`${SITE}/index.html`, "utf8")) ?? [];
  server = await startPages({ hostname: "127.0.0.1", roots: { [base]: SITE } });
  home = server.origin + base;
  browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: CHROMIUM_ARGUMENTS,
    timeout: WAIT_MS,
  });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

export class SitePage {
  declare context: BrowserContext;
  declare page: Page;
  /** The pages' console messages, failed requests, and requests to other hosts. */
  readonly complaints = new Set<string>();

  /** The part of the site that a page may request. */
  readonly part: string = "";

  get url(): string {
    return home + this.part;
  }

  async newProfile(options: BrowserContextOptions = {}): Promise<void> {
    await this.context?.close();
    assert.ok(browser);
    this.context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    const { context, complaints } = this;
    context.setDefaultTimeout(WAIT_MS);
    complaints.clear();
    context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(this.url) && !url.startsWith("data:")) complaints.add(`asks for ${url}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400) complaints.add(`${response.status()} ${response.url()}`);
    });
    context.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) complaints.add(message.text());
    });
    context.on("weberror", (error) => complaints.add(String(error.error())));
    this.page = await context.newPage();
  }

  /**
   * Runs axe in the page and its frames.
   *
   * @param rules Default: all of axe's rules.
   */
  async whatAxeFinds(rules?: readonly string[]): Promise<readonly string[]> {
    const axe = await readFile("node_modules/axe-core/axe.min.js", "utf8");
    for (const frame of this.page.frames()) await frame.evaluate(axe);
    const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
    const { violations } = await this.page.evaluate<AxeResults>(
      `axe.run(${JSON.stringify(options)})`,
    );
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }
}
