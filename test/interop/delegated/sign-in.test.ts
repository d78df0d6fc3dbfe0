// Signing in to a real homeserver that leaves it to a real provider, by the elements.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Driver, Profile, Tab } from "../../e2e/driver/driver.js";
import { startBrowser } from "../../e2e/driver/engine.js";
import { waitForState, atProvider, textOf, waitForClosed } from "../../e2e/user-actions.js";
import { signInWithoutBrowser } from "../../e2e/without-browser.js";
import { operationRecorder } from "../../operations/record-operation.js";
import {
  ask,
  isSignedIn,
  openLogin,
  signIn,
  type RecordedEvent,
  type Whoami,
} from "./application.js";
import { needsOwnSynapse, startDelegated, type DelegatedTestbed } from "./testbed.js";

const recordOperation = operationRecorder("delegated");

interface Result {
  readonly scope: string;
  readonly deviceId: string;
  readonly homeserverUrl: string;
  readonly idTokenClaims: { readonly iss: string; readonly sub: string };
  readonly oidcClientSettings: { readonly issuer: string };
  readonly tokenResponse: { readonly access_token: string };
}

describe("Signing in to a Synapse that delegates", { timeout: 600_000, ...needsOwnSynapse }, () => {
  let driver: Driver;
  let bed: DelegatedTestbed;
  let profile: Profile;
  let tab: Tab;
  let user: string;

  before(async () => {
    [driver, bed] = await Promise.all([startBrowser(), startDelegated()]);
  });
  after(() => Promise.all([driver.close(), bed.close()]));
  beforeEach(async () => {
    user = await bed.createPerson();
    profile = await driver.newProfile();
    tab = await profile.newTab();
    bed.takeRequests();
  });
  afterEach(() => profile.close());

  const userId = (): string => `@${user}:${bed.synapse.serverName}`;
  const whoami = (element: string): Promise<Whoami> =>
    tab.run(`document.querySelector(${JSON.stringify(element)}).client.whoami()`);
  const result = (): Promise<Result> => tab.run("window.result");
  const events = (): Promise<readonly RecordedEvent[]> => tab.run("window.events");

  it("finds the provider by Synapse's auth_metadata, though its versions end before it", async () => {
    const { body } = await ask(bed, undefined, "GET", "versions");
    assert.ok(!(body["versions"] as readonly string[]).includes("v1.15"));
    const metadata = await ask(bed, undefined, "GET", "v1/auth_metadata");
    assert.deepEqual([metadata.status, metadata.body["issuer"]], [200, bed.provider.issuer]);
    await openLogin(bed, tab);
    const asked = await tab.run<readonly string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    assert.ok(asked.includes(`${bed.synapse.baseUrl}/_matrix/client/v1/auth_metadata`));
    assert.deepEqual(
      asked.filter((name) => name.startsWith(bed.provider.issuer)),
      [],
      "asked of the provider before the click",
    );
    await tab.click("oidc-login", "[part=button]");
    await tab.waitFor("[name=username]");
    assert.ok(tab.url().startsWith(`${bed.provider.issuer}/`));
    recordOperation("discovery");
  });

  it("wins tokens that Synapse accepts, for the very device that was chosen", async () => {
    await signIn(bed, tab, user, { "device-id": "CHOSENDEVICE" });
    const { idTokenClaims, oidcClientSettings, homeserverUrl, deviceId, scope } = await result();
    assert.equal(homeserverUrl, bed.synapse.baseUrl);
    assert.equal(oidcClientSettings.issuer, bed.provider.issuer);
    assert.equal(idTokenClaims.iss, bed.provider.issuer);
    assert.equal(idTokenClaims.sub, bed.provider.accounts.findByLocalpart(user)?.id);
    assert.equal(deviceId, "CHOSENDEVICE");
    assert.match(scope, /urn:matrix:client:api:\* urn:matrix:client:device:CHOSENDEVICE/);
    assert.deepEqual(await whoami("oidc-callback"), {
      user_id: userId(),
      device_id: "CHOSENDEVICE",
      is_guest: false,
    });
    assert.deepEqual(await events(), [{ type: "oidc-success" }]);
    assert.equal(tab.url(), `${bed.pages}/callback.html`);
    recordOperation("registration", "sign-in", "device");
  });

  it("makes a device of its own where none is chosen, another one each time", async () => {
    const ids = new Set<string>();
    for (const turn of [1, 2]) {
      await openLogin(bed, tab);
      await tab.click("oidc-login", "[part=button]");
      if (turn === 1) await atProvider.signIn(tab, user);
      else await atProvider.allow(tab);
      await isSignedIn(tab);
      const { device_id } = await whoami("oidc-callback");
      assert.equal(device_id, (await result()).deviceId);
      ids.add(device_id);
    }
    const token = (await result()).tokenResponse.access_token;
    const { body } = await ask(bed, token, "GET", "v3/devices");
    const devices = body["devices"] as readonly { device_id: string; display_name: string }[];
    assert.deepEqual(new Set(devices.map(({ device_id }) => device_id)), ids);
    assert.equal(ids.size, 2);
    assert.equal(devices[0]?.display_name, "Test application");
  });

  it("works in a window beside the page, which Synapse's answer then reaches", async () => {
    await openLogin(bed, tab, { mode: "popup", "device-id": "WINDOWDEVICE" });
    const window = await tab.clickOpening("oidc-login", "[part=button]");
    await atProvider.signIn(window, user);
    await tab.waitForTrue("window.events.length > 0");
    assert.deepEqual(await events(), [{ type: "oidc-success" }]);
    assert.deepEqual(await whoami("oidc-login"), {
      user_id: userId(),
      device_id: "WINDOWDEVICE",
      is_guest: false,
    });
    await waitForClosed(window, tab);
    await waitForState(tab, "oidc-login", "ready");
    recordOperation("window");
  });

  it("works without a browser of one's own, by the person's", async () => {
    const { tokenResponse } = await signInWithoutBrowser(bed.synapse.baseUrl, tab, (there) =>
      atProvider.signIn(there, user),
    );
    const { body } = await ask(bed, tokenResponse.access_token, "GET", "v3/account/whoami");
    assert.deepEqual([body["user_id"], body["device_id"]], [userId(), "PROGRAMDEVICE"]);
    recordOperation("without-browser");
  });

  it("works with an account that the person makes on the way, of which Synapse knew nothing", async () => {
    await openLogin(bed, tab, { prompt: "create" });
    await tab.click("oidc-login", "[part=button]");
    user += "-new";
    await atProvider.createAccount(tab, user);
    await isSignedIn(tab);
    assert.equal((await whoami("oidc-callback")).user_id, userId());
    recordOperation("create");
  });

  for (const mode of ["redirect", "popup"]) {
    it(`tells of a person who does not consent, and leaves nothing at Synapse (${mode})`, async () => {
      await openLogin(bed, tab, { mode, "device-id": "REFUSEDDEVICE" });
      const isWindow = mode === "popup";
      const way = ["oidc-login", "[part=button]"] as const;
      const page = isWindow ? await tab.clickOpening(...way) : tab;
      if (!isWindow) await tab.click(...way);
      await page.waitFor("[name=username]");
      await page.type("[name=username]", user);
      await page.type("[name=password]", `${user}-demo-password`);
      await page.click("[name=action][value=sign-in]");
      await page.waitFor("[name=action][value=allow]");
      await atProvider.refuse(page);
      if (!isWindow) await tab.waitForUrl("/callback.html");
      await tab.waitForTrue("window.events?.length > 0");
      assert.deepEqual(await events(), [{ type: "oidc-cancel", reason: "refused" }]);
      const element = isWindow ? "oidc-login" : "oidc-callback";
      assert.match(await textOf(tab, element), isWindow ? /Sign in/ : /You did not sign in\./);
      assert.ok(!bed.takeRequests().includes("POST /oauth2/token"));
      assert.deepEqual(bed.provider.sessions.of(user), []);
      assert.equal(await tab.run("localStorage.length"), 0);
      recordOperation("refusal");
    });
  }

  it("keeps the device where its person signs in to it again, and ends its old tokens", async () => {
    await signIn(bed, tab, user, { "device-id": "SAMEDEVICE" });
    const old = (await result()).tokenResponse.access_token;
    await openLogin(bed, tab, { "device-id": "SAMEDEVICE" });
    await tab.click("oidc-login", "[part=button]");
    await atProvider.allow(tab);
    await isSignedIn(tab);
    assert.equal((await whoami("oidc-callback")).device_id, "SAMEDEVICE");
    const token = (await result()).tokenResponse.access_token;
    const { body } = await ask(bed, token, "GET", "v3/devices");
    assert.equal((body["devices"] as readonly unknown[]).length, 1);
    assert.equal((await ask(bed, old, "GET", "v3/account/whoami")).errcode, "M_UNKNOWN_TOKEN");
  });
});

describe(
  "Signing in to a Synapse whose provider was away",
  { timeout: 600_000, ...needsOwnSynapse },
  () => {
    it("works once the provider is back, though Synapse let the browser keep the failure", async () => {
      // Synapse asks but once, where it gets an answer: so it must get none from the start.
      const away = { "/.well-known/openid-configuration": { status: 503 } };
      const [driver, bed] = await Promise.all([startBrowser(), startDelegated(away)]);
      try {
        const metadata = await fetch(`${bed.synapse.baseUrl}/_matrix/client/v1/auth_metadata`);
        assert.equal(metadata.status, 500);
        assert.match(metadata.headers.get("Cache-Control") ?? "", /public, max-age=600/);

        const tab = await (await driver.newProfile()).newTab();
        const query = new URLSearchParams({ homeserver: bed.synapse.baseUrl });
        await tab.goto(`${bed.pages}/?${query.toString()}`);
        await waitForState(tab, "oidc-login", "error");
        assert.match(await textOf(tab, "oidc-login"), /Something went wrong on/);

        delete bed.provider.faults["/.well-known/openid-configuration"];
        const user = await bed.createPerson();
        await tab.click("oidc-login", "[part=button]");
        await atProvider.signIn(tab, user);
        await isSignedIn(tab);
      } finally {
        await Promise.all([driver.close(), bed.close()]);
      }
    });
  },
);
