// Follows the documentation's quick starts as printed.
import assert from "node:assert/strict";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { addRoutes, serverCommand, type QuickStart, type Routes } from "../docs/quick-start.js";
import { type Tab, waitForTrue } from "../e2e/driver/driver.js";
import { useBrowser } from "../e2e/fixture.js";
import { startPasswordTestbed, type PasswordTestbed } from "../e2e/password-testbed.js";
import { startTestbed, type Testbed } from "../e2e/testbed.js";
import {
  atProvider,
  textOf,
  waitForAccountText,
  waitForPageText,
  waitForState,
} from "../e2e/user-actions.js";
import { waitFor } from "../support/wait-for.mjs";
import type { QuickStartPage } from "./frameworks.table.js";
import { startServer, type FrameworkServer } from "./server.js";

/** Development servers and browsers log these messages, which no page can prevent. */
const EXPECTED =
  /Lit is in dev mode|Failed to load resource: the server responded with a status of 40[014]/;

/** A development server prepares its pages in this time, even on a busy machine. */
const PREPARE_MS = 300_000;

/** A page that is connected to its development server shows an edit in about this time. */
const UPDATE_MS = 5000;

/** The time limit of a page's tests, with the time to prepare it. */
const PAGE_MS = 2 * PREPARE_MS;

/** Whether the console has none but the expected messages. */
const assertQuiet = (tab: Tab): void =>
  assert.deepEqual(
    tab.warnings.filter((warning) => !EXPECTED.test(warning)),
    [],
  );

/** A development server prepares a page's imports when a browser first opens it, and can then reload the page. */
async function waitForServer(tab: Tab, { origin }: FrameworkServer): Promise<void> {
  const open = async (): Promise<boolean> => {
    await tab.goto(origin);
    await tab.waitFor("matrix-login input[name=homeserver]");
    return true;
  };
  const isPrepared = (): Promise<boolean> => open().catch(() => false);
  await waitFor("The server has not prepared the page", isPrepared, PREPARE_MS);
}

async function editFile(app: string, file: string, edit: (text: string) => string): Promise<void> {
  const module = join(app, file);
  const text = await readFile(module, "utf8");
  const edited = edit(text);
  assert.notEqual(edited, text);
  // Editors save in this way, because a server could read a half-written file.
  await writeFile(`${module}.new`, edited);
  await rename(`${module}.new`, module);
}

/** Tests the app that `follow()` has made from a page. */
export function testQuickStart({
  page,
  app,
  project,
  run,
  provider,
  edited,
  options = [],
  isStatic = false,
  rendered,
  account,
}: QuickStartPage & QuickStart): void {
  describe(page, { timeout: PAGE_MS }, () => {
    const browser = useBrowser();
    let bed: Testbed;
    let server: FrameworkServer;
    before(async () => {
      bed = await startTestbed();
      if (rendered !== undefined) {
        await mkdir(join(app, dirname(rendered)), { recursive: true });
        await writeFile(join(app, rendered), RENDERED_PAGE);
      }
      for (const { file = "", text } of account) await writeFile(join(app, file), text);
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

    /** A page that has just loaded may not be connected yet, and then misses an edit. */
    const waitForUpdates = async (tab: Tab): Promise<void> => {
      let count = 0;
      const edit = async (): Promise<boolean> => {
        const mark = `data-edit="${(count += 1)}"`;
        await editFile(app, edited, (text) =>
          text.replace(/(<(?:matrix-login|MatrixLogin))( data-edit="\d+")?/, `$1 ${mark}`),
        );
        // Any of them: on a busy machine the page may show one late.
        const isShown = "document.querySelector('[data-edit]') !== null";
        return waitFor("No update", () => tab.run(isShown), UPDATE_MS).then(
          () => true,
          () => false,
        );
      };
      await waitForTrue("an edit that the page shows", edit);
    };

    it("signs in to a homeserver that the user enters, stays signed in after a reload, and signs out", async () => {
      await waitForServer(await browser.profile.newTab(), server);

      const tab = await browser.profile.newTab();
      await tab.goto(server.origin);
      await tab.type("matrix-login input[name=homeserver]", bed.homeserver);
      await tab.press("Enter");
      await waitForState(tab, "matrix-login", "ready");
      await tab.run(`void (${pressProvider.toString()})()`);
      await atProvider.signIn(tab);
      await waitForSignedIn(tab);
      if (account.length > 0) await waitForAccountText(tab, "This device");
      await signOut(tab);
      await tab.waitFor("matrix-login input[name=homeserver]");
      assertQuiet(tab);
    });

    if (rendered !== undefined) {
      it("hydrates the elements that a server has rendered, with their properties, without a warning", async () => {
        const url = `${server.origin}/${basename(dirname(rendered))}`;
        const html = await (await fetch(url)).text();
        const tags = [...html.matchAll(/<matrix-[^>]*>/g)].map(([tag]) => tag);
        assert.deepEqual(tags, [
          '<matrix-login client-name="My app" homeserver-locked="">',
          '<matrix-account class="account" sections="devices">',
        ]);

        const tab = await browser.profile.newTab();
        await tab.goto(url);
        await waitForState(tab, "matrix-account", "ready");
        const properties = await tab.run(`(${propertiesOf.toString()})(document)`);
        assert.deepEqual(properties, {
          login: ["My app", true, ["a.example"], { policy_uri: "https://app.example/privacy" }],
          account: ["devices", "account", "@alice:a.example", ["LAPTOP"]],
        });
        assertQuiet(tab);
      });
    }

    if (provider === undefined) return;
    it("signs in with one provider on a page that is open while its module is edited", async () => {
      const tab = await browser.profile.newTab();
      await tab.goto(server.origin);
      await tab.waitFor("matrix-login input[name=homeserver]");
      await tab.run("void (window.isSamePage = true)");
      if (!isStatic) await waitForUpdates(tab);

      const replacement = provider.replace("example.org", bed.homeserver);
      await editFile(app, edited, (text) =>
        text
          .replace(/<(matrix-login|MatrixLogin)\b[^]*?(\/>|<\/matrix-login>)/, replacement)
          .replace(/import \{ (?=[^}]*\bMatrixLogin\b)/, "import { OidcCallback, OidcLogin, "),
      );

      // The server may notice the edited file only after the first reload.
      if (isStatic) {
        await waitForTrue("the edited page", async () => {
          await tab.reload();
          return tab.run("document.querySelector('oidc-login') !== null");
        });
      }
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

/** Tests the routes that a part of the documentation adds to the app. */
export function testRoutes(routes: Routes, start: QuickStart): void {
  describe(`The routes of ${routes.page}`, { timeout: PAGE_MS }, () => {
    const browser = useBrowser();
    let bed: Testbed;
    let server: FrameworkServer;
    before(async () => {
      await addRoutes(routes, start);
      bed = await startTestbed();
      const [command, ...args] = serverCommand(start.run);
      server = await startServer(start.app, [command, ...args], start.project);
    });
    after(() => Promise.all([bed.close(), server?.close()]));

    it("let only a signed-in user in, who returns to the page after the sign-in, and signs out", async () => {
      await waitForServer(await browser.profile.newTab(), server);
      const tab = await browser.profile.newTab();
      const isAt = (route: string): Promise<void> =>
        tab.waitForTrue(`location.href.includes("${route}")`);
      await tab.goto(server.origin);
      await isAt("/login?returnTo=");
      await tab.type("matrix-login input[name=homeserver]", bed.homeserver);
      await tab.press("Enter");
      await waitForState(tab, "matrix-login", "ready");
      await tab.run(`void (${pressProvider.toString()})()`);
      await atProvider.signIn(tab);
      await waitForAccountText(tab, "This device");
      await isAt("/devices");
      await tab.reload();
      await waitForAccountText(tab, "This device");
      await tab.run("void document.querySelector('matrix-account').session.signOut()");
      await tab.waitFor("matrix-login input[name=homeserver]");
      await isAt("/login");
      assertQuiet(tab);
    });
  });
}

/** Tests the account page that a guide has added to the app. */
export function testAccountPage({
  accountPage = "",
  app,
  project,
  run,
}: QuickStartPage & QuickStart): void {
  describe(`${accountPage}, with React 18`, { timeout: PAGE_MS }, () => {
    const browser = useBrowser();
    let bed: PasswordTestbed;
    let server: FrameworkServer;
    before(async () => {
      bed = await startPasswordTestbed();
      const [command, ...args] = serverCommand(run);
      server = await startServer(app, [command, ...args], project);
    });
    after(() => Promise.all([bed.close(), server?.close()]));

    it("signs in and out in every tab, shows the account, and signs out other devices, without a listener", async () => {
      for (const file of ["src/App.tsx", "src/Account.tsx"]) {
        assert.doesNotMatch(
          await readFile(join(app, file), "utf8"),
          /addEventListener|onMatrix|onUia/,
        );
      }
      const other = await browser.profile.newTab();
      await waitForServer(other, server);
      const tab = await browser.profile.newTab();
      await tab.goto(server.origin);
      await tab.type("matrix-login input[name=homeserver]", bed.homeserver.baseUrl);
      await tab.type("matrix-login [name=username]", "alice");
      await tab.type("matrix-login [name=password]", "alice-demo-password");
      await tab.press("Enter");
      await waitForPageText(tab, "Signed in as @alice:");
      await waitForPageText(other, "Signed in as @alice:");
      await waitForAccountText(tab, "KITCHEN");

      await tab.run("void [...document.querySelectorAll('button')].at(-1).click()");
      await tab.type("uia-dialog [name=password]", "alice-demo-password");
      await tab.press("Enter");
      await waitForPageText(tab, "They are signed out.");

      await tab.reload();
      await waitForAccountText(tab, "This device");
      assert.doesNotMatch(await textOf(tab, "matrix-account"), /KITCHEN/);
      await tab.click("button");
      await tab.waitFor("matrix-login input[name=homeserver]");
      await other.waitFor("matrix-login input[name=homeserver]");
      assertQuiet(tab);
    });
  });
}

/** A page whose elements are in the first rendering, with properties of every kind. */
const RENDERED_PAGE = `"use client";
import { MatrixAccount, MatrixLogin } from "matrix-auth-elements/react";

const client = {
  whoami: async () => ({ user_id: "@alice:a.example", device_id: "LAPTOP" }),
  getCapabilities: async () => ({}),
  getAuthMetadata: () => Promise.reject({ errcode: "M_UNRECOGNIZED", httpStatus: 404 }),
  getDevices: async () => ({ devices: [{ device_id: "LAPTOP" }] }),
  deleteMultipleDevices: async () => ({}),
};

export default function Page() {
  return (
    <main>
      <MatrixLogin
        clientName="My app"
        homeserverLocked
        suggestions={["a.example"]}
        clientMetadata={{ policy_uri: "https://app.example/privacy" }}
      >
        <h1 slot="heading">Sign in</h1>
      </MatrixLogin>
      <MatrixAccount client={client} sections="devices" className="account">
        <h2 slot="heading">Your account</h2>
      </MatrixAccount>
    </main>
  );
}
`;

/** Runs in the page. */
function propertiesOf(page: Document): object {
  const login = page.querySelector("matrix-login");
  const account = page.querySelector("matrix-account");
  return {
    login: [login?.clientName, login?.homeserverLocked, login?.suggestions, login?.clientMetadata],
    account: [
      account?.sections,
      account?.className,
      account?.userId,
      account?.devices.map(({ device_id }) => device_id),
    ],
  };
}

/** Runs in the page. */
function pressProvider(): void {
  const login = document.querySelector("matrix-login")?.shadowRoot?.querySelector("oidc-login");
  login?.shadowRoot?.querySelector("button")?.click();
}
