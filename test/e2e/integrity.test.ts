// The recipes of docs/reference/entry-points.md#integrity, under the policies of docs/guides/content-security-policy.md.
import assert from "node:assert/strict";
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import { startPages } from "../../demo/server/pages.js";
import { waitForTrue, type Tab } from "./driver/driver.js";
import { needs, sameInEveryEngine } from "./driver/engine.js";
import { useBrowser } from "./fixture.js";
import { policyOf, type Policy } from "./policy.js";
import { assertNoViolations } from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

const HOMESERVER = "http://localhost:1";
const CHANGE = "\n;globalThis.changed = true;\n";
/** Blocks all scripts without a hash. */
const STRICT = { "Integrity-Policy": "blocked-destinations=(script)" };

interface Options {
  readonly policy?: Policy;
  readonly headers?: Readonly<Record<string, string>>;
  /** The page's path. */
  readonly path?: string;
}

describe("A page with the hashes of dist/cdn", { ...SUITE, ...sameInEveryEngine }, () => {
  const browser = useBrowser();
  let folder: string;
  let tab: Tab;
  let close: (() => Promise<void>) | undefined;
  /** The two parts of integrity.html. */
  let classic = "";
  let modules = "";

  before(async () => {
    const html = await readFile("dist/cdn/integrity.html", "utf8");
    [classic = "", modules = ""] = html.split("\n\n");
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
    await cp("dist/cdn", folder, { recursive: true });
    await cp("test/e2e/pages/violations.js", join(folder, "violations.js"));
    tab = await browser.profile.newTab();
  });
  afterEach(async () => {
    await close?.();
    await rm(folder, { recursive: true });
  });

  const open = async (
    scripts: string,
    { policy = "script tag", headers = {}, path = "page.html" }: Options,
  ): Promise<void> => {
    const origins = { homeserver: HOMESERVER, issuer: HOMESERVER };
    const pages = await startPages({
      roots: { "/": folder },
      headers: { "Content-Security-Policy": policyOf(policy, origins), ...headers },
    });
    close = pages.close;
    await writeFile(
      join(folder, path),
      `<!doctype html><title>Hashes</title><link rel="icon" href="/icon.svg" />
      <script src="/violations.js"></script>
      ${scripts}
      <oidc-login></oidc-login>`,
    );
    await tab.goto(`${pages.origin}/${path}`);
    await tab.waitForTrue("document.readyState === 'complete'");
  };
  /** Presses the button, which loads login.js, and waits for its error: its settings are missing. */
  const pressAndWaitFor = async (code: "homeserver_missing" | "load_failed"): Promise<void> => {
    const login = "document.querySelector('oidc-login')";
    await tab.waitForTrue(`${login}.shadowRoot?.querySelector('button') != null`);
    await tab.run(`void ${login}.shadowRoot.querySelector('button').click()`);
    await tab.waitForTrue(`${login}.error?.code === '${code}'`);
  };
  const change = (file: string): Promise<void> => appendFile(join(folder, file), CHANGE);
  const hasRunChange = (): Promise<boolean> => tab.run("'changed' in globalThis");
  const reports = (): readonly string[] =>
    tab.warnings.filter((text) =>
      /^matrix-auth-elements: the files that .+ not checked/.test(text),
    );
  const waitForReport = (): Promise<void> =>
    waitForTrue("the report", () => reports().length === 1);

  describe("for the single file without modules", () => {
    it('loads it under "script tag", and no other file', async () => {
      await open(classic, {});
      await pressAndWaitFor("homeserver_missing");
      const names = await tab.run<readonly string[]>(
        `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)`,
      );
      const scripts = names.filter((name) => name.endsWith(".js") && name !== "/violations.js");
      assert.deepEqual(scripts, ["/matrix-auth-elements.global.js"]);
      await assertNoViolations(tab);
    });

    it("needs no other file for phone numbers and for keys", async () => {
      const text = await readFile("dist/cdn/matrix-auth-elements.global.js", "utf8");
      assert.doesNotMatch(text, /\bimport\s*\(/);
    });

    it("runs no code of a changed file", async () => {
      await change("matrix-auth-elements.global.js");
      await open(classic, {});
      assert.equal(await tab.run("'MatrixAuthElements' in window"), false);
      assert.equal(await hasRunChange(), false);
    });
  });

  describe("for modules", () => {
    it('loads them under "hashes", with Integrity-Policy too, and reports nothing', async () => {
      await open(modules, { policy: "hashes" });
      await pressAndWaitFor("homeserver_missing");
      await assertNoViolations(tab);
      assert.deepEqual(tab.warnings, []);
      await close?.();
      await open(modules, { policy: "hashes", headers: STRICT });
      await pressAndWaitFor("homeserver_missing");
      assert.deepEqual(reports(), []);
    });

    for (const file of ["matrix-auth-elements.js", "login.js"]) {
      it(`runs no code of a changed ${file} under "hashes"`, async () => {
        await change(file);
        await open(modules, { policy: "hashes" });
        if (file === "login.js") await pressAndWaitFor("load_failed");
        assert.equal(await hasRunChange(), false);
      });
    }

    describe("if its import map is not in effect", needs("reading the console"), () => {
      it("reports a map that the policy blocks", async () => {
        await open(modules, { policy: "script tag" });
        await waitForReport();
        assert.match(reports()[0] ?? "", /\/matrix-auth-elements\.js loads .*#integrity$/);
      });

      it("blocks parts without a hash if the page sends Integrity-Policy", async () => {
        await change("login.js");
        await open(modules, { policy: "script tag", headers: STRICT });
        await waitForReport();
        await pressAndWaitFor("load_failed");
        assert.equal(await hasRunChange(), false);
      });

      it("reports a map whose paths lead to another folder", async () => {
        const script = modules.replace('src="./', 'src="../');
        await open(script, { policy: "hashes", path: "locales/page.html" });
        await waitForReport();
      });

      it("reports a script with a hash and without a map", async () => {
        await open(modules.replace(/<script type="importmap">.+?<\/script>/, ""), {});
        await waitForReport();
      });

      it("reports a map without the files of an element's own file", async () => {
        const own = modules.replace(
          /src="\.\/matrix-auth-elements\.js" integrity="[^"]+"/,
          'src="./elements/oidc-login.js"',
        );
        await open(own, { policy: "hashes" });
        await waitForReport();
      });
    });

    it("reports nothing if the page has no hashes", needs("reading the console"), async () => {
      await open('<script type="module" src="./matrix-auth-elements.js"></script>', {});
      await pressAndWaitFor("homeserver_missing");
      assert.deepEqual(reports(), []);
    });

    for (const element of [
      "matrix-account",
      "matrix-login",
      "oidc-callback",
      "oidc-login",
      "uia-dialog",
      "uia-fallback-frame",
    ]) {
      it(`checks the files of elements/${element}.js with the map integrity.json`, async () => {
        const map = await readFile("dist/cdn/integrity.json", "utf8");
        const script = `<script type="importmap">${map}</script>
          <script type="module" src="./elements/${element}.js"></script>
          <${element}></${element}>`;
        const { "integrity.json": source = "" } = JSON.parse(
          await readFile("dist/cdn/integrity.csp.json", "utf8"),
        ) as Readonly<Record<string, string>>;
        const policy = `script-src 'self' ${source}`;
        await open(script, { headers: { "Content-Security-Policy": policy } });
        await tab.waitForTrue(`customElements.get("${element}") !== undefined`);
        await assertNoViolations(tab);
        assert.deepEqual(reports(), []);
      });
    }
  });
});
