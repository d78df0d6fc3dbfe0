// What docs/get-started/frameworks.md says of React 18, on a page that is bundled with it and with React 19.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { build } from "esbuild";
import { startPages } from "../../demo/server/pages.js";
import { useBrowser } from "../e2e/fixture.js";
import { chosen } from "./frameworks.js";

const PAGE = resolve("test/frameworks/react-18");

describe("The hook for React 18", { timeout: 300_000 }, () => {
  const browser = useBrowser();
  if (!chosen.includes("react")) return;

  for (const [version, home] of [
    [18, PAGE],
    [19, resolve("demo/react")],
  ] as const) {
    it(`sets attributes and properties, and adds each listener once, with React ${version}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
      const modules = join(home, "node_modules");
      await build({
        entryPoints: [join(PAGE, "page.tsx")],
        bundle: true,
        splitting: true,
        format: "esm",
        jsx: "automatic",
        outdir: folder,
        // It says that types have nothing to bundle.
        logLevel: "error",
        define: { "process.env.NODE_ENV": '"production"' },
        alias: { react: join(modules, "react"), "react-dom": join(modules, "react-dom") },
      });
      await writeFile(
        join(folder, "index.html"),
        `<!doctype html><html lang="en"><title>React</title><link rel="icon" href="data:," />
         <div id="app"></div><script type="module" src="page.js"></script></html>`,
      );
      const pages = await startPages({ roots: { "/": folder } });
      try {
        const tab = await browser.profile.newTab();
        await tab.goto(`${pages.origin}/`);
        await tab.waitFor("oidc-login");
        await tab.run(`void (window.login = document.querySelector("oidc-login"))`);
        await tab.waitForTrue("login.clientMetadata?.clientName === 'After none'");
        assert.deepEqual(
          await tab.run("[login.clientId, login.disabled, login.className, login.homeserver]"),
          ["client", false, "wide", "https://["],
        );
        await tab.run(`void (window.errors = 0,
          new MutationObserver(() => errors++).observe(document.querySelector("p"),
            { childList: true, characterData: true, subtree: true }))`);
        await tab.click("oidc-login", "[part=button]");
        await tab.waitForTrue("document.querySelector('p').textContent !== 'none'");
        await tab.waitForTrue("login.clientMetadata.clientName !== 'After none'");
        assert.equal(await tab.run("errors"), 1);
        assert.deepEqual(tab.warnings, []);
      } finally {
        await pages.close();
        await rm(folder, { recursive: true });
      }
    });
  }
});
