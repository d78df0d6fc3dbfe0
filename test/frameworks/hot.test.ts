// What a developer does: edits the app while its page is open. Vite puts the new module in by itself.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { describe, it } from "node:test";
import { useBrowser } from "../e2e/fixture.js";
import { freePort } from "../interop/servers/process.js";
import { waitFor } from "../support/wait-for.mjs";
import { FRAMEWORKS } from "./frameworks.js";
import { startServer, type FrameworkServer } from "./server.js";

const LOGIN = 'document.querySelector("oidc-login")';

const HAS_BUTTON = `${LOGIN}?.shadowRoot?.querySelector("button") != null`;

/** The edited module of each app. Angular has another server, which is not tested. */
const MODULES: Readonly<Record<string, string>> = {
  Vue: "src/SignIn.vue",
  React: "src/SignIn.tsx",
  Svelte: "src/SignIn.svelte",
};

describe("A module that is edited while its page is open", { timeout: 300_000 }, () => {
  const browser = useBrowser();

  for (const { name, app } of FRAMEWORKS) {
    const edited = MODULES[name];
    if (edited === undefined || app === undefined) continue;
    it(`${name} puts the edited module in without a reload, and the console stays empty`, async () => {
      const folder = await mkdtemp(resolve("test/frameworks", "hot-"));
      let server: FrameworkServer | undefined;
      const { profile } = browser;
      try {
        const isSource = (path: string): boolean =>
          !["dist", "node_modules"].includes(basename(path));
        await cp(app, folder, { recursive: true, filter: isSource });
        await symlink(resolve(app, "node_modules"), join(folder, "node_modules"), "junction");
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

        const module = join(folder, edited);
        const text = await readFile(module, "utf8");
        assert.ok(text.includes("<h1>Sign in</h1>"));
        // As editors save: Vite could read a file that is written in place while it is still empty.
        await writeFile(`${module}.new`, text.replace("<h1>Sign in</h1>", "<h1>Welcome</h1>"));
        await rename(`${module}.new`, module);

        await tab.waitForTrue("document.querySelector('h1')?.textContent === 'Welcome'");
        assert.ok(await tab.run("window.element === customElements.get('oidc-login')"));
        await tab.type("[name=homeserver]", "nobody.invalid");
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
