// The playground as `npm run site` has built it, below the path that it was built for: by keyboard and by mouse.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, beforeEach, describe, it } from "node:test";
import type { AxeResults } from "axe-core";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type FrameLocator,
  type Page,
} from "playwright-core";
import { startPages } from "../../demo/server/pages.js";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";

const SITE = "dist/site";
/** On a machine that is busy. */
const TIMEOUT_MS = 60_000;
const ELEMENTS = [
  "matrix-login",
  "oidc-callback",
  "oidc-login",
  "uia-dialog",
  "uia-fallback-frame",
] as const;

interface Member {
  readonly name: string;
}

interface Declaration {
  readonly tagName?: string;
  readonly attributes?: readonly Member[];
  readonly events?: readonly Member[];
  readonly slots?: readonly Member[];
  readonly cssParts?: readonly Member[];
  readonly cssProperties?: readonly Member[];
}

describe("The playground", () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof startPages>>;
  let context: BrowserContext;
  let page: Page;
  let preview: FrameLocator;
  let playground: string;
  let complaints: Set<string>;

  before(async () => {
    const [, base = "/"] =
      /src="([^"]*)assets\/app\./.exec(await readFile(`${SITE}/index.html`, "utf8")) ?? [];
    server = await startPages({ hostname: "127.0.0.1", roots: { [base]: SITE } });
    playground = `${server.origin}${base}playground/`;
    browser = await chromium.launch({
      executablePath: await ensureChromium(),
      args: CHROMIUM_ARGUMENTS,
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(() => newProfile());

  /** In which everything is noted that a page complains about, or asks another host for. */
  async function newProfile(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    await context?.close();
    context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    complaints = new Set();
    context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(playground) && !url.startsWith("data:"))
        complaints.add(`asks for ${url}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400) complaints.add(`${response.status()} ${response.url()}`);
    });
    context.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) complaints.add(message.text());
    });
    context.on("weberror", (error) => complaints.add(String(error.error())));
    page = await context.newPage();
    preview = page.frameLocator("#preview");
  }

  /** What each element shows first. */
  const FIRST: Readonly<Record<(typeof ELEMENTS)[number], () => ReturnType<Page["locator"]>>> = {
    "matrix-login": () => preview.getByRole("textbox", { name: "Password" }),
    "oidc-login": () => preview.getByRole("button", { name: "Sign in" }),
    "oidc-callback": () => preview.getByText("You are signed in."),
    "uia-dialog": () => preview.getByRole("button", { name: "Sign out the old laptop" }),
    "uia-fallback-frame": () => preview.getByRole("button", { name: "Open the page" }),
  };

  async function open(element: (typeof ELEMENTS)[number], more = ""): Promise<void> {
    // Only its fragment would change.
    await page.goto("about:blank");
    await page.goto(`${playground}#element=${element}${more}`);
  }

  const logged = (name: string): Promise<void> =>
    page
      .locator("#log .name", { hasText: new RegExp(`^${name}$`) })
      .first()
      .waitFor();

  const whatAxeFinds = async (): Promise<readonly string[]> => {
    const axe = await readFile("node_modules/axe-core/axe.min.js", "utf8");
    for (const frame of page.frames()) await frame.evaluate(axe);
    const { violations } = await page.evaluate<AxeResults>("axe.run()");
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  };

  for (const element of ELEMENTS) {
    it(`<${element}> is shown, and has a control for each member that its manifest lists`, async () => {
      await open(element);
      await FIRST[element]().waitFor();
      const { modules } = JSON.parse(await readFile("custom-elements.json", "utf8")) as {
        modules: readonly { declarations?: readonly Declaration[] }[];
      };
      const manifest = modules
        .flatMap(({ declarations = [] }) => declarations)
        .find(({ tagName }) => tagName === element);
      const wanted = Object.entries({
        attribute: manifest?.attributes,
        event: manifest?.events,
        slot: manifest?.slots,
        part: manifest?.cssParts,
        token: manifest?.cssProperties,
      }).flatMap(([kind, members = []]) => members.map(({ name }) => `${kind}:${name}`));
      assert.ok(wanted.length > 20);
      const present = await page
        .locator("#controls [name]")
        .evaluateAll((controls) => controls.map((control) => control.getAttribute("name")));
      assert.deepEqual(
        wanted.filter((name) => !present.includes(name)),
        [],
      );
      assert.deepEqual([...complaints], []);
    });
  }

  it("A user signs in by a redirect to the provider", async () => {
    await open("oidc-login");
    await preview.getByRole("button", { name: "Sign in" }).click();
    await preview.getByRole("button", { name: "Continue as bob" }).click();
    await preview.getByText("You are signed in.").waitFor();
    await logged("oidc-success");
    const log = await page.locator("#log").innerText();
    assert.doesNotMatch(log, /access-token-|refresh-token-|code-\d|eyJ/);
    assert.deepEqual([...complaints], []);
  });

  it("A user signs in in a popup", async () => {
    await open("oidc-login", "&attribute:mode=popup");
    const opening = context.waitForEvent("page");
    await preview.getByRole("button", { name: "Sign in" }).click();
    const popup = await opening;
    await Promise.all([
      popup.waitForEvent("close"),
      popup.getByRole("button", { name: "Continue as alice" }).click(),
    ]);
    await logged("oidc-success");
    assert.deepEqual([...complaints], []);
  });

  it("A user confirms a request with their password, after a wrong one", async () => {
    await open("uia-dialog");
    await preview.getByRole("button", { name: "Sign out the old laptop" }).click();
    const field = preview.getByRole("textbox", { name: "Password" });
    await field.fill("wrong");
    await field.press("Enter");
    await preview.getByText("Incorrect password.").waitFor();
    await field.fill("password");
    await field.press("Enter");
    await preview.getByText("Done.").waitFor();
    await logged("uia-success");
    assert.deepEqual([...complaints], []);
  });

  for (const scheme of ["light", "dark"] as const) {
    it(`axe finds nothing on the playground in the ${scheme} scheme, also in its preview`, async () => {
      await newProfile({ colorScheme: scheme });
      for (const element of ELEMENTS) {
        await open(element);
        await FIRST[element]().waitFor();
        await page.evaluate(
          "document.querySelectorAll('details').forEach((each) => (each.open = true))",
        );
        assert.deepEqual(await whatAxeFinds(), [], element);
      }
      assert.deepEqual([...complaints], []);
    });
  }
});
