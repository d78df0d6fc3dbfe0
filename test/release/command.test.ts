// `npx matrix-auth-elements`, from the packed package.
import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { useBrowser } from "../e2e/fixture.js";
import { useProviderButton, waitForPageText, waitForState } from "../e2e/user-actions.js";
import { install, type Installation } from "./installation.js";
import { freePort } from "../support/ports.mjs";
import { SUITE } from "../support/wait-for.mjs";

const exec = promisify(execFile);

interface Exit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe("npx matrix-auth-elements", SUITE, () => {
  const browser = useBrowser();
  let installation: Installation;
  let command: string;
  let port: number;
  let running: ChildProcessWithoutNullStreams;
  let output = "";

  const run = (...args: readonly string[]): Promise<Exit> =>
    exec(command, args).then(
      (done) => ({ ...done, code: 0 }),
      (failed: Exit) => failed,
    );

  before(async () => {
    installation = await install();
    command = join(installation.folder, "node_modules/.bin/matrix-auth-elements");
    port = await freePort(3);
    running = spawn(command, ["--port", String(port)]);
    let errors = "";
    running.stderr.on("data", (chunk) => (errors += String(chunk)));
    await new Promise<void>((started, failed) => {
      running.stdout.on("data", (chunk) => {
        output += String(chunk);
        if (output.includes("Ctrl+C")) started();
      });
      running.once("close", () => failed(new Error(`The command has ended: ${errors}`)));
    });
  });
  after(async () => {
    running?.kill();
    await installation?.remove();
  });

  it("The command prints its page, the homeservers, the accounts, and how to stop", () => {
    for (const text of [
      `Open http://127.0.0.1:${port + 2}`,
      `localhost:${port} `,
      `localhost:${port + 1} `,
      "alice   alice-demo-password",
      "Stop with Ctrl+C.",
    ]) {
      assert.ok(output.includes(text), `${text} is not in ${output}`);
    }
  });

  it("A user signs in on the page with a password, changes the account, and signs out", async () => {
    const tab = await browser.profile.newTab();
    await tab.goto(`http://127.0.0.1:${port + 2}`);
    await tab.type("matrix-login input[name=homeserver]", `localhost:${port + 1}`);
    await waitForState(tab, "matrix-login", "ready");
    await tab.type("matrix-login [name=username]", "alice");
    await tab.type("matrix-login [name=password]", "alice-demo-password");
    await tab.press("Enter");
    await waitForPageText(tab, `Signed in as @alice:localhost:${port + 1}`);
    await waitForState(tab, "matrix-account", "ready");
    await tab.click("#signed-in button");
    await tab.waitForTrue("document.querySelector('matrix-login').checkVisibility()");
    // Browsers log the 404 responses to the requests for a provider's metadata.
    const warnings = tab.warnings.filter((each) => !each.includes("status of 404"));
    assert.deepEqual(warnings, []);
  });

  it("A user signs in on the page with the provider", async () => {
    const tab = await browser.profile.newTab();
    await tab.goto(`http://127.0.0.1:${port + 2}`);
    await tab.type("matrix-login input[name=homeserver]", `localhost:${port}`);
    await waitForState(tab, "matrix-login", "ready");
    await useProviderButton(tab, "click");
    await tab.waitForTrue("document.querySelector('a')?.textContent === 'Continue'");
    await tab.click("a");
    await waitForPageText(tab, `Signed in as @alice:localhost:${port}`);
  });

  it("matrix-js-sdk's client lists the rooms, with encryption", async () => {
    const script = `
      Promise.withResolvers ??= () => {
        const made = {};
        made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
        return made;
      };
      const { createClient } = await import("matrix-js-sdk");
      const { loginWithPassword } = await import("matrix-auth-elements/core");
      const { homeserverUrl: baseUrl, ...user } = await loginWithPassword({
        homeserverUrl: "http://localhost:${port + 1}",
        identifier: { type: "m.id.user", user: "bob" },
        password: "bob-demo-password",
      });
      const client = createClient({ baseUrl, ...user });
      await client.initRustCrypto({ useIndexedDB: false });
      client.on("sync", (state) => {
        if (state !== "SYNCING") return;
        console.log(client.getRooms().map(({ name }) => name).sort().join());
        process.exit();
      });
      await client.startClient();`;
    const args = ["--input-type=module", "--eval", script];
    const { stdout } = await exec(process.execPath, args, { maxBuffer: 10_000_000 });
    assert.equal(stdout.trimEnd().split("\n").at(-1), "Harbor,Lighthouse");
  });

  it("With a port in use or wrong options, the command ends with a message that explains the fix", async () => {
    const taken = await run("--port", String(port));
    assert.equal(taken.code, 1);
    assert.match(
      taken.stderr,
      new RegExp(`^Port ${port} is in use\\..*\\n\\n  npx .+ --port 9008\\n$`),
    );
    // Also if it is the second port; the first one is free again.
    const second = await run("--port", String(port - 1));
    assert.match(second.stderr, new RegExp(`^Port ${port} is in use`));
    for (const [args, message] of [
      [["--port", "70000"], '--port needs a number from 1 to 65533, not "70000".'],
      [["--port", "0"], '--port needs a number from 1 to 65533, not "0".'],
      [["--ports"], "Unknown option '--ports'"],
      [["demo"], "Unexpected argument 'demo'."],
    ] as const) {
      const { code, stderr } = await run(...args);
      assert.equal(code, 1);
      assert.ok(stderr.startsWith(message), stderr);
      assert.match(stderr, /\n\nUsage: npx matrix-auth-elements \[options\]\n/);
    }
    const { code, stdout } = await run("--help");
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: /);
  });

  it("With an old Node, the command names the version that it needs", async () => {
    const old = `Object.defineProperty(process, "versions", { value: { node: "18.20.8" } })`;
    const module = `data:text/javascript,${encodeURIComponent(old)}`;
    await assert.rejects(exec(process.execPath, ["--import", module, command]), {
      code: 1,
      stderr: "Install Node.js 20.3 or newer. This is 18.20.8.\n",
    });
  });

  it("Its servers listen only on this machine, and serve no files outside their folders", async () => {
    const page = `http://127.0.0.1:${port + 2}`;
    for (const path of ["/cdn/..%2fpackage.json", "/cdn/../../package.json", "/servers.js"]) {
      assert.equal((await fetch(page + path)).status, 404, path);
    }
    assert.equal((await fetch(`${page}/cdn/locales/de.js`)).status, 200);
    const strange = await fetch(`http://localhost:${port}//other.example/_matrix/client/versions`);
    assert.equal(strange.status, 404);
  });

  it("The command's files are at most 14 KB in the package", async () => {
    const folder = join(installation.folder, "node_modules/matrix-auth-elements/bin");
    const sizes = (await readdir(folder)).map(
      async (name) => (await lstat(join(folder, name))).size,
    );
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    assert.ok(total <= 14_000, String(total));
  });

  it("Ctrl+C stops it", async () => {
    running.kill("SIGINT");
    assert.deepEqual(await once(running, "exit"), [0, null]);
  });
});
