// Signing in with the legacy API of a real Synapse, and the sessions afterwards.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  HomeserverClient,
  LegacySession,
  LoginError,
  loginWithPassword,
  restoreSession,
  type LegacyLoginResult,
  type PasswordLogin,
} from "matrix-auth-elements/core";
import { freshName } from "../../contract/api-client.js";
import type { Account, HomeserverUnderTest, Scenario } from "../../contract/homeserver.js";
import { synapse } from "../../contract/synapse.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { useBrowser } from "../../e2e/fixture.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { startApplicationPages } from "../application/application.js";
import type { Loopback } from "./loopback.js";
import { startSynapseWithSso } from "./sso-provider.js";
import { isForeign, type Synapse } from "./synapse.js";
import { SUITE } from "../../support/wait-for.mjs";

const recordOperation = operationRecorder("synapse");

/** The context of a scenario's test. */
interface Given {
  readonly server: HomeserverUnderTest;
  readonly account: Account;
  logIn(change?: Partial<PasswordLogin>): Promise<LegacyLoginResult>;
}

function atSynapse(scenario: Scenario, tests: (given: Given) => void): void {
  const options = { ...SUITE, skip: synapse.skip(scenario) };
  describe(`The legacy API of Synapse, ${scenario}`, options, () => {
    let server: HomeserverUnderTest;
    let account: Account;
    before(async () => void (server = await synapse.start(scenario)));
    after(() => server.close());
    beforeEach(async () => {
      const user = freshName();
      account = { user, password: `${user}-password` };
      await server.createAccount(account);
    });
    tests({
      get server() {
        return server;
      },
      get account() {
        return account;
      },
      logIn: (change) =>
        loginWithPassword({
          homeserverUrl: server.baseUrl,
          identifier: { type: "m.id.user", user: account.user },
          password: account.password,
          ...change,
        }),
    });
  });
}

/** @returns The code of the error. */
async function codeOf(login: Promise<unknown>): Promise<string> {
  const error: unknown = await login.then(
    () => "signed in",
    (reason: unknown) => reason,
  );
  if (error instanceof LoginError) return error.code;
  throw new Error(`No LoginError, but ${String(error)}`);
}

const whoami = (session: LegacySession) =>
  new HomeserverClient({ baseUrl: session.homeserverUrl, session }).whoami();

/** A store like `sessionStorage`, for one test. */
function memoryStore() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    keys: () => items.keys(),
  };
}

atSynapse("as it is installed", (given) => {
  const userIdOf = ({ user }: Account): string => `@${user}:${given.server.serverName}`;

  it("signs in with a localpart, and with a user ID, and has refresh tokens", async () => {
    for (const user of [given.account.user, userIdOf(given.account)]) {
      const result = await given.logIn({ identifier: { type: "m.id.user", user } });
      assert.equal(result.userId, userIdOf(given.account));
      assert.equal(typeof result.refreshToken, "string");
      assert.equal(typeof result.expiresAt, "number");
    }
    recordOperation("password-login");
  });

  it("rejects with credentials_invalid when the password is wrong", async () => {
    assert.equal(await codeOf(given.logIn({ password: "wrong" })), "credentials_invalid");
  });

  it("rejects with user_locked when the user is locked", async () => {
    await given.server.setLocked(given.account.user, true);
    assert.equal(await codeOf(given.logIn()), "user_locked");
  });

  it("keeps a user's two sessions independent when one is refreshed, and one signs out", async () => {
    const [first, second] = [
      new LegacySession(await given.logIn({ deviceId: "FIRST" })),
      new LegacySession(await given.logIn({ deviceId: "SECOND" })),
    ];
    const old = await first.accessToken();
    await first.refresh();
    assert.notEqual(await first.accessToken(), old);
    assert.equal((await whoami(first)).device_id, "FIRST");
    assert.equal(await first.signOut(), true);
    assert.equal(first.state, "signed-out");
    assert.equal((await whoami(second)).device_id, "SECOND");
    await second.signOut();
    recordOperation("legacy-session");
  });

  it("ends after the session's device has been signed out elsewhere", async () => {
    const session = new LegacySession(await given.logIn());
    const { homeserverUrl: baseUrl, accessToken } = await given.logIn();
    await new HomeserverClient({ baseUrl, accessToken }).logoutAll();
    await assert.rejects(whoami(session));
    assert.equal(session.state, "signed-out");
    session.close();
  });
});

atSynapse("with tokens that soon expire", (given) => {
  it("is refreshed before a request when the access token has expired", async () => {
    const session = new LegacySession(await given.logIn());
    const old = await session.accessToken();
    const { expiresAt = 0 } = session;
    while (Date.now() / 1000 < expiresAt) await delay(100);
    await whoami(session);
    assert.notEqual(await session.accessToken(), old);
    await session.signOut();
  });

  it("keeps the device when the user signs in again after a soft logout", async () => {
    const store = memoryStore();
    const { refreshToken: _, expiresAt: __, ...withoutRefresh } = await given.logIn();
    const session = new LegacySession(withoutRefresh, { store });
    await session.stored;
    for (;;) {
      const failed = await whoami(session).then(
        () => false,
        () => true,
      );
      if (failed) break;
      await delay(200);
    }
    assert.equal(session.state, "soft-logout");
    session.close();
    const restored = await restoreSession({ store });
    assert.equal(restored?.state, "soft-logout");
    const { userId: expectedUserId, deviceId } = restored.user;
    assert.ok(expectedUserId);
    const again = await given.logIn({ expectedUserId, deviceId });
    assert.equal(again.deviceId, withoutRefresh.deviceId);
    const next = new LegacySession(again, { store });
    const client = new HomeserverClient({ baseUrl: next.homeserverUrl, session: next });
    const { devices } = await client.getDevices();
    assert.equal(devices.length, 1);
    await next.signOut();
    restored.close();
  });
});

/** The app's data that is restored when the user returns. */
const SETTINGS = { deviceId: "TABLET", deviceName: "Tablet", appState: { room: "!lobby" } };

for (const isTrusted of [true, false]) {
  const options = {
    ...SUITE,
    skip: isForeign && "SYNAPSE_URL names a Synapse without this provider",
  };
  const title = isTrusted ? "for a trusted app" : "with its confirmation page";
  describe(`Single sign-on at Synapse ${title}, in Chromium`, options, () => {
    const browser = useBrowser();
    let pages: Loopback;
    let server: Synapse;
    let redirectUri: string;
    before(async () => {
      pages = await startApplicationPages();
      const sso = isTrusted ? { client_whitelist: [`${pages.origin}/`] } : {};
      server = await startSynapseWithSso({ sso });
    });
    after(() => Promise.all([server.close(), pages.close()]));
    beforeEach(() => {
      const query = new URLSearchParams({ homeserver: server.baseUrl });
      redirectUri = `${pages.origin}/application/application.html?${query}`;
    });

    const open = async (): Promise<Tab> => {
      const tab = await browser.profile.newTab();
      await tab.goto(redirectUri);
      await tab.waitForTrue("window.isReady");
      return tab;
    };

    const leave = async (tab: Tab, user: string): Promise<void> => {
      const settings = { homeserverUrl: server.baseUrl, redirectUri, ...SETTINGS };
      const begin = `core.startSsoLogin(${JSON.stringify(settings)}).url`;
      await tab.run(`void location.assign(${begin})`);
      await tab.type("[name=login]", user);
      await tab.type("[name=password]", "any");
      await tab.click("[type=submit]");
      await tab.waitForTrue("document.querySelector('[name=login]') === null");
      await tab.click("[type=submit]");
      if (!isTrusted) await tab.click("a.primary-button");
      await tab.waitForUrl("loginToken=");
      await tab.waitForTrue("window.isReady");
    };

    const complete = (tab: Tab): Promise<Record<string, unknown>> =>
      tab.run(`core.completeSsoLogin(location.href).then(
        ({ accessToken, refreshToken, ...result }) => ({ ...result, isRefreshable: !!refreshToken }),
        ({ code }) => ({ code }),
      )`);

    it("signs in as the requested device, once", async () => {
      const user = freshName();
      const tab = await open();
      await leave(tab, user);
      const { expiresAt, ...result } = await complete(tab);
      assert.deepEqual(result, {
        homeserverUrl: server.baseUrl,
        userId: `@${user}:${server.serverName}`,
        deviceId: SETTINGS.deviceId,
        appState: SETTINGS.appState,
        isRefreshable: true,
      });
      assert.equal(typeof expiresAt, "number");
      assert.deepEqual(await complete(tab), { code: "flow_unknown" });
      recordOperation("sso-login");
    });
  });
}
