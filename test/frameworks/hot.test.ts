// What a developer does: edits the app while its page is open. Vite puts the new module in by itself.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { startChromium } from "../e2e/driver/chromium.js";
import type { Driver } from "../e2e/driver/driver.js";
import { FRAMEWORKS } from "./frameworks.js";

const MODULES: Readonly<Record<string, string>> = {
  Vue: "src/App.vue",
  React: "src/App.tsx",
  Svelte: "src/App.svelte",
  Preact: "src/App.tsx",
  Solid: "src/App.tsx",
};

describe("An app that is edited while its page is open", { timeout: 300_000 }, () => {
  let driver: Driver;
  before(async () => {
    driver = await startChromium();
  });
  after(() => driver.close());

  for (const { name, app } of FRAMEWORKS) {
    const module = MODULES[name];
    // Angular has a server of its own, which is not tried.
    if (module === undefined) continue;
    it(`goes on with its elements in ${name}, and the console stays empty`, async () => {
      const home = dirname(app);
      const folder = await mkdtemp(resolve("test/frameworks", "hot-"));
      let server: ChildProcess | undefined;
      const profile = await driver.newProfile();
      try {
        for (const part of ["src", "public", "index.html", "package.json", "vite.config.ts"]) {
          await cp(join(home, part), join(folder, part), { recursive: true });
        }
        await symlink(resolve(home, "node_modules"), join(folder, "node_modules"), "junction");
        const vite = resolve(home, "node_modules/vite/bin/vite.js");
        server = spawn(process.execPath, [vite, "--host", "localhost", "--port", "5199"], {
          cwd: folder,
          env: { ...process.env, NO_COLOR: "1" },
          stdio: ["ignore", "pipe", "inherit"],
        });
        const address = await addressOf(server);
        const tab = await profile.newTab();
        await tab.goto(address);
        await tab.waitForTrue("document.querySelector('oidc-login')?.shadowRoot != null");
        // Vite reloads the page once it has prepared what the app imports.
        await tab.waitForTrue("performance.now() > 3000");
        await tab.waitForTrue("document.querySelector('oidc-login')?.shadowRoot != null");
        await tab.run("void (window.element = customElements.get('oidc-login'))");

        const text = await readFile(join(folder, module), "utf8");
        assert.match(text, /<h1>Sign in<\/h1>/);
        await writeFile(join(folder, module), text.replace("<h1>Sign in</h1>", "<h1>Come in</h1>"));

        await tab.waitForTrue("document.querySelector('h1')?.textContent === 'Come in'");
        assert.ok(
          await tab.run("window.element === customElements.get('oidc-login')"),
          "the page was not loaded anew",
        );
        const login = "document.querySelector('oidc-login')";
        await tab.waitForTrue(`${login}.shadowRoot.querySelector("[part=button]") !== null`);
        await tab.type("[name=homeserver]", "nobody.invalid");
        await tab.waitForTrue(`${login}.homeserver === "nobody.invalid"`);
        // A name that nobody has; and what Lit says of itself wherever something is developed.
        const expected = /ERR_NAME_NOT_RESOLVED|Lit is in dev mode/;
        const warnings = tab.warnings.filter((each) => !expected.test(each));
        assert.deepEqual(warnings, []);
      } finally {
        await profile.close();
        if (server?.exitCode === null) {
          const ended = once(server, "exit");
          server.kill();
          await ended;
        }
        await rm(folder, { recursive: true });
      }
    });
  }
});

/** Where Vite says that it listens. */
function addressOf(server: ChildProcess): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    server.stdout?.on("data", (text: Buffer) => {
      said += text.toString();
      const [address] = /http:\/\/localhost:\d+\//.exec(said) ?? [];
      if (address) resolve(address);
    });
    server.on("exit", () => reject(new Error(`Vite ended: ${said}`)));
  });
}
