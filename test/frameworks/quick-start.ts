// The quick starts of the documentation, as printed.
import assert from "node:assert/strict";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { serverCommand, type QuickStart } from "../docs/quick-start.js";
import type { Tab } from "../e2e/driver/driver.js";
import { useBrowser } from "../e2e/fixture.js";
import { startTestbed, type Testbed } from "../e2e/testbed.js";
import { atProvider, waitForPageText, waitForState } from "../e2e/user-actions.js";
import { waitFor } from "../support/wait-for.mjs";
import type { QuickStartPage } from "./frameworks.js";
import { startServer, type FrameworkServer } from "./server.js";

/** What development servers and browsers write, which no page can prevent. */
const EXPECTED =
  /Lit is in dev mode|Failed to load resource: the server responded with a status of 40[014]/;

/** Tests the app that `follow()` has made of a page. */
export function testQuickStart({
  page,
  app,
  project,
  run,
  provider,
  edited,
  options = [],
  isStatic = false,
}: QuickStartPage & QuickStart): void {
  describe(page, { timeout: 300_000 }, () => {
    const browser = useBrowser();
    let bed: Testbed;
    let server: FrameworkServer;
    before(async () => {
      bed = await startTestbed();
      const [command, ...args] = serverCommand(run);
      server = await startServer(app, [command, ...args, ...options], project);
    });
    after(() => Promise.all([bed.close(), server?.close()]));

    const waitForSignedIn = async (tab: Tab): Promise<void> => {
      await waitForPageText(tab, "Signed in as @alice:");
      await tab.reload();
      await waitForPageText(tab, "Signed in as @alice:");
    };
    const signOut = (tab: Tab): Promise<void> => tab.click("button");
    const assertQuiet = (tab: Tab): void =>
      assert.deepEqual(
        tab.warnings.filter((warning) => !EXPECTED.test(warning)),
        [],
      );

    it("signs in to a homeserver that the user enters, stays signed in after a reload, and signs out", async () => {
      // A development server prepares what the page imports, and may reload it then: the first time.
      const first = await browser.profile.newTab();
      const open = async (): Promise<boolean> => {
        await first.goto(server.origin);
        await first.waitFor("matrix-login input[name=homeserver]");
        return true;
      };
      const isPrepared = (): Promise<boolean> => open().catch(() => false);
      await waitFor("The server has not prepared the page", isPrepared, 120_000);

      const tab = await browser.profile.newTab();
      await tab.goto(server.origin);
      await tab.type("matrix-login input[name=homeserver]", bed.homeserver);
      await waitForState(tab, "matrix-login", "ready");
      await tab.run(`void (${pressProvider.toString()})()`);
      await atProvider.signIn(tab);
      await waitForSignedIn(tab);
      await signOut(tab);
      await tab.waitFor("matrix-login input[name=homeserver]");
      assertQuiet(tab);
    });

    if (provider === undefined) return;
    it("signs in with one provider, in a page that is open while its module is edited", async () => {
      const tab = await browser.profile.newTab();
      await tab.goto(server.origin);
      await tab.waitFor("matrix-login input[name=homeserver]");
      await tab.run("void (window.isSamePage = true)");

      const module = join(app, edited);
      const text = await readFile(module, "utf8");
      const replacement = provider.replace("example.org", bed.homeserver);
      const changed = text
        .replace(/<(matrix-login|MatrixLogin)\b[^]*?(\/>|<\/matrix-login>)/, replacement)
        .replace("import { MatrixLogin }", "import { MatrixLogin, OidcCallback, OidcLogin }");
      assert.notEqual(changed, text);
      // As editors save: a server could read a file that is written in place while it is still empty.
      await writeFile(`${module}.new`, changed);
      await rename(`${module}.new`, module);

      if (isStatic) await tab.reload();
      await waitForState(tab, "oidc-login", "ready");
      assert.equal(await tab.run("window.isSamePage ?? false"), !isStatic);
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await waitForSignedIn(tab);
      await signOut(tab);
      await tab.waitFor("oidc-login");
      assertQuiet(tab);
    });
  });
}

/** Runs in the page. */
function pressProvider(): void {
  const login = document.querySelector("matrix-login")?.shadowRoot?.querySelector("oidc-login");
  login?.shadowRoot?.querySelector("button")?.click();
}
