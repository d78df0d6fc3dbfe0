// The site as `npm run site` has built it, below the path that it was built for.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { after, before, describe, it } from "node:test";
import type { AxeResults } from "axe-core";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { startPages } from "../../demo/server/pages.js";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";
import { waitForScript } from "../e2e/driver/driver.js";
import { navigation, pagesOf } from "../../tools/docs/nav.mjs";

const SITE = "dist/site";
/** On a machine that is busy. */
const TIMEOUT_MS = 60_000;

/** The sources of the pages, by the pages. */
function sources(): ReadonlyMap<string, string> {
  return new Map(
    pagesOf(navigation).map(({ path }) => [
      path === "README.md" ? "index.html" : path.replace(/md$/, "html"),
      path,
    ]),
  );
}

describe("The site", () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof startPages>>;
  let context: BrowserContext;
  let page: Page;
  let home: string;
  let complaints: Set<string>;

  before(async () => {
    const [, base = "/"] =
      /src="([^"]*)assets\/app\./.exec(await readFile(`${SITE}/index.html`, "utf8")) ?? [];
    server = await startPages({ roots: { [base]: SITE } });
    home = server.origin + base;
    browser = await chromium.launch({
      executablePath: await ensureChromium(),
      args: CHROMIUM_ARGUMENTS,
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** A new profile, in which everything that a page complains about, or asks another host for, is noted. */
  async function open(colorScheme: "light" | "dark" = "light"): Promise<void> {
    await context?.close();
    context = await browser.newContext({
      colorScheme,
      viewport: { width: 1400, height: 800 },
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    complaints = new Set();
    context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(home) && !url.startsWith("data:")) complaints.add(`asks for ${url}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400) complaints.add(`${response.status()} ${response.url()}`);
    });
    context.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) complaints.add(message.text());
    });
    context.on("weberror", (error) => complaints.add(String(error.error())));
    page = await context.newPage();
  }

  /** Opens a page, and waits for what VitePress adds to its HTML. */
  async function goto(path: string): Promise<void> {
    await page.goto(home + path);
    const isReady = "document.querySelector('#app').__vue_app__ !== undefined";
    await waitForScript((script) => page.evaluate(script), isReady);
  }

  const whatAxeFinds = async (rules?: readonly string[]): Promise<readonly string[]> => {
    await page.evaluate(await readFile("node_modules/axe-core/axe.min.js", "utf8"));
    const { violations } = await page.evaluate<AxeResults>(
      `axe.run(${JSON.stringify(rules ? { runOnly: rules } : {})})`,
    );
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  };

  it("The site has a page for each document, and no other", async () => {
    const built = (await readdir(SITE, { recursive: true })).filter(
      (name) => name.endsWith(".html") && !name.startsWith("playground"),
    );
    assert.deepEqual(built.sort(), ["404.html", ...sources().keys()].sort());
  });

  it("Every page of the site has its document's headings and code", async () => {
    for (const [path, source] of sources()) {
      const text = await readFile(source, "utf8");
      const fences = text.match(/^ *```[^]*?^ *```$/gm) ?? [];
      const headings = text.replaceAll(/^ *```[^]*?^ *```$/gm, "").match(/^#{1,6} .+$/gm) ?? [];
      const html = await readFile(`${SITE}/${path}`, "utf8");
      const document = html.slice(html.indexOf("content vp-doc"), html.indexOf("<footer"));
      assert.equal(html.match(/<h1\b/g)?.length, 1, path);
      assert.equal(document.match(/<h[1-6]\b/g)?.length, headings.length, path);
      assert.equal(document.match(/<pre\b/g)?.length ?? 0, fences.length, path);
    }
  });

  it("Search is reached, used and left with only the keyboard", async () => {
    await open();
    await goto("");
    await page.keyboard.press("Control+k");
    await page.locator("#localsearch-input").waitFor();
    await page.keyboard.type("refresh token");
    const first = page.locator("#localsearch-list .selected");
    await first.waitFor();
    assert.match(await first.innerText(), /token|refresh/i);
    assert.deepEqual(await whatAxeFinds(), []);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${home}docs/**`);
    await page.locator("#localsearch-input").waitFor({ state: "detached" });
    await page.locator(".vp-doc h1", { hasNotText: "matrix-auth-elements" }).waitFor();
    assert.match(await page.locator(".vp-doc").innerText(), /refresh token/i);
    assert.deepEqual([...complaints], []);
  });

  it("The first link of a page skips its navigation", async () => {
    await open();
    await goto("");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#VPContent$/);
  });

  it("The switch makes a page dark, even after a reload, and its picture too", async () => {
    await open("light");
    await goto("");
    const isDark = async (): Promise<void> => {
      await page.locator("html.dark").waitFor();
      await page.locator("img.picture-dark").waitFor({ state: "visible" });
      await page.locator("img.picture-light").waitFor({ state: "hidden" });
    };
    await page.locator("img.picture-light").waitFor({ state: "visible" });
    await page.locator(".VPNavBarAppearance button").click();
    await isDark();
    await page.reload();
    await isDark();
    assert.deepEqual([...complaints], []);
  });

  it("A page of each folder sends no request to another host, and logs nothing", async () => {
    await open();
    const byFolder = new Map([...sources().keys()].map((path) => [dirname(path), path]));
    for (const path of byFolder.values()) await goto(path);
    assert.deepEqual([...complaints], []);
  });

  for (const [scheme, rules, paths] of [
    [
      "light",
      undefined,
      [
        "",
        "docs/reference/elements/oidc-callback.html",
        "docs/guides/one-provider.html",
        "404.html",
      ],
    ],
    // Only the colors differ.
    ["dark", ["color-contrast"], ["", "docs/guides/one-provider.html"]],
  ] as const) {
    it(`axe finds nothing on the site's pages in the ${scheme} scheme`, async () => {
      await open(scheme);
      for (const path of paths) {
        await goto(path);
        assert.deepEqual(await whatAxeFinds(rules), [], path);
      }
      assert.deepEqual([...complaints], []);
    });
  }
});
