// The account, its devices, and its sessions at a Synapse that delegates to Matrix Authentication Service.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { apiClient } from "../../contract/api-client.js";
import { delegatedContract } from "../../contract/delegated.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { REFUSED, failureOf, waitForEnd } from "../../e2e/login.js";
import { comeBack } from "../../e2e/user-actions.js";
import { AccountPage } from "../application/account-page.js";
import { SessionApplication } from "../delegated/application.js";
import { describeMas } from "./testbed.js";
import { atMas } from "./user-actions.js";

const RESET = "org.matrix.cross_signing_reset";

describeMas("An account at Matrix Authentication Service", (given) => {
  describe("without an app's request", () => delegatedContract(() => given.bed.homeserver));

  let app: SessionApplication;
  beforeEach(async () => {
    app = await SessionApplication.signIn(given.bed, given.profile, given.user, "LAPTOPDEVICE");
  });
  const signInPhone = async (): Promise<SessionApplication> =>
    SessionApplication.signIn(
      given.bed,
      await given.driver.newProfile(),
      given.user,
      "PHONEDEVICE",
    );
  const openAccountPage = async (query = ""): Promise<Tab> => {
    const page = await given.profile.newTab();
    await page.goto(`${given.bed.issuer}account/${query}`);
    return page;
  };

  describe("in <matrix-account>", () => {
    let page: AccountPage;
    beforeEach(async () => {
      page = await AccountPage.open(given.bed.pages, given.profile);
      await page.waitForReady();
    });
    const shown = <Value>(property: string): Promise<Value> =>
      page.tab.run(`document.querySelector("matrix-account").${property}`);
    const devices = (): Promise<readonly string[]> =>
      shown("devices.map(({ device_id }) => device_id).sort()");

    it("renames a device, changes the name, and shows the picture", async () => {
      assert.equal(await shown("management"), "provider");
      await page.rename(0, "My laptop");
      const renamed = { section: "devices", action: "renamed", deviceIds: ["LAPTOPDEVICE"] };
      assert.deepEqual(await page.changes(), [renamed]);
      await page.setName("Alice Example");
      assert.deepEqual(await page.changes(), [{ section: "profile", action: "display-name" }]);
      await page.setPicture();
      assert.deepEqual(await page.changes(), [{ section: "profile", action: "avatar" }]);
      await page.waitForPicture();
    });

    it("no longer lists a device when the user returns from the page on which they removed it", async () => {
      const phone = await signInPhone();
      await page.tab.run("void document.querySelector('matrix-account').refresh()");
      await page.tab.waitForTrue("document.querySelector('matrix-account').devices.length === 2");
      assert.deepEqual(await devices(), ["LAPTOPDEVICE", "PHONEDEVICE"]);
      const link = 'a[href$="device_id=PHONEDEVICE"]';
      await page.click("#details-0");
      const provider = await page.tab.clickOpening("matrix-account", link);
      await atMas.removeDevice(provider);
      await provider.close();
      await comeBack(page.tab);
      const gone = { section: "devices", action: "signed-out", deviceIds: ["PHONEDEVICE"] };
      assert.deepEqual(await page.changes(), [gone]);
      assert.deepEqual(await devices(), ["LAPTOPDEVICE"]);
      assert.equal(await failureOf(phone.tab, "session.refresh()"), "session_ended");
      assert.equal(await app.state(), "signed-in");
    });

    it("links to the pages that the provider has", async () => {
      const links = await page.tab.run<readonly string[]>(
        `[...document.querySelector("matrix-account").shadowRoot.querySelectorAll("a[href]")]
          .map(({ href }) => href)`,
      );
      assert.ok(links.length > 0);
      for (const link of links) {
        const { origin, pathname } = new URL(link);
        assert.equal(`${origin}${pathname}`, `${given.bed.issuer}account/`);
        const opened = await given.profile.newTab();
        await opened.goto(link);
        await opened.waitForTrue(`document.body.innerText.includes(${JSON.stringify(given.user)})
          || document.body.innerText.includes("LAPTOPDEVICE")`);
        await opened.close();
      }
    });
  });

  it("ends its session in every tab when the user removes the device", async () => {
    const second = await SessionApplication.openTab(given.bed, given.profile);
    const page = await openAccountPage("?action=org.matrix.device_delete&device_id=LAPTOPDEVICE");
    await atMas.removeDevice(page);
    assert.equal(await failureOf(app.tab, "session.refresh()"), "session_ended");
    for (const { tab } of [app, second]) assert.deepEqual((await waitForEnd(tab)).at(-1), REFUSED);
    assert.equal(await app.tab.run("localStorage.length"), 0);
  });

  it("stays signed in while it is locked, and works again once it is unlocked", async () => {
    await given.bed.mas.administer(given.user, "lock");
    await app.refresh();
    assert.equal(await failureOf(app.tab, "client.whoami()"), "M_UNKNOWN_TOKEN");
    assert.equal(await app.state(), "signed-in");
    await given.bed.mas.administer(given.user, "unlock");
    await app.refresh();
    assert.equal((await app.whoami()).device_id, "LAPTOPDEVICE");
  });

  it("ends its session when it is deactivated", async () => {
    await given.bed.mas.administer(given.user, "deactivate");
    assert.equal(await failureOf(app.tab, "session.refresh()"), "session_ended");
    assert.deepEqual((await waitForEnd(app.tab)).at(-1), REFUSED);
  });

  for (const stage of ["m.oauth", RESET]) {
    it(`replaces cross-signing keys, with ${stage}, when the user has allowed it on the account page`, async () => {
      await app.createKeys();
      const first = await app.result();
      await app.set("supportedStages", [stage]);
      await app.createKeys();
      await app.waitForText("Approve this request on your account page.");
      await atMas.allowReset(await app.openFallback());
      await app.claimFinished();
      const second = await app.result();
      assert.notEqual(second, first);
      const userId = `@${given.user}:${given.bed.synapse.serverName}`;
      const query = { device_keys: { [userId]: [] } };
      const api = apiClient(given.bed.synapse, await app.token());
      const { body } = await api("POST", "v3/keys/query", query);
      const masters = body["master_keys"] as Record<string, { keys: Record<string, string> }>;
      assert.equal(Object.values(masters[userId]?.keys ?? {})[0], second);
    });
  }
});
