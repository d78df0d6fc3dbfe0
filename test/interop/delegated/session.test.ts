// What becomes of a session whose tokens one server gives out, and another one takes.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Driver, Profile } from "../../e2e/driver/driver.js";
import { needs, startBrowser } from "../../e2e/driver/engine.js";
import { atProvider } from "../../e2e/user-actions.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { Application, ask } from "./application.js";
import { needsOwnSynapse, startDelegated, type DelegatedTestbed } from "./testbed.js";

const recordOperation = operationRecorder("delegated");

const TOKEN = "POST /oauth2/token";
const INTROSPECTION = "POST /oauth2/introspect";
const CHANGED = { type: "session-changed" };
const ENDED = { type: "session-ended", softLogout: false };
const WHOAMI = "window.session.fetch(session.homeserverUrl + '/_matrix/client/v3/account/whoami')";

describe("A session at a Synapse that delegates", { timeout: 600_000, ...needsOwnSynapse }, () => {
  let driver: Driver;
  let bed: DelegatedTestbed;
  let profile: Profile;
  let user: string;
  let app: Application;

  before(async () => {
    [driver, bed] = await Promise.all([startBrowser(), startDelegated()]);
  });
  after(() => Promise.all([driver.close(), bed.close()]));
  beforeEach(async () => {
    user = await bed.createPerson();
    profile = await driver.newProfile();
    app = await Application.ofPerson(bed, profile, user, "CHOSENDEVICE");
    bed.takeRequests();
    bed.provider.revoked.length = 0;
  });
  afterEach(async () => {
    for (const path of Object.keys(bed.provider.faults)) delete bed.provider.faults[path];
    await profile.close();
  });

  const me = () => ({
    user_id: `@${user}:${bed.synapse.serverName}`,
    device_id: "CHOSENDEVICE",
    is_guest: false,
  });
  const count = (request: string): number =>
    bed.takeRequests().filter((each) => each === request).length;
  const whoamiOf = (token: string) => ask(bed, token, "GET", "v3/account/whoami");
  const devices = (): readonly string[] =>
    bed.provider.sessions.of(user).map(({ deviceId }) => deviceId);
  const isForgotten = async (): Promise<void> => {
    assert.equal(await app.state(), "signed-out");
    assert.equal(await app.failure("session.accessToken()"), "session_ended");
    assert.equal(await app.tab.run("localStorage.length"), 0);
  };

  describe("renews its tokens", () => {
    it("again and again, each refresh token once, and Synapse takes the new ones", async () => {
      assert.deepEqual(await app.whoami(), me());
      const used = new Set<string>();
      for (const minutes of [6, 12]) {
        used.add((await app.stored()).tokenResponse.refresh_token);
        const now = `Date.now() + ${minutes * 60_000}`;
        await app.tab.run(`{ const then = ${now}; Date.now = () => then; }`);
        assert.deepEqual(await app.whoami(), me());
        assert.equal(count(TOKEN), 1);
      }
      used.add((await app.stored()).tokenResponse.refresh_token);
      assert.equal(used.size, 3);
      assert.deepEqual(await app.events(), [CHANGED, CHANGED]);
      assert.equal((await whoamiOf(await app.token())).status, 200);
      recordOperation("refresh");
    });

    it("once where Synapse does not know one, whoever asks, and makes the request again", async () => {
      await bed.provider.sessions.loseAccessTokens(user);
      assert.equal(await app.tab.run(`${WHOAMI}.then(({ status }) => status)`), 200);
      const asked = bed.takeRequests();
      assert.deepEqual(asked, [INTROSPECTION, TOKEN, INTROSPECTION]);
      assert.deepEqual(await app.events(), [CHANGED]);

      await app.refresh();
      bed.takeRequests();
      await bed.provider.sessions.loseAccessTokens(user);
      const all = `Promise.all([client.whoami(), client.getDevices(), ${WHOAMI}]).then(() => null)`;
      await app.tab.run(all);
      assert.equal(count(TOKEN), 1);
      assert.deepEqual(await app.events(), [CHANGED, CHANGED, CHANGED]);
    });

    it("once for two tabs that Synapse refuses at the same time", async () => {
      const second = await Application.open(bed, profile);
      const recorded = async (times: number): Promise<void> => {
        for (const each of [app, second])
          await each.tab.waitForTrue(`window.events.length === ${times}`);
      };
      for (const round of [1, 2, 3]) {
        // Synapse believes for two minutes what it was told of a token; of a new one it knows nothing.
        await app.refresh();
        await recorded(2 * round - 1);
        await bed.provider.sessions.loseAccessTokens(user);
        bed.takeRequests();
        assert.deepEqual(await Promise.all([app.whoami(), second.whoami()]), [me(), me()]);
        assert.equal(count(TOKEN), 1, `token requests of round ${round}`);
        await recorded(2 * round);
      }
      assert.equal(await app.token(), await second.token());
    });

    it("and lasts while Synapse cannot ask the provider", async () => {
      bed.provider.faults["/oauth2/introspect"] = { status: 503 };
      const refused = await app.tab.run<{ status: number; errcode: string }>(
        `client.whoami().catch(({ httpStatus, errcode }) => ({ status: httpStatus, errcode }))`,
      );
      assert.deepEqual(refused, { status: 503, errcode: "M_UNKNOWN" });
      assert.deepEqual(await app.events(), []);
      delete bed.provider.faults["/oauth2/introspect"];
      assert.deepEqual(await app.whoami(), me());
      assert.equal(count(TOKEN), 0);
    });
  });

  describe("ends, once, in every tab", () => {
    it("where a refresh token comes a second time: a thief's device is gone from Synapse too", async () => {
      const { tokenResponse, oidcClientSettings } = await app.stored();
      await app.refresh();
      const second = await Application.open(bed, profile);
      const token = await app.token();
      assert.deepEqual(await app.whoami(), me());

      const response = await fetch(`${bed.provider.issuer}/oauth2/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token: tokenResponse.refresh_token,
          client_id: oidcClientSettings.clientId,
        }),
      });
      const { error } = (await response.json()) as { error: string };
      assert.deepEqual([response.status, error], [400, "invalid_grant"]);

      assert.equal((await whoamiOf(token)).errcode, "M_UNKNOWN_TOKEN");
      assert.equal(await app.failure("client.whoami()"), "M_UNKNOWN_TOKEN");
      assert.deepEqual(await app.waitForEnd(), [CHANGED, ENDED]);
      assert.deepEqual(await second.waitForEnd(), [ENDED]);
      await isForgotten();
    });

    it("where the person signs the device out on the account page", async () => {
      const second = await Application.open(bed, profile);
      assert.deepEqual(await Promise.all([app.whoami(), second.whoami()]), [me(), me()]);
      const page = await profile.newTab();
      const list = "window.core.accountManagementUrl(metadata, 'org.matrix.devices_list')";
      await page.goto(
        await app.tab.run<string>(`client.getAuthMetadata().then((metadata) => ${list})`),
      );
      await page.click("[name=sign_out][value=CHOSENDEVICE]");
      await page.waitForTrue("document.body.innerText.includes('CHOSENDEVICE is signed out')");

      bed.takeRequests();
      assert.deepEqual(
        await Promise.all([
          app.failure("client.whoami()"),
          second.tab.run(`${WHOAMI}.then(({ status }) => status)`),
        ]),
        ["M_UNKNOWN_TOKEN", 401],
      );
      assert.deepEqual(await app.waitForEnd(), [ENDED]);
      assert.deepEqual(await second.waitForEnd(), [ENDED]);
      assert.equal(count(TOKEN), 1);
      await isForgotten();
      await second.tab.reload();
      await second.tab.waitForTrue("window.isReady");
      assert.equal(await second.tab.run("window.session === undefined"), true);
    });

    it("where the person closes the account, and says why to whoever refreshes", async () => {
      const page = await profile.newTab();
      await page.goto(`${bed.provider.issuer}/account?action=org.matrix.account_deactivate`);
      await page.click("[name=close]");
      await page.waitForTrue("document.body.innerText.includes('The account is closed')");
      const why = await app.tab.run<{ code: string; reason: string }>(
        "session.refresh().catch(({ code, cause }) => ({ code, reason: cause.cause.error }))",
      );
      assert.deepEqual(why, { code: "session_ended", reason: "invalid_grant" });
      assert.deepEqual(await app.waitForEnd(), [ENDED]);
      await isForgotten();
    });

    it("where the person signs out: the refresh token goes first, and Synapse's device with it", async () => {
      const second = await Application.open(bed, profile);
      const token = await app.token();
      assert.equal((await whoamiOf(token)).status, 200);
      assert.deepEqual(devices(), ["CHOSENDEVICE"]);

      assert.equal(await app.tab.run("session.signOut()"), true);
      assert.deepEqual(bed.provider.revoked, ["RefreshToken"]);
      assert.deepEqual(devices(), []);
      const { status, errcode, body } = await whoamiOf(token);
      assert.deepEqual([status, errcode, body["soft_logout"]], [401, "M_UNKNOWN_TOKEN", false]);
      assert.deepEqual(await app.waitForEnd(), [ENDED]);
      assert.deepEqual(await second.waitForEnd(), [ENDED]);
      await isForgotten();
      recordOperation("sign-out");
    });

    it(
      "where the person signs out offline; the device stays until they sign it out elsewhere",
      needs("cutting the network"),
      async () => {
        const token = await app.token();
        await app.tab.setOffline(true);
        assert.equal(await app.tab.run("session.signOut()"), false);
        assert.deepEqual(await app.waitForEnd(), [ENDED]);
        await isForgotten();
        await app.tab.setOffline(false);
        assert.equal((await whoamiOf(token)).status, 200);

        await app.tab.goto(`${bed.provider.issuer}/account?action=org.matrix.devices_list`);
        await app.tab.click("[name=sign_out][value=CHOSENDEVICE]");
        await app.tab.waitForTrue("document.body.innerText.includes('is signed out')");
        assert.equal((await whoamiOf(token)).status, 401);
      },
    );
  });

  describe("begins by a code that the person confirms on another device", () => {
    /** A browser in which nobody is signed in, which shows the code. */
    let television: Application;
    let screen: Profile;

    const begin = async (unstable: boolean): Promise<void> => {
      screen = await driver.newProfile();
      television = await Application.open(bed, screen);
      await television.tab.run(`(async () => {
        const homeserverUrl = ${JSON.stringify(bed.synapse.baseUrl)};
        const client = new core.HomeserverClient({ baseUrl: homeserverUrl });
        const metadata = await client.getAuthMetadata();
        const clientId = await core.registerOidcClient(metadata, {
          clientName: "Television", clientUri: location.origin, redirectUris: [location.href],
        });
        // Nobody has to wait for five seconds here.
        const scope = core.generateScope(undefined, { openid: false, unstable: ${unstable} });
        const codes = await core.startDeviceAuthorization({ metadata, clientId, scope });
        const session = { ...codes, interval: 0.2 };
        window.codes = session;
        window.waiting = core.waitForDeviceAuthorization({ session, metadata, clientId, homeserverUrl });
        window.waiting.catch(() => undefined);
      })()`);
    };
    afterEach(() => screen.close());

    const confirm = async () => {
      const tab = await profile.newTab();
      await tab.goto(await television.tab.run<string>("codes.verification_uri"));
      await atProvider.confirmDevice(tab, await television.tab.run<string>("codes.user_code"));
      return tab;
    };

    for (const scopes of ["stable", "unstable"]) {
      it(`and Synapse has a device more, with tokens that are renewed (${scopes} scopes)`, async () => {
        await begin(scopes === "unstable");
        await atProvider.allow(await confirm());
        await television.tab.run(
          "waiting.then((result) => page.hold(new core.OidcSession(result)))",
        );
        const { user_id, device_id } = await television.whoami();
        assert.equal(user_id, me().user_id);
        assert.equal(device_id, await television.tab.run("session.user.deviceId"));
        assert.deepEqual(devices(), ["CHOSENDEVICE", device_id]);
        const token = await television.token();
        await television.refresh();
        assert.notEqual(await television.token(), token);
        assert.equal((await television.whoami()).device_id, device_id);
        recordOperation("device-grant");
      });
    }

    it("and not where the person says no", async () => {
      await begin(false);
      await atProvider.refuse(await confirm());
      assert.equal(await television.failure("waiting"), "access_denied");
      assert.deepEqual(devices(), ["CHOSENDEVICE"]);
    });
  });
});
