// The site, as built with `npm run site`, below its base path.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { waitForScript, waitForTrue } from "../e2e/driver/driver.js";
import { navigation, pagesOf } from "../../tools/docs/nav.mjs";
import { SITE, SitePage } from "./site-page.js";

/** The source of each page. */
function sources(): ReadonlyMap<string, string> {
  return new Map(
    pagesOf(navigation).map(({ path }) => [
      path === "README.md" ? "index.html" : path.replace(/md$/, "html"),
      path,
    ]),
  );
}

describe("The site", () => {
  const site = new SitePage();
  const { complaints } = site;

  /** Opens a page, and waits for the content that VitePress adds to its HTML. */
  async function goto(path: string): Promise<void> {
    await site.page.goto(site.url + path);
    const isReady = "document.querySelector('#app').__vue_app__ !== undefined";
    await waitForScript((script) => site.page.evaluate(script), isReady);
  }

  it("The site has a page for each document, and no other pages", async () => {
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

  it("Search can be reached, used, and left with only the keyboard", async () => {
    await site.newProfile();
    await goto("");
    await site.page.keyboard.press("Control+k");
    await site.page.locator("#localsearch-input").waitFor();
    await site.page.keyboard.type("refresh token");
    const first = site.page.locator("#localsearch-list .selected");
    await first.waitFor();
    assert.match(await first.innerText(), /token|refresh/i);
    assert.deepEqual(await site.whatAxeFinds(), []);
    await site.page.keyboard.press("Enter");
    await site.page.waitForURL(`${site.url}docs/**`);
    await site.page.locator("#localsearch-input").waitFor({ state: "detached" });
    await site.page.locator(".vp-doc h1", { hasNotText: "matrix-auth-elements" }).waitFor();
    assert.match(await site.page.locator(".vp-doc").innerText(), /refresh token/i);
    assert.deepEqual([...complaints], []);
  });

  it("Words that people search for find their page first", async () => {
    await site.newProfile();
    await goto("");
    await site.page.keyboard.press("Control+k");
    const field = site.page.locator("#localsearch-input");
    await field.waitFor();
    const first = site.page.locator("#localsearch-list .selected");
    for (const [words, page] of [
      ["iframe", "guides/embed"],
      ["cookies", "guides/storage-and-privacy"],
      ["csp", "guides/(content-security-policy|strict-page)"],
      ["sri", "(guides/(strict-page|cdn)|reference/entry-points)"],
      ["i18n", "guides/languages"],
      ["rtl", "guides/languages"],
      ["avatar", "(guides/name-and-picture|reference/elements/matrix-account)"],
      ["docker", "guides/development-homeserver"],
      ["unit test", "guides/test-(your|a-react)-app"],
    ] as const) {
      await field.fill(words);
      const found = new RegExp(`/docs/${page}\\.html`);
      await waitForTrue(`${words} → ${page}`, async () =>
        found.test((await first.getAttribute("href")) ?? ""),
      );
    }
  });

  it("Each element is live on its reference page and on the front page", async () => {
    await site.newProfile();
    for (const [path, role, name] of [
      ["", "textbox", "Password"],
      ["docs/reference/elements/oidc-login.html", "button", "Sign in"],
      ["docs/reference/elements/matrix-account.html", "heading", "Devices"],
      ["docs/reference/elements/uia-dialog.html", "button", "Sign out the old laptop"],
    ] as const) {
      await goto(path);
      const [, tag] = /elements\/(.+)\.html/.exec(path) ?? [];
      if (tag) await site.page.locator("h1", { hasText: `<${tag}>` }).waitFor();
      const live = site.page.frameLocator("iframe.live");
      await live.getByRole(role, { name, exact: true }).waitFor();
    }
    assert.deepEqual([...complaints], []);
  });

  it("The first link of a page skips its navigation", async () => {
    await site.newProfile();
    await goto("");
    await site.page.keyboard.press("Tab");
    await site.page.keyboard.press("Enter");
    await site.page.waitForURL(/#VPContent$/);
  });

  it("The switch makes a page and its picture dark, even after a reload", async () => {
    await site.newProfile();
    await goto("docs/guides/account-page.html");
    const isDark = async (): Promise<void> => {
      await site.page.locator("html.dark").waitFor();
      await site.page.locator("img.picture-dark").waitFor({ state: "visible" });
      await site.page.locator("img.picture-light").waitFor({ state: "hidden" });
    };
    await site.page.locator("img.picture-light").waitFor({ state: "visible" });
    await site.page.locator(".VPNavBarAppearance button").click();
    await isDark();
    await site.page.reload();
    await isDark();
    assert.deepEqual([...complaints], []);
  });

  it("A page of each folder sends no request to another host, and logs nothing", async () => {
    await site.newProfile();
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
    // Only the colors differ from the light scheme.
    ["dark", ["color-contrast"], ["", "docs/guides/one-provider.html"]],
  ] as const) {
    it(`axe finds no fault on the site's pages in the ${scheme} scheme`, async () => {
      await site.newProfile({ colorScheme: scheme });
      for (const path of paths) {
        await goto(path);
        assert.deepEqual(await site.whatAxeFinds(rules), [], path);
      }
      assert.deepEqual([...complaints], []);
    });
  }
});
