// Signing in to a real homeserver that leaves it to a real provider, by the elements.
import assert from "node:assert/strict";
import { beforeEach, it } from "node:test";
import { apiClient } from "../../contract/api-client.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { atProvider, textOf, waitForClosed, waitForState } from "../../e2e/user-actions.js";
import { signInWithoutBrowser } from "../../e2e/without-browser.js";
import { operationRecorder } from "../../operations/record-operation.js";
import {
  openLogin,
  signIn,
  waitForSignedIn,
  type RecordedEvent,
  type Whoami,
} from "./application.js";
import { describeDelegated, type DelegatedTestbed } from "./testbed.js";

const recordOperation = operationRecorder("delegated");

interface Result {
  readonly scope: string;
  readonly deviceId: string;
  readonly homeserverUrl: string;
  readonly idTokenClaims: { readonly iss: string; readonly sub: string };
  readonly oidcClientSettings: { readonly issuer: string };
  readonly tokenResponse: { readonly access_token: string };
}

describeDelegated("Signing in to a Synapse that delegates", (given) => {
  let bed: DelegatedTestbed;
  let tab: Tab;
  let user: string;

  beforeEach(async () => {
    ({ bed, user } = given);
    tab = await given.profile.newTab();
    bed.takeRequests();
  });

  const userId = (): string => `@${user}:${bed.synapse.serverName}`;
  /** Asks Synapse without the library. */
  const api = (token?: string) => apiClient(bed.synapse, token);
  const whoami = (element: string): Promise<Whoami> =>
    tab.run(`document.querySelector(${JSON.stringify(element)}).client.whoami()`);
  const result = (): Promise<Result> => tab.run("window.result");
  const events = (): Promise<readonly RecordedEvent[]> => tab.run("window.events");

  it("finds the provider by Synapse's auth_metadata, although its versions end before v1.15", async () => {
    const { body } = await api()("GET", "versions");
    assert.ok(!(body["versions"] as readonly string[]).includes("v1.15"));
    const metadata = await api()("GET", "v1/auth_metadata");
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

  it("gets tokens that Synapse accepts, for the device that the page chose", async () => {
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
    assert.equal(tab.url(), `${bed.pages.origin}/callback.html`);
    recordOperation("registration", "sign-in", "device");
  });

  it("creates another device each time when the page chooses none", async () => {
    const ids = new Set<string>();
    for (const turn of [1, 2]) {
      await openLogin(bed, tab);
      await tab.click("oidc-login", "[part=button]");
      if (turn === 1) await atProvider.signIn(tab, user);
      else await atProvider.allow(tab);
      await waitForSignedIn(tab);
      const { device_id } = await whoami("oidc-callback");
      assert.equal(device_id, (await result()).deviceId);
      ids.add(device_id);
    }
    const token = (await result()).tokenResponse.access_token;
    const { body } = await api(token)("GET", "v3/devices");
    const devices = body["devices"] as readonly { device_id: string; display_name: string }[];
    assert.deepEqual(new Set(devices.map(({ device_id }) => device_id)), ids);
    assert.equal(ids.size, 2);
    assert.equal(devices[0]?.display_name, "Test application");
  });

  it("gets tokens that Synapse accepts when the user signs in in a popup", async () => {
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

  it("gets tokens that Synapse accepts for a program that uses the user's browser", async () => {
    const { tokenResponse } = await signInWithoutBrowser(bed.synapse.baseUrl, tab, (there) =>
      atProvider.signIn(there, user),
    );
    const { body } = await api(tokenResponse.access_token)("GET", "v3/account/whoami");
    assert.deepEqual([body["user_id"], body["device_id"]], [userId(), "PROGRAMDEVICE"]);
    recordOperation("without-browser");
  });

  it("gets tokens that Synapse accepts for an account that the user creates on the way", async () => {
    await openLogin(bed, tab, { prompt: "create" });
    await tab.click("oidc-login", "[part=button]");
    user += "-new";
    await atProvider.createAccount(tab, user);
    await waitForSignedIn(tab);
    assert.equal((await whoami("oidc-callback")).user_id, userId());
    recordOperation("create");
  });

  for (const mode of ["redirect", "popup"]) {
    it(`dispatches oidc-cancel, and leaves nothing at Synapse, when the user refuses (${mode})`, async () => {
      await openLogin(bed, tab, { mode, "device-id": "REFUSEDDEVICE" });
      const isPopup = mode === "popup";
      const button = ["oidc-login", "[part=button]"] as const;
      const page = isPopup ? await tab.clickOpening(...button) : tab;
      if (!isPopup) await tab.click(...button);
      await page.waitFor("[name=username]");
      await page.type("[name=username]", user);
      await page.type("[name=password]", `${user}-demo-password`);
      await page.click("[name=action][value=sign-in]");
      await page.waitFor("[name=action][value=allow]");
      await atProvider.refuse(page);
      if (!isPopup) await tab.waitForUrl("/callback.html");
      await tab.waitForTrue("window.events?.length > 0");
      assert.deepEqual(await events(), [{ type: "oidc-cancel", reason: "refused" }]);
      const element = isPopup ? "oidc-login" : "oidc-callback";
      assert.match(await textOf(tab, element), isPopup ? /Sign in/ : /You did not sign in\./);
      assert.ok(!bed.takeRequests().includes("POST /oauth2/token"));
      assert.deepEqual(bed.provider.sessions.of(user), []);
      assert.equal(await tab.run("localStorage.length"), 0);
      recordOperation("refusal");
    });
  }

  it("keeps the device, and ends its old tokens, when the user signs in to it again", async () => {
    await signIn(bed, tab, user, { "device-id": "SAMEDEVICE" });
    const old = (await result()).tokenResponse.access_token;
    await openLogin(bed, tab, { "device-id": "SAMEDEVICE" });
    await tab.click("oidc-login", "[part=button]");
    await atProvider.allow(tab);
    await waitForSignedIn(tab);
    assert.equal((await whoami("oidc-callback")).device_id, "SAMEDEVICE");
    const token = (await result()).tokenResponse.access_token;
    const { body } = await api(token)("GET", "v3/devices");
    assert.equal((body["devices"] as readonly unknown[]).length, 1);
    assert.equal((await api(old)("GET", "v3/account/whoami")).body.errcode, "M_UNKNOWN_TOKEN");
  });
});

describeDelegated(
  "Signing in to a Synapse whose provider was away",
  (given) => {
    it("succeeds when the provider is back, although Synapse let the browser keep the failure", async () => {
      const { bed, user } = given;
      const metadata = await apiClient(bed.synapse)("GET", "v1/auth_metadata");
      assert.equal(metadata.status, 500);
      assert.match(metadata.headers.get("Cache-Control") ?? "", /public, max-age=600/);

      const tab = await given.profile.newTab();
      const query = new URLSearchParams({ homeserver: bed.synapse.baseUrl });
      await tab.goto(`${bed.pages.origin}/?${query.toString()}`);
      await waitForState(tab, "oidc-login", "error");
      assert.match(await textOf(tab, "oidc-login"), /Something went wrong on/);

      delete bed.provider.faults["/.well-known/openid-configuration"];
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab, user);
      await waitForSignedIn(tab);
    });
  },
  // Synapse asks but once, when it gets a response: so it must get none from the start.
  { "/.well-known/openid-configuration": { status: 503 } },
);
