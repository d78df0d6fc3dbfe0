import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { startPages } from "../../demo/server/pages.js";
import { needs, shown, startBrowser } from "./driver/engine.js";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { waitForState, atProvider, textOf, waitForClosed } from "./user-actions.js";
import { folder, startTestbed, type Testbed } from "./testbed.js";

const REGISTRATION = "POST /oauth2/registration";

interface Heard {
  readonly type: string;
  readonly code?: string;
  readonly reason?: string;
}

describe("Signing in in a window", { timeout: 300_000 }, () => {
  let driver: Driver;
  let bed: Testbed;
  let profile: Profile;
  let tab: Tab;

  before(async () => {
    driver = await startBrowser();
  });
  after(() => driver.close());
  beforeEach(async () => {
    bed = await startTestbed();
    profile = await driver.newProfile();
    tab = await profile.newTab();
  });
  afterEach(async () => {
    await profile.close();
    await bed.close();
  });

  const address = (attributes: Record<string, string> = {}): string => {
    const query = new URLSearchParams({ homeserver: bed.homeserver, mode: "popup", ...attributes });
    return `${bed.pages}/login.html?${query.toString()}`;
  };
  const openLogin = async (attributes?: Record<string, string>): Promise<void> => {
    await tab.goto(address(attributes));
    await waitForState(tab, "oidc-login", "ready");
  };
  const clickButton = (): Promise<Tab> => tab.clickOpening("oidc-login", "[part=button]");
  const outcomes = async (): Promise<readonly Heard[]> =>
    (await tab.run<readonly Heard[]>("window.heard")).filter(
      ({ type }) => !["oidc-login-start", "oidc-redirect"].includes(type),
    );
  const hears = async (outcome: Heard): Promise<void> => {
    await tab.waitForTrue(
      `window.heard.some(({ type }) => type === ${JSON.stringify(outcome.type)})`,
    );
    assert.deepEqual(await outcomes(), [outcome]);
  };
  const whoami = (): Promise<{ user_id: string }> =>
    tab.run("document.querySelector('oidc-login').client.whoami()");

  it("leaves the page where it is, closes the window, and tells of it once", async () => {
    await openLogin();
    const provider = await clickButton();
    await waitForState(tab, "oidc-login", "waiting");
    await atProvider.signIn(provider);
    await hears({ type: "oidc-success" });
    assert.match((await whoami()).user_id, /^@alice:/);
    await tab.waitForTrue("document.querySelector('oidc-login').state === 'ready'");
    await waitForClosed(provider, tab);
    assert.equal(await tab.run("sessionStorage.length"), 0);
    assert.deepEqual(tab.warnings, []);
    shown("window");
  });

  it("works where the provider's page cuts the window off", async () => {
    bed.faults[""] = { headers: { "Cross-Origin-Opener-Policy": "same-origin" } };
    await openLogin();
    const provider = await clickButton();
    await atProvider.signIn(provider);
    await hears({ type: "oidc-success" });
    assert.match((await whoami()).user_id, /^@alice:/);
  });

  it("stays in the window where the page changes what to sign in to in the same click", async () => {
    await openLogin();
    await tab.run(`void document.querySelector("oidc-login").addEventListener("oidc-login-start",
      ({ target }) => target.homeserver += "/")`);
    const provider = await clickButton();
    await atProvider.signIn(provider);
    await hears({ type: "oidc-success" });
    assert.match((await whoami()).user_id, /^@alice:/);
  });

  it("goes to return-to", async () => {
    await openLogin({ "return-to": "/alone.html" });
    await atProvider.signIn(await clickButton());
    await tab.waitForUrl("/alone.html");
  });

  it("tells a refusal, and a click begins again", async () => {
    await openLogin();
    await atProvider.refuse(await clickButton());
    await hears({ type: "oidc-cancel", reason: "refused" });
    await waitForState(tab, "oidc-login", "ready");
    await atProvider.signIn(await clickButton());
    await tab.waitForTrue("window.heard.at(-1).type === 'oidc-success'");
  });

  it("tells of a window that was closed, and a click begins again", async () => {
    await openLogin();
    const provider = await clickButton();
    await provider.waitFor("[name=username]");
    // Sooner it could be a window that is cut off.
    await new Promise((resolve) => setTimeout(resolve, 3500));
    await provider.close();
    await hears({ type: "oidc-cancel", reason: "closed" });
    await waitForState(tab, "oidc-login", "ready");
    await atProvider.signIn(await clickButton());
    await tab.waitForTrue("window.heard.at(-1).type === 'oidc-success'");
  });

  it("registers once more after two closed windows, as the provider may have dropped the client", async () => {
    const closes = async (times: number): Promise<void> => {
      const provider = await clickButton();
      await provider.waitFor("[name=username]");
      await new Promise((resolve) => setTimeout(resolve, 3500));
      await provider.close();
      await tab.waitForTrue(
        `window.heard.filter(({ reason }) => reason === "closed").length === ${times}`,
      );
      await waitForState(tab, "oidc-login", "ready");
    };
    const registrations = (): number =>
      bed.takeRequests().filter((request) => request === REGISTRATION).length;
    await openLogin({ registration: "reuse" });
    await closes(1);
    assert.equal(registrations(), 1);
    await closes(2);
    assert.equal(registrations(), 0);
    await atProvider.signIn(await clickButton());
    await tab.waitForTrue("window.heard.at(-1).type === 'oidc-success'");
    assert.equal(registrations(), 1);
  });

  it("offers a link where the browser keeps the window from opening", async () => {
    await openLogin();
    await tab.run("void (window.open = () => null)");
    await tab.click("oidc-login", "[part=button]");
    await waitForState(tab, "oidc-login", "waiting");
    assert.match(await textOf(tab, "oidc-login"), /blocked the window/);
    await atProvider.signIn(await tab.clickOpening("oidc-login", "[part=link]"));
    await hears({ type: "oidc-success" });
  });

  it("ends in this tab where the person goes on in it", async () => {
    await openLogin();
    await tab.run("void (window.open = () => null)");
    await tab.click("oidc-login", "[part=button]");
    await waitForState(tab, "oidc-login", "waiting");
    const link = "document.querySelector('oidc-login').shadowRoot.querySelector('[part=link]')";
    await tab.goto(await tab.run<string>(`${link}.href`));
    await atProvider.signIn(tab);
    await waitForState(tab, "oidc-callback", "success");
    await tab.waitForTrue("window.result?.tokenResponse.access_token !== undefined");
  });

  it("goes on after a failure of the server, with the answer that it has", async () => {
    bed.faults["/oauth2/token"] = { status: 503, times: 1 };
    await openLogin();
    await atProvider.signIn(await clickButton());
    await hears({ type: "oidc-error", code: "server_error" });
    await tab.click("oidc-login", "[part=button]");
    await tab.waitForTrue("window.heard.at(-1).type === 'oidc-success'");
    assert.match((await whoami()).user_id, /^@alice:/);
  });

  it("is called off with cancel(), and by taking the element away", async () => {
    for (const script of ["cancel()", "remove()"]) {
      await openLogin();
      const provider = await clickButton();
      await provider.waitFor("[name=username]");
      await tab.run(`void document.querySelector('oidc-login').${script}`);
      await waitForClosed(provider, tab);
    }
  });

  for (const registration of ["per-login", "reuse"]) {
    it(
      `works where the browser lets the site store nothing, with registration="${registration}"`,
      needs("blocked storage"),
      async () => {
        const origin = `http://127.0.0.1:${new URL(bed.pages).port}` as const;
        const blocked = await driver.newProfile({ storageBlocked: origin });
        try {
          tab = await blocked.newTab();
          await tab.goto(address({ registration }).replace(bed.pages, origin));
          await waitForState(tab, "oidc-login", "ready");
          const provider = await clickButton();
          await atProvider.signIn(provider);
          await hears({ type: "oidc-success" });
          assert.match((await whoami()).user_id, /^@alice:/);
          await waitForClosed(provider, tab);
        } finally {
          await blocked.close();
        }
      },
    );
  }

  const signsInInFrame = async (): Promise<void> => {
    const elsewhere = await startPages({ roots: { "/": folder("test/e2e/pages") } });
    const origin = elsewhere.origin.replace("localhost", "127.0.0.1");
    try {
      await tab.goto(`${origin}/elsewhere.html?src=${encodeURIComponent(address())}`);
      await tab.waitFor("iframe");
      await tab.click("iframe");
      await tab.press("Tab");
      await atProvider.signIn(await tab.pressOpening("Enter"));
      await tab.waitForTrue("window.heard.includes('oidc-success')");
    } finally {
      await elsewhere.close();
    }
  };

  it("works in a frame of another site", needs("keys in a frame"), signsInInFrame);

  it(
    "works in a frame of another site where the browser blocks storage",
    needs("keys in a frame", "blocked storage"),
    async () => {
      const blocked = await driver.newProfile({ storageBlocked: "in frames" });
      try {
        tab = await blocked.newTab();
        await signsInInFrame();
      } finally {
        await blocked.close();
      }
    },
  );
});
