// A page with only the script tag and <matrix-login>, and a user's actions there.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import { startPages } from "../../demo/server/pages.js";
import type { Profile, Tab } from "./driver/driver.js";
import { needs, recordOperation, sameInEveryEngine } from "./driver/engine.js";
import { inPage, untilInPage } from "./driver/page.js";
import { useFixture } from "./fixture.js";
import { moveClock } from "./login.js";
import { policyOf } from "./policy.js";
import { folder, serverControls } from "./testbed.js";
import {
  assertNoViolations,
  atProvider,
  pasteHomeserver,
  storedAccounts,
  useProviderButton,
  waitForText,
  waitForClosed,
  waitForState,
} from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

/** The lifetime of an access token with a refresh token. */
const LIFETIME_MS = 300_000;
const LOGIN = "document.querySelector('matrix-login')";
const HOMESERVER = "matrix-login input[name=homeserver]";

/**
 * Starts two homeservers and pages. One homeserver has OAuth 2.0, and the legacy API only for other clients. The
 * other has passwords, and single sign-on with the same provider.
 */
async function startLoginTestbed() {
  const controls = serverControls();
  const provider = await startAuthorizationServer({ accounts: createAccounts(), ...controls });
  const sso = { provider, name: "Lantern" };
  const [oauth, passwords] = await Promise.all([
    startHomeserver({ ...controls, authorizationServer: provider, sso }),
    startHomeserver({ ...controls, sso }),
  ]);
  const pages = await startPages({
    roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist") },
    headers: {
      "Content-Security-Policy": policyOf("script tag", {
        homeserver: `${oauth.baseUrl} ${passwords.baseUrl}`,
        issuer: new URL(provider.issuer).origin,
      }),
    },
  });
  return {
    ...controls,
    oauth: oauth.serverName,
    passwords: passwords.serverName,
    page: `${pages.origin}/matrix-login.html`,
    async close() {
      await Promise.all([pages.close(), oauth.close(), passwords.close(), provider.close()]);
    },
  };
}

describe("<matrix-login> with the demo's homeservers", SUITE, () => {
  let bed: Awaited<ReturnType<typeof startLoginTestbed>>;
  let profile: Profile;
  let tab: Tab;
  useFixture({ servers: "per suite", profile: "per test" }, startLoginTestbed, (fixture) => {
    ({ bed, profile, tab } = fixture);
  });

  const open = async (where = tab): Promise<Tab> => {
    await where.goto(bed.page);
    await where.waitFor(HOMESERVER);
    return where;
  };
  /** The name of the focused field, which may be in a shadow root. */
  const focused = (): Promise<string> =>
    inPage(tab, () => {
      const { activeElement } = document;
      const field = activeElement?.shadowRoot?.activeElement ?? activeElement;
      return field instanceof HTMLInputElement ? field.name : "";
    });
  const tabTo = async (name: string): Promise<void> => {
    for (let presses = 0; presses < 6 && (await focused()) !== name; presses += 1) {
      await tab.press("Tab");
    }
    assert.equal(await focused(), name);
  };
  const typePassword = async (user: string, password = `${user}-demo-password`): Promise<void> => {
    await tab.waitFor("matrix-login [name=password]");
    if (user) await tab.type("matrix-login [name=username]", user);
    await tab.type("matrix-login [name=password]", password);
    await tab.press("Enter");
  };
  const waitForSuccess = async (): Promise<void> => {
    await waitForState(tab, "matrix-login", "success");
    await assertNoViolations(tab);
  };
  const signInByPassword = async (user: string): Promise<void> => {
    await pasteHomeserver(tab, HOMESERVER, bed.passwords);
    await typePassword(user);
    await waitForSuccess();
  };
  const waitForOAuth = async (): Promise<void> => {
    await pasteHomeserver(tab, HOMESERVER, bed.oauth);
    await waitForState(tab, "matrix-login", "ready");
  };
  const reset = async (): Promise<void> => {
    await inPage(tab, () => document.querySelector("matrix-login").reset());
    await tab.waitFor(HOMESERVER);
  };
  const signInByOAuth = async (user: string): Promise<void> => {
    await waitForOAuth();
    await useProviderButton(tab, "click");
    await atProvider.signIn(tab, user);
    await waitForSuccess();
  };
  /** The users of the stored sessions, as their homeservers report them. */
  const accounts = (where = tab): Promise<readonly string[]> => inPage(where, storedAccounts);

  it("signs in with a password and only the keyboard", async () => {
    await open();
    await tabTo("homeserver");
    await tab.typeHere(bed.passwords);
    await waitForState(tab, "matrix-login", "ready");
    // The policy forbids requests to the servers whose names the first keys were.
    await tab.run("void (window.violations.length = 0)");
    await tabTo("username");
    await tab.typeHere("alice");
    await tabTo("password");
    await tab.typeHere("alice-demo-password");
    await tab.press("Enter");
    await waitForSuccess();
    assert.deepEqual(await accounts(), [`legacy @alice:${bed.passwords}`]);
  });

  it("loads the code for sessions once the user types a password", sameInEveryEngine, async () => {
    const isLoaded = `performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/session.js"))`;
    await open();
    await pasteHomeserver(tab, HOMESERVER, bed.passwords);
    await tab.waitFor("matrix-login [name=password]");
    // Another file, requested after what the page requests while it is idle.
    await inPage(tab, async () => {
      await new Promise((done) => requestIdleCallback(done));
      const file = "/dist/cdn/explanations.js";
      await import(file);
    });
    assert.equal(await tab.run(isLoaded), false);
    await tab.type("matrix-login [name=password]", "a");
    await tab.waitForTrue(isLoaded);
  });

  it(
    "signs in from its own file, with a password and with a provider",
    sameInEveryEngine,
    async () => {
      await tab.goto(bed.page.replace("/matrix-login", "/own-matrix-login"));
      await tab.waitFor(HOMESERVER);
      await signInByPassword("alice");
      await reset();
      await signInByOAuth("bob");
      const [alice, bob] = [`legacy @alice:${bed.passwords}`, `oauth @bob:${bed.oauth}`];
      assert.deepEqual(await accounts(), [alice, bob]);
    },
  );

  it("keeps two accounts at the same time, and one of them when the other signs out", async () => {
    await open();
    await signInByOAuth("alice");
    await reset();
    await signInByPassword("bob");
    const [alice, bob] = [`oauth @alice:${bed.oauth}`, `legacy @bob:${bed.passwords}`];
    assert.deepEqual(await accounts(), [bob, alice]);
    assert.equal(await tab.run(`${LOGIN}.session.signOut()`), true);
    assert.deepEqual(await accounts(), [alice]);
    recordOperation("any-homeserver");
  });

  it("keeps the user signed in after a reload and in a second tab, which refresh once and sign out together", async () => {
    await open();
    await signInByPassword("alice");
    await tab.reload();
    const second = await open(await profile.newTab());
    const alice = `legacy @alice:${bed.passwords}`;
    for (const each of [tab, second]) assert.deepEqual(await accounts(each), [alice]);
    await Promise.all([tab, second].map((each) => moveClock(each, LIFETIME_MS)));
    bed.requestLog.splice(0);
    await Promise.all([tab, second].map(accounts));
    const refreshes = bed.requestLog.filter(
      ({ method, path }) => method === "POST" && path.endsWith("/refresh"),
    );
    assert.equal(refreshes.length, 1);
    await inPage(tab, async () => {
      const file = "/dist/cdn/core.js";
      const core = (await import(file)) as typeof import("matrix-auth-elements/core");
      const store = "localStorage";
      for (const { key } of await core.listSessions({ store })) {
        await (await core.restoreSession({ store, key }))?.signOut();
      }
    });
    assert.deepEqual(await accounts(second), []);
    recordOperation("password-login", "legacy-session");
  });

  const signInBySso = async (): Promise<void> => {
    await pasteHomeserver(tab, HOMESERVER, bed.passwords);
    await waitForState(tab, "matrix-login", "ready");
    await tab.click("matrix-login", "[part=provider]");
    // The old page has a field for a username too, so this waits until it is gone.
    await tab.waitForTrue(`${LOGIN} === null`);
    await atProvider.signIn(tab, "carol");
    await tab.waitForTrue("document.body.innerText.includes('wants to sign in as @carol:')");
    await tab.click("a");
  };

  it("signs in with single sign-on, and leaves no login token in the address bar", async () => {
    await open();
    await signInBySso();
    await waitForSuccess();
    assert.equal(await tab.run("location.href"), bed.page);
    assert.deepEqual(await accounts(), [`legacy @carol:${bed.passwords}`]);
    recordOperation("sso-login");
  });

  it("signs in with single sign-on and with OAuth 2.0 on a separate callback page", async () => {
    const callback = new URL("kept.html", bed.page).href;
    const openWithCallback = async (): Promise<void> => {
      await open();
      await inPage(
        tab,
        () => void (document.querySelector("matrix-login").redirectUri = "kept.html"),
      );
    };
    const waitForCallback = async (): Promise<void> => {
      await waitForState(tab, "oidc-callback", "success");
      assert.equal(await tab.run("location.href"), callback);
    };
    await openWithCallback();
    await signInBySso();
    await waitForCallback();
    assert.deepEqual(await accounts(), [`legacy @carol:${bed.passwords}`]);

    await openWithCallback();
    await waitForOAuth();
    await useProviderButton(tab, "click");
    // The user is still signed in with the provider.
    await atProvider.allow(tab);
    await waitForCallback();
    const both = [`legacy @carol:${bed.passwords}`, `oauth @carol:${bed.oauth}`];
    assert.deepEqual([...(await accounts())].sort(), both);
  });

  it(
    "sends each response once if <oidc-callback> is also on the page",
    sameInEveryEngine,
    async () => {
      const sent = (end: string): number =>
        bed.requestLog.filter(({ method, path }) => method === "POST" && path.endsWith(end)).length;
      const openBoth = async (): Promise<void> => {
        await tab.goto(new URL("both.html", bed.page).href);
        await tab.waitFor(HOMESERVER);
      };
      await openBoth();
      await signInBySso();
      await waitForSuccess();
      await waitForState(tab, "oidc-callback", "success");
      assert.equal(sent("/v3/login"), 1);

      // The homeserver itself requests tokens from the provider.
      bed.reset();
      await openBoth();
      await waitForOAuth();
      await useProviderButton(tab, "click");
      await atProvider.allow(tab);
      await waitForSuccess();
      await waitForState(tab, "oidc-callback", "success");
      assert.equal(sent("/token"), 1);
    },
  );

  it("keeps the session of a sign-in in a popup", async () => {
    await open();
    await inPage(tab, () => void (document.querySelector("matrix-login").mode = "popup"));
    await waitForOAuth();
    // The browser may block a popup that opens only after the button's code has loaded.
    await untilInPage(tab, () => {
      const { shadowRoot } = document.querySelector("matrix-login");
      return shadowRoot?.querySelector("oidc-login").state === "ready";
    });
    await useProviderButton(tab, "focus");
    const popup = await tab.pressOpening("Enter");
    await atProvider.signIn(popup, "alice");
    await waitForClosed(popup, tab);
    await waitForSuccess();
    await tab.reload();
    assert.deepEqual(await accounts(), [`oauth @alice:${bed.oauth}`]);
  });

  it(
    "shows that the form for a new account could not be loaded, and shows the form on the next click",
    needs("cutting the network", "loading a module again"),
    async () => {
      await open();
      await pasteHomeserver(tab, HOMESERVER, bed.passwords);
      await waitForState(tab, "matrix-login", "ready");
      await tab.setOffline(true);
      await tab.click("matrix-login", "[part=register]");
      await waitForState(tab, "matrix-login", "error");
      await waitForText(tab, "matrix-login", /couldn’t be loaded/);
      await tab.setOffline(false);
      await tab.click("matrix-login", "[part=register]");
      await tab.waitFor("matrix-login [name=repeat]");
      assert.equal(await tab.run(`${LOGIN}.state`), "ready");
      assert.equal(await focused(), "username");
    },
  );
});
