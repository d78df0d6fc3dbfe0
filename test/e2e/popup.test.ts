import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startPages } from "../../demo/server/pages.js";
import type { Driver, Tab } from "./driver/driver.js";
import { needs, sameInEveryEngine } from "./driver/engine.js";
import { inPage } from "./driver/page.js";
import { useFixture } from "./fixture.js";
import { Login } from "./login.js";
import { folder, startTestbed, type Testbed } from "./testbed.js";
import { atProvider, closePopup, textOf, waitForClosed, waitForState } from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

describe('<oidc-login mode="popup">', SUITE, () => {
  let driver: Driver;
  let bed: Testbed & { readonly site: string };
  let tab: Tab;
  let login: Login;

  useFixture(
    { servers: "per suite", profile: "per test" },
    async () => {
      const other = await startPages({ roots: { "/": folder("test/e2e/pages") } });
      const site = other.origin.replace("localhost", "127.0.0.1");
      const servers = await startTestbed({ policy: "widget", site });
      const close = async (): Promise<void> =>
        void (await Promise.all([other.close(), servers.close()]));
      return { ...servers, site, close };
    },
    (fixture) => {
      ({ driver, bed, tab } = fixture);
      login = new Login(bed, tab, { mode: "popup" });
    },
  );

  const openPopup = async (): Promise<Tab> => {
    const popup = await login.clickOpening();
    await popup.waitFor("[name=username]");
    return popup;
  };
  /** Clicks the button while the browser blocks popups. */
  const blockPopup = async (): Promise<void> => {
    await tab.run("void (window.open = () => null)");
    await tab.click("oidc-login", "[part=button]");
    await waitForState(tab, "oidc-login", "waiting");
  };
  /** Signs in in a popup, and waits until it is closed. It may be closed already. */
  const comeBack = async (popup: Tab): Promise<void> => {
    const closed = waitForClosed(popup, tab);
    await Promise.race([closed, atProvider.signIn(popup).catch(() => undefined)]);
    await closed;
  };
  const assertSuccess = async (): Promise<void> => {
    assert.deepEqual(await login.outcomes(), [{ type: "oidc-success" }]);
    assert.match((await login.whoami("oidc-login")).user_id, /^@alice:/);
  };

  it("signs in although the provider's page in the popup tries to navigate the app", async () => {
    await login.open();
    const popup = await openPopup();
    // Tries each way in which a hostile page could navigate or close its opener.
    const failures = await inPage(popup, () => {
      const opener = window.opener as Window & { location: unknown };
      const attempts = [
        () => (opener.location = "https://hostile.example/"),
        () => opener.location.replace("https://hostile.example/"),
        () => opener.top?.close(),
      ];
      return attempts.flatMap((navigate) => {
        try {
          navigate();
          return [];
        } catch (error) {
          return (error as Error).name;
        }
      });
    });
    assert.deepEqual(failures, ["TypeError", "TypeError", "TypeError"]);
    assert.equal(await popup.run("opener"), null);
    await atProvider.signIn(popup);
    await assertSuccess();
    await waitForClosed(popup, tab);
  });

  it("signs in although the provider's page isolates the popup (COOP)", async () => {
    bed.faults[""] = { headers: { "Cross-Origin-Opener-Policy": "same-origin" } };
    await login.open();
    await atProvider.signIn(await openPopup());
    await assertSuccess();
  });

  it("signs in although the page isolates its popups (COOP)", async () => {
    const isolating = await startPages({
      roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist") },
      headers: { "Cross-Origin-Opener-Policy": "same-origin" },
    });
    try {
      await tab.goto(login.url().replace(bed.pages, isolating.origin));
      await waitForState(tab, "oidc-login", "ready");
      const popup = await openPopup();
      assert.equal(await popup.run("opener"), null);
      await atProvider.signIn(popup);
      await assertSuccess();
      await waitForClosed(popup, tab);
    } finally {
      await isolating.close();
    }
  });

  it("uses its popup when a listener of oidc-login-start changes the homeserver", async () => {
    await login.open();
    await inPage(tab, () => {
      const element = document.querySelector("oidc-login");
      element.addEventListener("oidc-login-start", () => (element.homeserver += "/"));
    });
    await atProvider.signIn(await openPopup());
    await assertSuccess();
  });

  it("reports each popup that the user closes, and registers again after the second", async () => {
    const registrations = (): number =>
      bed.takeRequests().filter((request) => request === "POST /oauth2/registration").length;
    const closed = { type: "oidc-cancel", reason: "closed" };
    await login.open({ registration: "reuse" });
    await closePopup(await openPopup(), tab);
    assert.deepEqual(await login.outcomes(), [closed]);
    assert.equal(registrations(), 1);
    await waitForState(tab, "oidc-login", "ready");
    await closePopup(await openPopup(), tab);
    assert.deepEqual(await login.outcomes(2), [closed, closed]);
    assert.equal(registrations(), 0);
    await waitForState(tab, "oidc-login", "ready");
    await atProvider.signIn(await openPopup());
    assert.deepEqual(await login.outcomes(3), [closed, closed, { type: "oidc-success" }]);
    assert.equal(registrations(), 1);
  });

  it("offers a link if the browser blocks the popup, and navigates to return-to", async () => {
    await login.open({ "return-to": "/callback.html?returned" });
    await blockPopup();
    assert.match(await textOf(tab, "oidc-login"), /blocked the window/);
    const popup = await tab.clickOpening("oidc-login", "[part=link]");
    assert.equal(await popup.run("opener"), null);
    await atProvider.signIn(popup);
    await tab.waitForUrl("/callback.html?returned");
  });

  it("signs in in this tab if the user opens the link of a blocked popup in it", async () => {
    await login.open();
    await blockPopup();
    const link = await inPage(tab, () => {
      const { shadowRoot } = document.querySelector("oidc-login");
      return shadowRoot?.querySelector<HTMLAnchorElement>("[part=link]")?.href ?? "";
    });
    await tab.goto(link);
    await atProvider.signIn(tab);
    await waitForState(tab, "oidc-callback", "success");
    await tab.waitForTrue("window.result?.tokenResponse.access_token !== undefined");
  });

  it(
    "completes on a click after a server error with the response that the popup returned",
    sameInEveryEngine,
    async () => {
      bed.faults["/oauth2/token"] = { status: 503, times: 1 };
      await login.open();
      await atProvider.signIn(await openPopup());
      const error = { type: "oidc-error", code: "server_error" };
      assert.deepEqual(await login.outcomes(), [error]);
      await tab.click("oidc-login", "[part=button]");
      assert.deepEqual(await login.outcomes(2), [error, { type: "oidc-success" }]);
    },
  );

  for (const end of ["cancel", "remove"] as const) {
    it(`after ${end}(), closes the popup when the user returns, and does not sign in`, async () => {
      await login.open();
      const popup = await openPopup();
      await inPage(tab, (method) => document.querySelector("oidc-login")[method](), end);
      // Some engines close the popup immediately. Others no longer let this page close it.
      await comeBack(popup);
      assert.ok(!bed.takeRequests().includes("POST /oauth2/token"));
    });
  }

  it("opens another popup on a click while one is open, and closes the first when the user returns in it", async () => {
    await login.open();
    const first = await openPopup();
    await atProvider.signIn(await openPopup());
    await assertSuccess();
    await comeBack(first);
    assert.equal((await login.outcomes()).length, 1);
  });

  it(
    "signs in if the browser blocks the site's storage, with each kind of registration",
    needs("blocked storage"),
    async () => {
      const origin = `http://127.0.0.1:${new URL(bed.pages).port}` as const;
      const blocked = await driver.newProfile(origin);
      try {
        tab = await blocked.newTab();
        login = new Login(bed, tab, { mode: "popup" });
        await tab.goto(login.url({ registration: "per-login" }).replace(bed.pages, origin));
        const popup = await openPopup();
        await atProvider.signIn(popup);
        await assertSuccess();
        await waitForClosed(popup, tab);
        await tab.goto(login.url({ registration: "reuse" }).replace(bed.pages, origin));
        // The provider remembers the user.
        await atProvider.allow(await login.clickOpening());
        await assertSuccess();
      } finally {
        await blocked.close();
      }
    },
  );

  const signInInFrame = async (): Promise<void> => {
    await tab.goto(`${bed.site}/other-site.html?src=${encodeURIComponent(login.url())}`);
    await tab.waitForTrue("window.events.includes('ready')");
    // A frame of another site gets the focus later than the click.
    await tab.click("iframe");
    await tab.waitForTrue("window.events.includes('focus')");
    await tab.press("Tab");
    await tab.waitForTrue("window.events.includes('focusin')");
    await atProvider.signIn(await tab.pressOpening("Enter"));
    await tab.waitForTrue("window.events.includes('oidc-success')");
  };

  it("signs in in a frame on another site", needs("keys in a frame"), signInInFrame);

  it(
    "signs in in a frame on another site if the browser blocks storage in frames",
    needs("keys in a frame", "blocked storage"),
    async () => {
      const blocked = await driver.newProfile("in frames");
      try {
        tab = await blocked.newTab();
        await signInInFrame();
      } finally {
        await blocked.close();
      }
    },
  );
});
