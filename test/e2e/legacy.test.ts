// The legacy API at the demo's homeserver: sign-in with a password and with single sign-on, and the sessions.
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import { startPages } from "../../demo/server/pages.js";
import { recordOperation, sameInEveryEngine } from "./driver/engine.js";
import type { Profile, Tab } from "./driver/driver.js";
import { useFixture } from "./fixture.js";
import { moveClock } from "./login.js";
import { policyOf } from "./policy.js";
import { folder, serverControls } from "./testbed.js";
import { atProvider } from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

const NAME = "Lantern's provider";
/** The lifetime of an access token with a refresh token. */
const LIFETIME_MS = 300_000;

async function startLegacyTestbed() {
  const controls = serverControls();
  const provider = await startAuthorizationServer({ accounts: createAccounts() });
  const homeserver = await startHomeserver({ ...controls, sso: { provider, name: NAME } });
  const { baseUrl } = homeserver;
  const pages = await startPages({
    roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist") },
    headers: {
      "Content-Security-Policy": policyOf("script tag", {
        homeserver: baseUrl,
        issuer: provider.issuer,
      }),
    },
  });
  return {
    ...controls,
    homeserver,
    pages: pages.origin,
    async close() {
      await Promise.all([pages.close(), homeserver.close(), provider.close()]);
    },
  };
}

type LegacyTestbed = Awaited<ReturnType<typeof startLegacyTestbed>>;

describe("The legacy API of the demo's homeserver", SUITE, () => {
  let bed: LegacyTestbed;
  let profile: Profile;
  let tab: Tab;
  useFixture({ servers: "per suite", profile: "per suite" }, startLegacyTestbed, (fixture) => {
    ({ bed, profile, tab } = fixture);
  });
  afterEach(() => tab.run("origin === 'null' || (localStorage.clear(), sessionStorage.clear())"));

  const page = (): string => `${bed.pages}/session.html?store=localStorage`;
  const open = async (where = tab): Promise<Tab> => {
    await where.goto(page());
    await where.waitForTrue("window.isReady");
    return where;
  };
  const reload = async (where = tab): Promise<void> => {
    await where.reload();
    await where.waitForTrue("window.isReady");
  };

  /** Signs in on the page, which stores the session under a separate key. */
  const signIn = (user: string, deviceId: string, where = tab): Promise<void> => {
    const login = {
      homeserverUrl: bed.homeserver.baseUrl,
      identifier: { type: "m.id.user", user },
      password: `${user}-demo-password`,
      deviceId,
    };
    const options = { store: "localStorage", key: `session ${deviceId}` };
    return where.run(`core.loginWithPassword(${JSON.stringify(login)}).then(async (result) => {
      hold(new core.LegacySession(result, ${JSON.stringify(options)}));
      await session.stored;
    })`);
  };
  const resume = (deviceId: string, where = tab): Promise<void> => {
    const options = JSON.stringify({ store: "localStorage", key: `session ${deviceId}` });
    return where.run(`core.restoreSession(${options}).then((session) => void hold(session))`);
  };
  const deviceOf = (where = tab): Promise<string> =>
    where.run("window.whoami().then(({ device_id }) => device_id)");
  const list = (): Promise<unknown> =>
    tab.run(`core.listSessions({ store: "localStorage" }).then((sessions) =>
      sessions.map(({ kind, state, userId, deviceId }) => [kind, state, userId, deviceId].join(" ")).sort())`);

  it("signs in with a password, and stays signed in after a reload", async () => {
    await open();
    await signIn("alice", "PHONE");
    assert.equal(await deviceOf(), "PHONE");
    await reload();
    await resume("PHONE");
    assert.equal(await deviceOf(), "PHONE");
    recordOperation("password-login");
  });

  it(
    "keeps one user signed in when another user in the same store signs out",
    sameInEveryEngine,
    async () => {
      await open();
      await signIn("alice", "PHONE");
      await signIn("bob", "TABLET");
      const { serverName } = bed.homeserver;
      const [alice, bob] = [
        `legacy signed-in @alice:${serverName} PHONE`,
        `legacy signed-in @bob:${serverName} TABLET`,
      ];
      assert.deepEqual(await list(), [alice, bob]);
      await tab.run("session.signOut()");
      assert.deepEqual(await list(), [alice]);
      await resume("PHONE");
      assert.equal(await deviceOf(), "PHONE");
    },
  );

  it("refreshes once when two tabs need a new token, and signs out in both", async () => {
    await open();
    await signIn("alice", "PHONE");
    const other = await open(await profile.newTab());
    await resume("PHONE", other);
    await Promise.all([tab, other].map((each) => moveClock(each, LIFETIME_MS)));
    bed.requestLog.splice(0);
    await Promise.all([tab, other].map((each) => each.run("whoami()")));
    const refreshes = bed.requestLog.filter(
      ({ preflight, path }) => !preflight && path.endsWith("/refresh"),
    );
    assert.equal(refreshes.length, 1);
    assert.deepEqual([await deviceOf(), await deviceOf(other)], ["PHONE", "PHONE"]);
    await tab.run("session.signOut()");
    await other.waitForTrue("session.state === 'signed-out'");
    recordOperation("legacy-session");
  });

  it(
    "keeps the device when the user signs in again after a soft logout",
    sameInEveryEngine,
    async () => {
      await open();
      await signIn("alice", "PHONE");
      const { tokenLifetimes } = bed.homeserver;
      // Tokens issued after this have expired, and cannot be refreshed.
      tokenLifetimes.other = 0;
      const { baseUrl, serverName } = bed.homeserver;
      await tab.run(`(async () => {
      const { refreshToken, expiresAt, ...result } = {
        homeserverUrl: ${JSON.stringify(baseUrl)},
        userId: session.user.userId,
        deviceId: "PHONE",
        accessToken: (await fetch(${JSON.stringify(`${baseUrl}/_matrix/client/v3/login`)}, {
          method: "POST",
          body: JSON.stringify({
            type: "m.login.password",
            identifier: { type: "m.id.user", user: "alice" },
            password: "alice-demo-password",
            device_id: "PHONE",
          }),
        }).then((response) => response.json())).access_token,
      };
      session.close();
      hold(new core.LegacySession(result, { store: "localStorage", key: "session PHONE" }));
      await session.stored;
      await whoami().catch(() => undefined);
    })()`);
      tokenLifetimes.other = Infinity;
      assert.deepEqual(await list(), [`legacy soft-logout @alice:${serverName} PHONE`]);
      await signIn("alice", "PHONE");
      assert.equal(await deviceOf(), "PHONE");
    },
  );

  it("signs in with single sign-on, and uses each login token once", async () => {
    await open();
    const settings = JSON.stringify({
      homeserverUrl: bed.homeserver.baseUrl,
      redirectUri: page(),
      deviceId: "LAPTOP",
    });
    await tab.run(`void location.assign(core.startSsoLogin(${settings}).url)`);
    await atProvider.signIn(tab, "carol");
    await tab.waitForTrue("document.body.innerText.includes('wants to sign in as @carol:')");
    await tab.click("a");
    await tab.waitForUrl("loginToken=");
    await tab.waitForTrue("window.isReady");
    const complete = `core.completeSsoLogin(location.href).then(
      ({ userId, deviceId }) => [userId, deviceId],
      ({ code }) => code,
    )`;
    const userId = `@carol:${bed.homeserver.serverName}`;
    assert.deepEqual(await tab.run(complete), [userId, "LAPTOP"]);
    assert.equal(await tab.run(complete), "flow_unknown");
    recordOperation("sso-login");
  });
});
