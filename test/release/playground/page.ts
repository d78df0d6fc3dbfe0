// The playground in Chromium, as `npm run site` has built it, below the path that it was built for.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, beforeEach } from "node:test";
import type { AxeResults } from "axe-core";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type FrameLocator,
  type Locator,
  type Page,
} from "playwright-core";
import { startPages } from "../../../demo/server/pages.js";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../../scripts/browser.mjs";

const SITE = "dist/site";
/** On a machine that is busy. */
const TIMEOUT_MS = 60_000;

export const ELEMENTS = [
  "matrix-account",
  "matrix-login",
  "oidc-callback",
  "oidc-login",
  "uia-dialog",
  "uia-fallback-frame",
] as const;

export type ElementName = (typeof ELEMENTS)[number];

/** A browser for the tests of one file, and a new profile for each. */
export function usePlayground(): PlaygroundPage {
  const playground = new PlaygroundPage();
  before(() => playground.launch());
  after(() => playground.close());
  beforeEach(() => playground.newProfile());
  return playground;
}

export class PlaygroundPage {
  declare context: BrowserContext;
  declare page: Page;
  declare preview: FrameLocator;
  /** What a page has complained about, or asked another host for. */
  readonly complaints = new Set<string>();
  #browser: Browser | undefined;
  #server: Awaited<ReturnType<typeof startPages>> | undefined;
  #url = "";

  async launch(): Promise<void> {
    const [, base = "/"] =
      /src="([^"]*)assets\/app\./.exec(await readFile(`${SITE}/index.html`, "utf8")) ?? [];
    this.#server = await startPages({ hostname: "127.0.0.1", roots: { [base]: SITE } });
    this.#url = `${this.#server.origin}${base}playground/`;
    this.#browser = await chromium.launch({
      executablePath: await ensureChromium(),
      args: CHROMIUM_ARGUMENTS,
    });
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.close();
  }

  async newProfile(options: BrowserContextOptions = {}): Promise<void> {
    await this.context?.close();
    assert.ok(this.#browser);
    this.context = await this.#browser.newContext({
      viewport: { width: 1400, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    const { context, complaints } = this;
    context.setDefaultTimeout(TIMEOUT_MS);
    complaints.clear();
    context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(this.#url) && !url.startsWith("data:")) complaints.add(`asks for ${url}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400) complaints.add(`${response.status()} ${response.url()}`);
    });
    context.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) complaints.add(message.text());
    });
    context.on("weberror", (error) => complaints.add(String(error.error())));
    this.page = await context.newPage();
    this.preview = this.page.frameLocator("#preview");
  }

  async open(element: ElementName, more = ""): Promise<void> {
    // Only its fragment would change.
    await this.page.goto("about:blank");
    await this.page.goto(`${this.#url}#element=${element}${more}`);
  }

  /** What an element shows first. */
  first(element: ElementName): Locator {
    const { preview } = this;
    switch (element) {
      case "matrix-account":
        return preview.getByRole("heading", { name: "Devices" });
      case "matrix-login":
        return preview.getByRole("textbox", { name: "Password" });
      case "oidc-login":
        return preview.getByRole("button", { name: "Sign in" });
      case "oidc-callback":
        return preview.getByText("You’re signed in.");
      case "uia-dialog":
        return preview.getByRole("button", { name: "Sign out the old laptop" });
      case "uia-fallback-frame":
        return preview.getByRole("button", { name: "Open page" });
    }
  }

  control(label: string): Locator {
    return this.page.getByLabel(label, { exact: true });
  }

  async choose(name: string, label: string | RegExp): Promise<void> {
    const select = this.control(name);
    const labels = await select.locator("option").allInnerTexts();
    const found = labels.find((each) =>
      typeof label === "string" ? each === label : label.test(each),
    );
    assert.ok(found !== undefined, `There is no ${String(label)}`);
    await select.selectOption({ label: found });
  }

  /** Does what starts a new page in the preview, and waits for that. */
  async beginAnew(action: () => Promise<void>): Promise<void> {
    await this.preview.locator("html").evaluate((old) => old.setAttribute("data-old", ""));
    await action();
    await this.preview.locator("html:not([data-old])").waitFor();
  }

  chooseAnew(name: string, label: string): Promise<void> {
    return this.beginAnew(() => this.choose(name, label));
  }

  openDetails(): Promise<void> {
    return this.page.evaluate(
      "document.querySelectorAll('details').forEach((each) => (each.open = true))",
    );
  }

  logged(name: string): Promise<void> {
    const names = this.page.locator("#log .name", { hasText: new RegExp(`^${name}$`) });
    return names.first().waitFor();
  }

  /** Also in the preview. */
  /** @param rules Default: all that axe has. */
  async whatAxeFinds(rules?: readonly string[]): Promise<readonly string[]> {
    const axe = await readFile("node_modules/axe-core/axe.min.js", "utf8");
    for (const frame of this.page.frames()) await frame.evaluate(axe);
    const { violations } = await this.page.evaluate<AxeResults>(
      `axe.run(${JSON.stringify(rules ? { runOnly: rules } : {})})`,
    );
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }
}
