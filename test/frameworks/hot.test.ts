// What a developer does: edits the app while its page is open. Vite puts the new module in by itself.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { describe, it } from "node:test";
import type { Tab } from "../e2e/driver/driver.js";
import { useBrowser } from "../e2e/fixture.js";
import { freePort } from "../interop/servers/process.js";
import { waitFor } from "../support/wait-for.mjs";
import { FRAMEWORKS } from "./frameworks.js";
import { startServer, type FrameworkServer } from "./server.js";

/** What is edited, and what shows it. */
interface Edit {
  readonly module: string;
  readonly text: string;
  readonly edited: string;
  readonly isShown: string;
  /** What sets the homeserver to `nobody.invalid` then. */
  readonly go: (tab: Tab) => Promise<void>;
}

const inApp = (module: string): Edit => ({
  module,
  text: "<h1>Sign in</h1>",
  edited: "<h1>Welcome</h1>",
  isShown: "document.querySelector('h1')?.textContent === 'Welcome'",
  go: (tab) => tab.type("[name=homeserver]", "nobody.invalid"),
});

const IN_PAGE: Edit = {
  module: "Contract.tsx",
  text: "Label {",
  edited: "Text {",
  isShown: "document.querySelector('#login')?.innerText === 'Text 1'",
  go: (tab) => tab.run("page.show({ homeserver: 'nobody.invalid' })"),
};

/** The app has one; the contract's page has another before it, without a homeserver. */
const LOGIN = 'document.querySelector("#login, oidc-login:not([id])")';

const HAS_BUTTON = `${LOGIN}?.shadowRoot?.querySelector("button") != null`;

const EDITS: Readonly<Record<string, Edit>> = {
  Vue: inApp("src/SignIn.vue"),
  React: inApp("src/SignIn.tsx"),
  Svelte: inApp("src/SignIn.svelte"),
  Preact: IN_PAGE,
  Solid: IN_PAGE,
};

describe("A module that is edited while its page is open", { timeout: 300_000 }, () => {
  const browser = useBrowser();

  for (const { name, app, contract } of FRAMEWORKS) {
    const edit = EDITS[name];
    // Angular has a server of its own, which is not tried.
    if (edit === undefined) continue;
    it(`${name} puts the edited module in without a reload, and the console stays empty`, async () => {
      const home = app ?? dirname(contract);
      const folder = await mkdtemp(resolve("test/frameworks", "hot-"));
      let server: FrameworkServer | undefined;
      const { profile } = browser;
      try {
        const isSource = (path: string): boolean =>
          !["dist", "node_modules"].includes(basename(path));
        await cp(home, folder, { recursive: true, filter: isSource });
        await symlink(resolve(home, "node_modules"), join(folder, "node_modules"), "junction");
        const port = String(await freePort());
        server = await startServer(folder, ["vite", "--host", "localhost", "--port", port]);
        const url = `${server.origin}/`;
        // Vite prepares what the page imports, and may reload it then: the first time.
        const first = await profile.newTab();
        const isLoaded = (): Promise<boolean> =>
          first.goto(url).then(
            () => true,
            () => false,
          );
        await waitFor("Vite has not prepared the page", isLoaded, 90_000);
        await first.waitForTrue(HAS_BUTTON);
        const tab = await profile.newTab();
        await tab.goto(url);
        await tab.waitForTrue(HAS_BUTTON);
        await tab.run("void (window.element = customElements.get('oidc-login'))");

        const module = join(folder, edit.module);
        const text = await readFile(module, "utf8");
        assert.ok(text.includes(edit.text));
        await writeFile(module, text.replace(edit.text, edit.edited));

        await tab.waitForTrue(edit.isShown);
        assert.ok(await tab.run("window.element === customElements.get('oidc-login')"));
        await edit.go(tab);
        await tab.waitForTrue(`${LOGIN}.homeserver === "nobody.invalid"`);
        // A name that nobody has; and what Lit says of itself wherever something is developed.
        const expected = /ERR_NAME_NOT_RESOLVED|Lit is in dev mode/;
        const warnings = tab.warnings.filter((each) => !expected.test(each));
        assert.deepEqual(warnings, []);
      } finally {
        await server?.close();
        await rm(folder, { recursive: true });
      }
    });
  }
});
