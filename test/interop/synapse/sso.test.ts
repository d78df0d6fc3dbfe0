// Re-authentication with single sign-on: Synapse's own pages, and a real provider.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { freshName, signIn, type ApiClient, type SignedInUser } from "../../contract/api-client.js";
import { synapse } from "../../contract/synapse.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { useBrowser } from "../../e2e/fixture.js";
import { useApplication } from "../application/suite.js";
import { createAdministrator } from "./scenarios.js";
import { startSynapseWithSso } from "./sso-provider.js";
import type { Synapse } from "./synapse.js";
import { SUITE } from "../../support/wait-for.mjs";

const recordOperation = operationRecorder("synapse");

async function startWithAdministrator(): Promise<Synapse & { administrator: ApiClient }> {
  const started = await startSynapseWithSso();
  return { ...started, administrator: await createAdministrator(started) };
}

const options = { ...SUITE, skip: synapse.skip("open to all") };

describe("Single sign-on at Synapse, in Chromium", options, () => {
  const given = useApplication(useBrowser(), startWithAdministrator);
  let me: SignedInUser;
  let other: SignedInUser;

  /** Creates an account that is linked to the provider. */
  const createAccount = async () => {
    const account = { user: freshName(), password: "a-long-password" };
    const userId = await given.server.createAccount(account);
    await given.server.administrator("PUT", `v2/users/${encodeURIComponent(userId)}`, {
      external_ids: [{ auth_provider: "oidc-lantern", external_id: account.user }],
    });
    return account;
  };

  beforeEach(async () => {
    const account = await createAccount();
    me = await signIn(given.server, account);
    other = await signIn(given.server, account, "KITCHEN");
    await given.app.signIn(me);
    // The password is the other flow, which the dialog prefers.
    await given.app.set("supportedStages", ["m.login.sso"]);
  });

  const status = async ({ api }: SignedInUser): Promise<number> =>
    (await api("GET", "v3/account/whoami")).status;

  /** The user's actions in the window: on Synapse's page, and then with the provider, in two steps. */
  const signInThere = async (page: Tab, user: string): Promise<void> => {
    await page.click("a.primary-button");
    await page.type("[name=login]", user);
    await page.type("[name=password]", "any");
    await page.click("[type=submit]");
    await page.waitForTrue("document.querySelector('[name=login]') === null");
    await page.click("[type=submit]");
  };

  const openWindow = async (): Promise<Tab> => {
    await given.app.begin("deleteDevice", "KITCHEN");
    const page = await given.app.openFallback();
    await page.waitFor("a.primary-button");
    return page;
  };

  it("deletes a device when the user has signed in in a window that allows no frames", async () => {
    const page = await openWindow();
    const { headers } = await fetch(await page.url());
    assert.equal(headers.get("X-Frame-Options"), "DENY");
    assert.equal(headers.get("Content-Security-Policy"), "frame-ancestors 'none';");
    assert.equal(headers.get("Cross-Origin-Opener-Policy"), null);
    await signInThere(page, me.user);
    await given.app.result();
    assert.deepEqual([await status(other), await status(me)], [401, 200]);
    recordOperation("sso");
  });

  it("requires the password when the app supports both stages", async () => {
    await given.app.set("supportedStages", undefined);
    await given.app.begin("deleteDevice", "KITCHEN");
    await given.app.fillIn("password", me.password);
    await given.app.result();
    assert.equal(await status(other), 401);
  });

  it("reports an incomplete step when the window was closed early, and opens it again", async () => {
    await (await openWindow()).close();
    await given.app.claimFinished();
    await given.app.waitForText("This step isn’t complete yet.");
    assert.equal(await status(other), 200);
    await signInThere(await given.app.openFallback(), me.user);
    await given.app.result();
  });

  it("rejects with M_FORBIDDEN when another user has signed in in the window", async () => {
    const stranger = await createAccount();
    const page = await openWindow();
    await signInThere(page, stranger.user);
    await page.waitForTrue("document.body.innerText.includes('We were unable to validate')");
    await given.app.claimFinished();
    assert.equal(await given.app.errorCode(), "M_FORBIDDEN");
    assert.equal(await status(other), 200);
  });
});
