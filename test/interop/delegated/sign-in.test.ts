// The elements sign in to a real homeserver with a real provider.
import assert from "node:assert/strict";
import { beforeEach, it } from "node:test";
import { apiClient } from "../../contract/api-client.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { Login } from "../../e2e/login.js";
import {
  choiceFlows,
  deviceFlows,
  sessionFlows,
  signInFlows,
  type FlowContext,
} from "../../e2e/login-flows.js";
import { atProvider, waitForState, waitForText } from "../../e2e/user-actions.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { describeDelegated, type DelegatedTestbed } from "./testbed.js";

const recordOperation = operationRecorder("delegated");

describeDelegated("Signing in to a Synapse that delegates", (given) => {
  let bed: DelegatedTestbed;
  let tab: Tab;
  let user: string;

  beforeEach(async () => {
    ({ bed, user } = given);
    tab = await given.profile.newTab();
    bed.takeRequests();
  });

  /** Sends requests to Synapse without the library. */
  const api = (token?: string) => apiClient(bed.synapse, token);
  it("finds the provider through Synapse's auth_metadata, although Synapse doesn't list v1.15", async () => {
    const { body } = await api()("GET", "versions");
    assert.ok(!(body["versions"] as readonly string[]).includes("v1.15"));
    const metadata = await api()("GET", "v1/auth_metadata");
    assert.deepEqual([metadata.status, metadata.body["issuer"]], [200, bed.provider.issuer]);
    const login = new Login(bed.loginAs(user), tab);
    await login.open();
    const asked = await tab.run<readonly string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    assert.ok(asked.includes(`${bed.synapse.baseUrl}/_matrix/client/v1/auth_metadata`));
    assert.deepEqual(
      asked.filter((name) => name.startsWith(bed.provider.issuer)),
      [`${bed.provider.issuer}/.well-known/openid-configuration`],
      "requested from the provider before the click",
    );
    await login.click();
    await tab.waitFor("[name=username]");
    assert.ok((await tab.url()).startsWith(`${bed.provider.issuer}/`));
    recordOperation("discovery");
  });

  const flow = (): FlowContext => ({ ...given, servers: bed.loginAs(user), tab });
  signInFlows(flow, recordOperation);
  choiceFlows(flow, recordOperation);
  sessionFlows(flow, recordOperation);
  deviceFlows(flow, recordOperation);

  it("signs in only with OAuth 2.0 when the homeserver's name is typed into <matrix-login>", async () => {
    await tab.goto(`${bed.pages.origin}/matrix-login.html`);
    await tab.type("matrix-login #homeserver", bed.synapse.serverName);
    await waitForState(tab, "matrix-login", "ready");
    assert.equal(await tab.run("document.querySelector('input[type=password]')"), null);
    await tab.click("matrix-login", "oidc-login button");
    await atProvider.signIn(tab, user);
    await waitForState(tab, "matrix-login", "success");
    const { kind, userId } = await tab.run<Record<string, string>>(
      `(({ kind, user }) => ({ kind, ...user }))(document.querySelector("matrix-login").session)`,
    );
    assert.deepEqual([kind, userId], ["oauth", `@${user}:${bed.synapse.serverName}`]);
    assert.equal(await tab.run("location.hash + location.search"), "");
    recordOperation("any-homeserver");
  });

  it("keeps the device, and ends its old tokens, when the user signs in to it again", async () => {
    const login = new Login(bed.loginAs(user), tab, { "device-id": "SAMEDEVICE" });
    const old = (await login.signIn()).tokenResponse.access_token;
    await login.start();
    await atProvider.allow(tab);
    const { tokenResponse } = await login.waitForSuccess();
    assert.equal((await login.whoami()).device_id, "SAMEDEVICE");
    const { body } = await api(tokenResponse.access_token)("GET", "v3/devices");
    const devices = body["devices"] as readonly { display_name: string }[];
    assert.deepEqual(
      devices.map(({ display_name }) => display_name),
      ["Test application"],
    );
    assert.equal(await bed.isActive(old), false);
  });
});

describeDelegated(
  "Signing in to a Synapse whose provider was away",
  (given) => {
    it("succeeds when the provider is available again, although the browser has cached Synapse's failure", async () => {
      const { bed, user } = given;
      const metadata = await apiClient(bed.synapse)("GET", "v1/auth_metadata");
      assert.equal(metadata.status, 500);
      assert.match(metadata.headers.get("Cache-Control") ?? "", /public, max-age=600/);

      const tab = await given.profile.newTab();
      const login = new Login(bed.loginAs(user), tab);
      await tab.goto(login.url());
      await login.click();
      await waitForState(tab, "oidc-login", "error");
      await waitForText(tab, "oidc-login", /Something went wrong on/);

      delete bed.provider.faults["/.well-known/openid-configuration"];
      await login.click();
      await atProvider.signIn(tab, user);
      await login.waitForSuccess();
    });
  },
  // Synapse keeps the first successful response, so the first one must fail.
  { "/.well-known/openid-configuration": { status: 503 } },
);
