// The quick starts without a framework, as printed. test/frameworks tests the others.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { ACCOUNTS } from "../../bin/servers.js";
import { startPages } from "../../demo/server/pages.js";
import { follow, serverCommand, startDemoServers } from "../docs/quick-start.js";
import { useBrowser } from "../e2e/fixture.js";
import { startPasswordTestbed } from "../e2e/password-testbed.js";
import { startTestbed } from "../e2e/testbed.js";
import { waitForTrue } from "../e2e/driver/driver.js";
import { atProvider, submitPassword, waitForPageText, waitForState } from "../e2e/user-actions.js";
import { SUITE, waitFor } from "../support/wait-for.mjs";
import { testQuickStart } from "../frameworks/quick-start.js";
import { startServer } from "../frameworks/server.js";

/** This project sets the version of Vite. */
const PROJECT = "demo/vue";

const HTML = "docs/get-started/html.md";

const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
after(() => rm(folder, { recursive: true }));

for (const start of [
  { page: "README.md" },
  { page: HTML, isStatic: true },
  // Vite reloads the page.
  { page: "docs/get-started/lit.md", edited: "src/my-app.ts", isStatic: true },
] as const) {
  const own = await mkdtemp(join(folder, "page-"));
  const app = await follow(start.page, own, PROJECT);
  testQuickStart({ edited: "index.html", ...start, ...app });
}

describe("The dialog of docs/get-started/html.md", SUITE, () => {
  const browser = useBrowser();

  it("signs out the user's other devices after the password was entered", async () => {
    const { app } = await follow(HTML, await mkdtemp(join(folder, "page-")), PROJECT);
    const pages = await startPages({ roots: { "/": app }, hostname: "127.0.0.1" });
    const bed = await startPasswordTestbed();
    try {
      const tab = await browser.profile.newTab();
      await tab.goto(`${pages.origin}/devices.html`);
      // The user has not signed in yet.
      await tab.type("matrix-login input[name=homeserver]", bed.homeserver.baseUrl);
      await waitForState(tab, "matrix-login", "ready");
      await tab.type("matrix-login [name=username]", "alice");
      await tab.type("matrix-login [name=password]", "alice-demo-password");
      await tab.press("Enter");
      await waitForPageText(tab, "Signed in as @alice:");
      await tab.goto(`${pages.origin}/devices.html`);
      await waitForTrue("a script that listens to the button", async () => {
        await tab.click("button");
        return tab.run("document.querySelector('uia-dialog').client !== undefined");
      });
      await submitPassword(tab);
      await waitForPageText(tab, "They are signed out.");
      assert.equal(bed.homeserver.servers.account("alice")?.devices.length, 1);
    } finally {
      await Promise.all([pages.close(), bed.close()]);
    }
  });
});

describe("docs/get-started/node.md", SUITE, () => {
  const browser = useBrowser();

  it("signs in with the browser that it opens, stays signed in, and signs out", async () => {
    const home = await mkdtemp(join(folder, "page-"));
    const { app, run } = await follow("docs/get-started/node.md", home, PROJECT);
    const opened = join(home, "opened");
    const opener = `#!/bin/sh\necho "$1" > ${opened}\n`;
    await writeFile(join(home, "xdg-open"), opener, { mode: 0o755 });
    const bed = await startTestbed();
    /** @returns The program's output. */
    const start = (argument: string): Promise<string> => {
      const [command = "", main = ""] = run.split(" ");
      const env = {
        ...process.env,
        HOME: home,
        PATH: [home, process.env["PATH"]].join(delimiter),
      };
      const stdio = ["ignore", "pipe", "inherit"] as const;
      return text(spawn(command, [main, argument], { cwd: app, env, stdio: [...stdio] }).stdout);
    };
    try {
      const output = start(bed.homeserver);
      const read = (): Promise<string> => readFile(opened, "utf8").catch(() => "");
      const url = await waitFor("The program opened no URL", read);
      const tab = await browser.profile.newTab();
      await tab.goto(url.trim());
      await atProvider.signIn(tab);
      assert.match(await output, /^Signed in as @alice:/);
      await rm(opened);
      assert.match(await start(bed.homeserver), /^Signed in as @alice:/);
      assert.equal(await read(), "");
      assert.equal(await start("--sign-out"), "Signed out\n");
    } finally {
      await bed.close();
    }
  });
});

describe("docs/get-started/matrix-js-sdk.md", SUITE, () => {
  const browser = useBrowser();

  it("compiles, shows the rooms after a sign-in and a reload, and signs out", async () => {
    const home = await mkdtemp(join(folder, "page-"));
    const page = "docs/get-started/matrix-js-sdk.md";
    const { app, project, run } = await follow(page, home, "demo/matrix-js-sdk");
    const servers = await startDemoServers();
    const server = await startServer(app, serverCommand(run), project);
    try {
      const tab = await browser.profile.newTab();
      await tab.goto(server.origin);
      await tab.type("matrix-login input[name=homeserver]", servers.passwords);
      await waitForState(tab, "matrix-login", "ready");
      await tab.type("matrix-login [name=username]", "alice");
      await tab.type("matrix-login [name=password]", ACCOUNTS.alice);
      await tab.press("Enter");
      const rooms = "2 rooms: Lighthouse, Harbor";
      await waitForPageText(tab, rooms);
      await tab.reload();
      await waitForPageText(tab, rooms);
      await tab.click("#leave");
      await tab.waitFor("matrix-login input[name=homeserver]");
    } finally {
      servers.close();
      await server.close();
    }
  });
});
