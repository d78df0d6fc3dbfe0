import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { needs, shown, startBrowser } from "./driver/engine.js";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { waitForState, atProvider } from "./user-actions.js";
import { startTestbed, type Testbed, type TestbedOptions } from "./testbed.js";

interface Heard {
  readonly type: string;
  readonly softLogout?: boolean;
}

type Store = "localStorage" | "sessionStorage";

const TOKEN = "POST /oauth2/token";
const CHANGED = { type: "session-changed" };
const ENDED = { type: "session-ended", softLogout: false };

describe("A session", { timeout: 300_000 }, () => {
  let driver: Driver;
  let bed: Testbed;
  let profile: Profile;
  let tab: Tab;

  before(async () => {
    driver = await startBrowser();
  });
  after(() => driver.close());

  const withTestbed = (options?: TestbedOptions): void => {
    beforeEach(async () => {
      bed = await startTestbed(options);
      profile = await driver.newProfile();
      tab = await profile.newTab();
    });
    afterEach(async () => {
      await profile.close();
      await bed.close();
    });
  };

  /** The person signs in, and the application keeps the session. */
  const signIn = async (store: Store = "localStorage"): Promise<void> => {
    const query = new URLSearchParams({ homeserver: bed.homeserver, "device-id": "CHOSENDEVICE" });
    await tab.goto(`${bed.pages}/login.html?${query.toString()}`);
    await waitForState(tab, "oidc-login", "ready");
    await tab.click("oidc-login", "[part=button]");
    await atProvider.signIn(tab);
    await tab.waitForUrl("/callback.html");
    await waitForState(tab, "oidc-callback", "success");
    await tab.waitForTrue("window.result !== undefined");
    await tab.run(`import("/dist/cdn/core.js").then(({ OidcSession }) =>
      new OidcSession(window.result, { store: "${store}" }).stored)`);
    await openApplication(tab, store);
    bed.takeRequests();
  };
  const openApplication = async (where: Tab, store: Store): Promise<void> => {
    await where.goto(`${bed.pages}/session.html?store=${store}`);
    await where.waitForTrue("window.isReady");
  };
  const openSecondTab = async (): Promise<Tab> => {
    const second = await profile.newTab();
    await openApplication(second, "localStorage");
    return second;
  };
  const duplicate = async (): Promise<Tab> => {
    const second = await tab.clickOpening("#duplicate");
    await second.waitForTrue("window.isReady");
    return second;
  };
  const whoami = (where = tab): Promise<{ user_id: string; device_id: string }> =>
    where.run("window.whoami()");
  const state = (where = tab): Promise<string> => where.run("window.session.state");
  const heard = (where = tab): Promise<readonly Heard[]> => where.run("window.heard");
  const failure = (where: Tab, call: string): Promise<{ code: string }> =>
    where.run(`${call}.then(() => ({}), ({ code }) => ({ code }))`);
  const tokenRequests = (): number => bed.takeRequests().filter((each) => each === TOKEN).length;
  const moveClock = (where: Tab, ms: number): Promise<unknown> =>
    where.run(`{ const now = Date.now; Date.now = () => now() + ${ms}; }`);

  /** Everything that the issuer gave is still good: the refresh token too. */
  const isSignedIn = async (where = tab): Promise<void> => {
    assert.equal(await state(where), "signed-in");
    await where.run("window.session.refresh().then(() => undefined)");
    const { user_id, device_id } = await whoami(where);
    assert.match(user_id, /^@alice:/);
    assert.equal(device_id, "CHOSENDEVICE");
  };

  describe("with a provider that revokes all when a refresh token comes twice", () => {
    withTestbed();

    it("lasts over reloads, and has new tokens whenever they are needed", async () => {
      await signIn();
      for (const minutes of [6, 12, 18]) {
        await tab.reload();
        await tab.waitForTrue("window.isReady");
        await moveClock(tab, minutes * 60_000);
        await whoami();
        assert.equal(tokenRequests(), 1);
        assert.deepEqual(await heard(), [CHANGED]);
      }
      await isSignedIn();
      shown("refresh");
    });

    for (const [how, withoutLocks] of [
      ["by Web Locks", false],
      ["by a lease, where the browser has none", true],
    ] as const) {
      it(`lasts with two tabs that refresh at once, ${how}`, async () => {
        await signIn();
        const second = await openSecondTab();
        const tabs = [tab, second];
        if (withoutLocks) {
          for (const each of tabs) {
            await each.run("void Object.defineProperty(navigator, 'locks', { value: undefined })");
          }
        }
        for (let round = 1; round <= 8; round += 1) {
          await Promise.all(tabs.map((each) => moveClock(each, 6 * 60_000)));
          bed.takeRequests();
          await Promise.all(tabs.map((each) => whoami(each)));
          assert.equal(tokenRequests(), 1, `token requests of round ${round}`);
          for (const each of tabs) await each.waitForTrue(`window.heard.length === ${round}`);
        }
        await isSignedIn(tab);
        await isSignedIn(second);
      });
    }

    it("lasts with a duplicated tab that refreshes at once", async () => {
      await signIn("sessionStorage");
      const second = await duplicate();
      for (let round = 1; round <= 3; round += 1) {
        await Promise.all([moveClock(tab, 360_000), moveClock(second, 360_000)]);
        bed.takeRequests();
        await Promise.all([whoami(tab), whoami(second)]);
        assert.equal(tokenRequests(), 1, `token requests of round ${round}`);
      }
      for (const each of [tab, second]) {
        await each.reload();
        await each.waitForTrue("window.isReady");
        await isSignedIn(each);
      }
    });

    it(
      "lasts over a night with the laptop asleep, and a morning without network",
      needs("cutting the network"),
      async () => {
        await signIn();
        const second = await openSecondTab();
        for (const each of [tab, second]) {
          await moveClock(each, 8 * 3_600_000);
          await each.setOffline(true);
        }
        // Both ask while nothing is to be had; then the network comes back.
        const answers = Promise.all([whoami(tab), whoami(second)]);
        await tab.run("new Promise((resolve) => setTimeout(resolve, 300))");
        for (const each of [tab, second]) await each.setOffline(false);
        await answers;

        assert.equal(tokenRequests(), 1);
        assert.deepEqual([await heard(tab), await heard(second)], [[CHANGED], [CHANGED]]);
        await isSignedIn();
      },
    );

    it("lasts with a clock that is set back", async () => {
      await signIn();
      await moveClock(tab, -24 * 3_600_000);
      await whoami();
      await whoami();

      assert.equal(tokenRequests(), 1);
      await isSignedIn();
    });

    it("lasts while the provider has trouble", async () => {
      await signIn();
      bed.faults["/oauth2/token"] = { status: 502, html: "<h1>Bad gateway</h1>", times: 2 };
      await moveClock(tab, 360_000);
      await whoami();

      assert.equal(tokenRequests(), 3);
      await isSignedIn();
    });

    it("lasts where the homeserver forgets the access token early", async () => {
      await signIn();
      bed.faults["/account/whoami"] = {
        status: 401,
        body: { errcode: "M_UNKNOWN_TOKEN", error: "Unknown token", soft_logout: true },
        times: 1,
      };
      assert.match((await whoami()).user_id, /^@alice:/);

      assert.equal(tokenRequests(), 1);
      await isSignedIn();
    });

    it("ends in every tab once a refresh token has come twice, and only once", async () => {
      await signIn();
      const second = await openSecondTab();
      // The answer is lost; such a provider takes the next try for a thief's.
      await tab.run(`{
        const { fetch } = globalThis;
        globalThis.fetch = async (...request) => {
          globalThis.fetch = fetch;
          await fetch(...request);
          throw new TypeError("Failed to fetch");
        };
      }`);
      assert.deepEqual(await failure(tab, "session.refresh()"), { code: "session_ended" });
      await second.waitForTrue("window.heard.length > 0");

      assert.deepEqual([await heard(tab), await heard(second)], [[ENDED], [ENDED]]);
      assert.equal(tokenRequests(), 2);
      await tab.reload();
      await tab.waitForTrue("window.isReady");
      assert.equal(await tab.run("window.session === undefined"), true);
    });

    it("ends in every tab when the person signs out, and the tokens with it", async () => {
      await signIn();
      const second = await openSecondTab();
      const token = await tab.run<string>("session.accessToken()");

      assert.equal(await tab.run("session.signOut()"), true);
      await second.waitForTrue("window.heard.length > 0");

      assert.deepEqual([await heard(tab), await heard(second)], [[ENDED], [ENDED]]);
      assert.deepEqual(await failure(second, "session.accessToken()"), { code: "session_ended" });
      const refused = await tab.run<{ errcode: string }>(
        `fetch("${bed.homeserver}/_matrix/client/v3/account/whoami", {
          headers: { Authorization: "Bearer ${token}" } }).then((response) => response.json())`,
      );
      assert.equal(refused.errcode, "M_UNKNOWN_TOKEN");
      assert.equal(await tab.run("localStorage.length"), 0);
      shown("sign-out");
    });

    it("is forgotten when the person signs out offline", needs("cutting the network"), async () => {
      await signIn();
      await tab.setOffline(true);

      assert.equal(await tab.run("session.signOut()"), false);
      assert.deepEqual(await heard(), [ENDED]);
      assert.equal(await tab.run("localStorage.length"), 0);
    });

    /** The person says yes on another device, and the page keeps the session. */
    const signInByDevice = async (where: Tab, options = "{}"): Promise<void> => {
      await where.run(`(async () => {
        const baseUrl = "${bed.homeserver}";
        const metadata = await new core.HomeserverClient({ baseUrl }).getAuthMetadata();
        const clientId = await core.registerOidcClient(metadata, {
          clientUri: location.origin, redirectUris: [location.href],
        });
        window.codes = await core.startDeviceAuthorization({ metadata, clientId });
        window.codes = { ...codes, interval: 0.2 };
        window.waiting = core.waitForDeviceAuthorization({
          session: codes, metadata, clientId, homeserverUrl: baseUrl,
        });
      })()`);
      const other = await (await driver.newProfile()).newTab();
      await other.goto(await where.run<string>("codes.verification_uri"));
      await atProvider.confirmDevice(other, await where.run<string>("codes.user_code"));
      await atProvider.signIn(other, "bob");
      await where.run(`waiting.then((result) => hold(new core.OidcSession(result, ${options})))`);
      await other.close();
    };

    it("can be made by a person who says yes on another device", async () => {
      await signIn();
      await signInByDevice(tab);

      assert.match((await whoami()).user_id, /^@bob:/);
      await tab.run("session.refresh().then(() => undefined)");
      assert.match((await whoami()).user_id, /^@bob:/);
      shown("device-grant");
    });

    it(
      "lasts in its page where the browser blocks the site's data",
      needs("blocked storage"),
      async () => {
        const blocked = await driver.newProfile({ storageBlocked: "everywhere" });
        try {
          const page = await blocked.newTab();
          for (const store of ["memory", "localStorage"] as const) {
            await page.goto(`${bed.pages}/session.html?store=${store}`);
            await page.waitForTrue("window.isReady");
            await signInByDevice(page, `{ store: "${store}" }`);
            await page.run("session.refresh().then(() => undefined)");
            assert.match((await whoami(page)).user_id, /^@bob:/);
            assert.equal(await page.run("session.signOut()"), true);
          }
        } finally {
          await blocked.close();
        }
      },
    );
  });

  describe("with a provider that lets a client ask again, as Matrix demands", () => {
    withTestbed({ refreshGrace: true });

    it("lasts where the answer with new tokens is lost", async () => {
      await signIn();
      const second = await openSecondTab();
      for (const each of [tab, second]) {
        await each.run(`{
          const { fetch } = globalThis;
          globalThis.fetch = async (...request) => {
            globalThis.fetch = fetch;
            await fetch(...request);
            throw new TypeError("Failed to fetch");
          };
        }`);
      }
      await tab.run("session.refresh().then(() => undefined)");
      assert.equal(tokenRequests(), 2);
      await isSignedIn(tab);
      await isSignedIn(second);
    });

    it("lasts where the page is closed while the answer is on its way", async () => {
      await signIn();
      await tab.run(`new Promise((answered) => {
        const { fetch } = globalThis;
        globalThis.fetch = async (...request) => {
          await fetch(...request);
          answered();
          return new Promise(() => {});
        };
        session.refresh();
      })`);
      assert.equal(tokenRequests(), 1);
      await tab.reload();
      await tab.waitForTrue("window.isReady");

      await isSignedIn();
    });

    it("still ends where a refresh token comes again after its successor was used", async () => {
      await signIn();
      const old = await tab.run<string>("localStorage.getItem(Object.keys(localStorage)[0])");
      await tab.run("session.refresh().then(() => undefined)");
      await whoami();
      await tab.run(
        `void localStorage.setItem(Object.keys(localStorage)[0], ${JSON.stringify(old)})`,
      );
      await tab.reload();
      await tab.waitForTrue("window.isReady");

      assert.deepEqual(await failure(tab, "session.refresh()"), { code: "session_ended" });
      assert.deepEqual(await heard(), [ENDED]);
    });
  });
});
