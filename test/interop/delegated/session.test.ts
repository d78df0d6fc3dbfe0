// Sessions whose tokens one server issues and another one accepts.
import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { apiClient, type ApiResponse } from "../../contract/api-client.js";
import { needs } from "../../e2e/driver/engine.js";
import {
  CHANGED,
  ENDED,
  REFUSED,
  eventsOf,
  failureOf,
  moveClock,
  waitForEnd,
} from "../../e2e/login.js";
import { atProvider, waitForPageText } from "../../e2e/user-actions.js";
import { SessionApplication } from "./application.js";
import { describeDelegated } from "./testbed.js";

const TOKEN = "POST /oauth2/token";
const INTROSPECTION = "POST /oauth2/introspect";
const WHOAMI = "window.session.fetch(session.homeserverUrl + '/_matrix/client/v3/account/whoami')";

describeDelegated("A session at a Synapse that delegates", (given) => {
  let app: SessionApplication;

  beforeEach(async () => {
    app = await SessionApplication.signIn(given.bed, given.profile, given.user, "CHOSENDEVICE");
    given.bed.takeRequests();
  });
  afterEach(() => {
    const { faults } = given.bed.provider;
    for (const path of Object.keys(faults)) delete faults[path];
  });

  const me = () => ({
    user_id: `@${given.user}:${given.bed.synapse.serverName}`,
    device_id: "CHOSENDEVICE",
    is_guest: false,
  });
  const count = (request: string): number =>
    given.bed.takeRequests().filter((each) => each === request).length;
  const whoamiOf = (token: string): Promise<ApiResponse> =>
    apiClient(given.bed.synapse, token)("GET", "v3/account/whoami");
  const isForgotten = async (): Promise<void> => {
    assert.equal(await app.state(), "signed-out");
    assert.equal(await failureOf(app.tab, "session.accessToken()"), "session_ended");
    assert.equal(await app.tab.run("localStorage.length"), 0);
  };

  /** Synapse caches the user of a token for two minutes. A new token is not cached. */
  const getTokenUnknownToSynapse = async (): Promise<void> => {
    await app.refresh();
    given.bed.takeRequests();
  };

  it("refreshes its token once, and repeats the requests, when Synapse rejects it as unknown", async () => {
    const lose = async (): Promise<void> => {
      await getTokenUnknownToSynapse();
      await given.bed.provider.loseAccessTokens(given.user);
      // The session does not refresh a token that is only seconds old.
      await moveClock(app.tab, 61_000);
    };
    await lose();
    assert.equal(await app.tab.run(`${WHOAMI}.then(({ status }) => status)`), 200);
    const asked = given.bed.takeRequests();
    assert.deepEqual(asked, [INTROSPECTION, TOKEN, INTROSPECTION]);
    assert.deepEqual(await eventsOf(app.tab), [CHANGED, CHANGED]);

    await lose();
    const all = `Promise.all([client.whoami(), client.getDevices(), ${WHOAMI}]).then(() => null)`;
    await app.tab.run(all);
    assert.equal(count(TOKEN), 1);
    assert.deepEqual(await eventsOf(app.tab), [CHANGED, CHANGED, CHANGED, CHANGED]);
  });

  it("refreshes its token once when Synapse rejects two tabs at the same time", async () => {
    const second = await SessionApplication.openTab(given.bed, given.profile);
    const recorded = async (times: number): Promise<void> => {
      for (const each of [app, second])
        await each.tab.waitForTrue(`window.events.length === ${times}`);
    };
    for (const round of [1, 2, 3]) {
      // Synapse caches the user of a token for two minutes. A new token is not cached.
      await app.refresh();
      await recorded(2 * round - 1);
      await given.bed.provider.loseAccessTokens(given.user);
      for (const each of [app, second]) await moveClock(each.tab, 61_000);
      given.bed.takeRequests();
      assert.deepEqual(await Promise.all([app.whoami(), second.whoami()]), [me(), me()]);
      assert.equal(count(TOKEN), 1, `token requests of round ${round}`);
      await recorded(2 * round);
    }
    assert.equal(await app.token(), await second.token());
  });

  it("continues while Synapse cannot reach the provider", async () => {
    await getTokenUnknownToSynapse();
    given.bed.provider.faults["/oauth2/introspect"] = { status: 503 };
    const refused = await app.tab.run<{ status: number; errcode: string }>(
      `client.whoami().catch(({ httpStatus, errcode }) => ({ status: httpStatus, errcode }))`,
    );
    assert.deepEqual(refused, { status: 503, errcode: "M_UNKNOWN" });
    assert.deepEqual(await eventsOf(app.tab), [CHANGED]);
    delete given.bed.provider.faults["/oauth2/introspect"];
    assert.deepEqual(await app.whoami(), me());
    assert.equal(count(TOKEN), 0);
  });
  it("ends once in every tab when the user signs the device out on the account page", async () => {
    const second = await SessionApplication.openTab(given.bed, given.profile);
    assert.deepEqual(await Promise.all([app.whoami(), second.whoami()]), [me(), me()]);
    const page = await given.profile.newTab();
    const list = "window.core.accountManagementUrl(metadata, 'org.matrix.devices_list')";
    await page.goto(
      await app.tab.run<string>(`client.getAuthMetadata().then((metadata) => ${list})`),
    );
    await atProvider.removeDevice(page, "CHOSENDEVICE");

    given.bed.takeRequests();
    assert.deepEqual(
      await Promise.all([
        failureOf(app.tab, "client.whoami()"),
        second.tab.run(`${WHOAMI}.then(({ status }) => status)`),
      ]),
      ["M_UNKNOWN_TOKEN", 401],
    );
    assert.deepEqual(await waitForEnd(app.tab), [REFUSED]);
    assert.deepEqual(await waitForEnd(second.tab), [REFUSED]);
    assert.equal(count(TOKEN), 1);
    await isForgotten();
    await second.tab.reload();
    await second.tab.waitForTrue("window.isReady");
    assert.equal(await second.tab.run("window.session === undefined"), true);
  });

  it("ends, and reports the reason, when the user deactivates the account", async () => {
    const page = await given.profile.newTab();
    await page.goto(`${given.bed.provider.issuer}/account?action=org.matrix.account_deactivate`);
    await atProvider.confirm(page, "deactivate");
    await waitForPageText(page, "Your account is deactivated.");
    const why = await app.tab.run<{ code: string; reason: string }>(
      "session.refresh().catch(({ code, cause }) => ({ code, reason: cause.cause.error }))",
    );
    assert.deepEqual(why, { code: "session_ended", reason: "invalid_grant" });
    assert.deepEqual(await waitForEnd(app.tab), [REFUSED]);
    await isForgotten();
  });

  it(
    "ends when the user signs out offline, but the device stays until the user signs it out elsewhere",
    needs("cutting the network"),
    async () => {
      const token = await app.token();
      await app.tab.setOffline(true);
      assert.equal(await app.tab.run("session.signOut()"), false);
      assert.deepEqual(await waitForEnd(app.tab), [ENDED]);
      await isForgotten();
      await app.tab.setOffline(false);
      assert.equal((await whoamiOf(token)).status, 200);

      await app.tab.goto(`${given.bed.provider.issuer}/account?action=org.matrix.devices_list`);
      await atProvider.removeDevice(app.tab, "CHOSENDEVICE");
      assert.equal((await whoamiOf(token)).status, 401);
    },
  );
});
