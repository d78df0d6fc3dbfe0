import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { OidcSessionOptions } from "matrix-auth-elements/core";
import { needs, recordOperation, sameInEveryEngine } from "./driver/engine.js";
import { waitForTrue, type Driver, type Profile, type Tab } from "./driver/driver.js";
import { inPage } from "./driver/page.js";
import { useFixture } from "./fixture.js";
import {
  CHANGED,
  Login,
  REFUSED,
  eventsOf,
  failureOf,
  moveClock,
  openSession,
  storedSession,
} from "./login.js";
import { EXPIRY_MS, sessionFlows } from "./login-flows.js";
import { startTestbed, type Testbed, type TestbedOptions } from "./testbed.js";
import { signInByRedirects } from "./without-browser.js";
import { SUITE } from "../support/wait-for.mjs";

type Store = "localStorage" | "sessionStorage" | "memory";

const TOKEN = "POST /oauth2/token";
/** The next response gets lost on its way to the page. */
function loseResponse(): void {
  const { fetch } = globalThis;
  globalThis.fetch = async (...request) => {
    globalThis.fetch = fetch;
    await fetch(...request);
    throw new TypeError("Failed to fetch");
  };
}

describe("OidcSession", SUITE, () => {
  let driver: Driver;
  let bed: Testbed;
  let profile: Profile;
  let tab: Tab;

  const withTestbed = (options: TestbedOptions = {}): void =>
    useFixture(
      { servers: "per suite", profile: "per suite" },
      () => startTestbed({ ...options, autoApprove: "alice" }),
      (fixture) => ({ driver, bed, profile, tab } = fixture),
    );

  afterEach(() => tab.run("origin === 'null' || (localStorage.clear(), sessionStorage.clear())"));

  const userId = (): string => `@${bed.user}:${new URL(bed.homeserver).host}`;
  /** Gives a page the tokens of a new sign-in. */
  const signIn = async (store: Store = "localStorage", where = tab): Promise<void> => {
    const result = await signInByRedirects(bed.homeserver, `${bed.pages}/callback.html`);
    await openSession(bed, where, store);
    const keep = async (tokens: typeof result, options: OidcSessionOptions): Promise<void> => {
      window.hold(new window.core.OidcSession(tokens, options));
      await window.session.stored.catch(() => undefined);
    };
    await inPage(where, keep, result, { store, userId: userId() });
    bed.takeRequests();
  };
  const reload = async (where = tab): Promise<void> => {
    await where.reload();
    await where.waitForTrue("window.isReady");
  };
  const openSecondTab = async (): Promise<Tab> => {
    return openSession(bed, await profile.newTab());
  };
  const whoami = (where = tab): Promise<{ user_id: string; device_id: string }> =>
    where.run("window.whoami()");
  const refresh = (where = tab): Promise<void> =>
    where.run("window.session.refresh().then(() => undefined)");
  const tokenRequests = (): number => bed.takeRequests().filter((each) => each === TOKEN).length;
  /** Checks that the user is signed in, and that the refresh token and the access token are valid. */
  const assertSignedIn = async (where = tab): Promise<void> => {
    assert.equal(await where.run("window.session.state"), "signed-in");
    await refresh(where);
    const { user_id, device_id } = await whoami(where);
    assert.match(user_id, /^@alice:/);
    assert.equal(device_id, "PROGRAMDEVICE");
  };

  describe("with a provider that revokes everything if a refresh token is used twice", () => {
    withTestbed();
    sessionFlows(() => ({ servers: bed, driver, profile, tab }), recordOperation);

    it(
      "cancels no request after its response, from the request for the tokens to their revocation",
      needs("cancelled requests"),
      async () => {
        const cancelled = await tab.watchCancelled();
        await new Login(bed, tab).signIn();
        await signIn();
        for (let nth = 0; nth < 10; nth += 1) await whoami();
        await refresh();
        // `signOut()` uses `keepalive` requests.
        assert.equal(await tab.run("session.signOut()"), true);
        assert.deepEqual(cancelled, []);
      },
    );

    /** The restored session's user and device, without a network. */
    const userOffline = (): Promise<unknown> =>
      inPage(tab, async () => {
        globalThis.fetch = () => Promise.reject(new TypeError("Failed to fetch"));
        const session = await window.core.restoreSession({ store: "localStorage" });
        return [session?.user.userId, session?.user.deviceId];
      });
    const whoamis = (): number =>
      bed.takeRequests().filter((each) => each.endsWith("/account/whoami")).length;
    /** Waits until the page with the stored session has the user ID. */
    const waitForUser = async (): Promise<void> => {
      await tab.waitForTrue("window.isReady && session?.user.userId !== undefined");
      assert.equal(await tab.run("session.user.userId"), userId());
      assert.deepEqual(await eventsOf(tab), [CHANGED]);
      assert.equal(whoamis(), 1);
    };

    for (const [what, leave] of [
      [
        "at oidc-success, before the request to the homeserver",
        async (login: Login): Promise<void> => {
          await tab.run(`void (sessionStorage.next = "/session.html?store=localStorage")`);
          await login.click();
          await tab.waitForUrl("/session.html");
        },
      ],
      [
        "while the homeserver could not be reached",
        async (login: Login): Promise<void> => {
          // Firefox itself repeats a request whose connection was closed.
          bed.faults["/account/whoami"] = { status: 503 };
          await login.click();
          await login.waitForSuccess();
          assert.equal((await storedSession(tab)).userId, undefined);
          // Otherwise the page would repeat the request.
          await tab.run("void (globalThis.fetch = () => new Promise(() => {}))");
          delete bed.faults["/account/whoami"];
          bed.takeRequests();
          await openSession(bed, tab);
        },
      ],
    ] as const) {
      it(`has the user ID offline, because the next page requested it, if the user left the first page ${what}`, async () => {
        const login = new Login(bed, tab, { "redirect-uri": "/kept.html" });
        await login.open();
        bed.takeRequests();
        await leave(login);
        await waitForUser();
        const { deviceId } = await storedSession(tab);

        await reload();
        assert.deepEqual(await userOffline(), [userId(), deviceId]);
        assert.deepEqual([await eventsOf(tab), whoamis()], [[], 0]);
      });
    }

    it(
      "refreshes once with a lease if two tabs need new tokens and the browser has no Web Locks",
      sameInEveryEngine,
      async () => {
        await signIn();
        const tabs = [tab, await openSecondTab()];
        for (const each of tabs) {
          await each.run("void Object.defineProperty(navigator, 'locks', { value: undefined })");
        }
        for (let round = 1; round <= 4; round += 1) {
          await Promise.all(tabs.map((each) => moveClock(each, EXPIRY_MS)));
          bed.takeRequests();
          await Promise.all(tabs.map(whoami));
          assert.equal(tokenRequests(), 1, `token requests of round ${round}`);
          for (const each of tabs) await each.waitForTrue(`window.events.length === ${round}`);
        }
        for (const each of tabs) await assertSignedIn(each);
      },
    );

    it("refreshes once if a tab and its duplicate need new tokens at the same time", async () => {
      await signIn("sessionStorage");
      const duplicate = await tab.clickOpening("#duplicate");
      await duplicate.waitForTrue("window.isReady");
      const tabs = [tab, duplicate];
      for (let round = 1; round <= 3; round += 1) {
        await Promise.all(tabs.map((each) => moveClock(each, EXPIRY_MS)));
        bed.takeRequests();
        await Promise.all(tabs.map(whoami));
        assert.equal(tokenRequests(), 1, `token requests of round ${round}`);
      }
      for (const each of tabs) {
        await reload(each);
        await assertSignedIn(each);
      }
      await duplicate.close();
    });

    it(
      "refreshes once when the network is back after a night offline",
      sameInEveryEngine,
      async () => {
        await signIn();
        const tabs = [tab, await openSecondTab()];
        for (const each of tabs) {
          await moveClock(each, 8 * 3_600_000);
          await inPage(each, () => {
            const { fetch } = globalThis;
            globalThis.fetch = (...request) =>
              fetch(...request).catch((error: unknown) => {
                window.events.push({ type: "failed request" });
                throw error;
              });
          });
          await each.setOffline(true);
        }
        const responses = Promise.all(tabs.map(whoami));
        const failures = (each: Tab): Promise<number> =>
          inPage(each, () => window.events.filter(({ type }) => type === "failed request").length);
        await waitForTrue("a failed request", async () =>
          (await Promise.all(tabs.map(failures))).some(Boolean),
        );
        for (const each of tabs) await each.setOffline(false);
        await responses;

        assert.equal(tokenRequests(), 1);
        const events = (await Promise.all(tabs.map(eventsOf))).map((each) =>
          each.filter(({ type }) => type !== "failed request"),
        );
        assert.deepEqual(events, [[CHANGED], [CHANGED]]);
        await assertSignedIn();
      },
    );

    it(
      "refreshes and signs out if the browser blocks all storage",
      needs("blocked storage"),
      async () => {
        const blocked = await driver.newProfile("everywhere");
        try {
          const page = await blocked.newTab();
          for (const store of ["memory", "localStorage"] as const) {
            await signIn(store, page);
            await assertSignedIn(page);
            assert.equal(await page.run("session.signOut()"), true);
          }
        } finally {
          await blocked.close();
        }
      },
    );
  });

  describe("with a provider that accepts a refresh token until its successor is used", () => {
    withTestbed({ refreshGrace: true });

    it(
      "continues in both tabs if the response with new tokens is lost",
      sameInEveryEngine,
      async () => {
        await signIn();
        const tabs = [tab, await openSecondTab()];
        for (const each of tabs) await inPage(each, loseResponse);
        await refresh();
        assert.equal(tokenRequests(), 2);
        for (const each of tabs) await assertSignedIn(each);
      },
    );

    it("continues if the page is closed before the response with new tokens arrives", async () => {
      await signIn();
      const refreshWithoutEnd = (): Promise<void> =>
        new Promise((responded) => {
          const { fetch } = globalThis;
          globalThis.fetch = async (...request) => {
            await fetch(...request);
            responded();
            return new Promise(() => undefined);
          };
          void window.session.refresh();
        });
      await inPage(tab, refreshWithoutEnd);
      assert.equal(tokenRequests(), 1);
      await reload();

      await assertSignedIn();
    });

    it(
      "ends if a refresh token is used again after its successor was used",
      sameInEveryEngine,
      async () => {
        await signIn();
        const old = await tab.run<string>("localStorage.getItem(Object.keys(localStorage)[0])");
        await refresh();
        await whoami();
        await inPage(
          tab,
          (record) => localStorage.setItem(Object.keys(localStorage)[0] ?? "", record),
          old,
        );
        await reload();

        assert.equal(await failureOf(tab, "session.refresh()"), "session_ended");
        assert.deepEqual(await eventsOf(tab), [REFUSED]);
      },
    );
  });
});
