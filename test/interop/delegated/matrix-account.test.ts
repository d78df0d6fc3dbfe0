// The user's actions on a page with <matrix-account> and a provider.
import assert from "node:assert/strict";
import { it } from "node:test";
import { apiClient } from "../../contract/api-client.js";
import { atProvider, comeBack, waitForPageText } from "../../e2e/user-actions.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { AccountPage } from "../application/account-page.js";
import { SessionApplication } from "./application.js";
import { describeDelegated } from "./testbed.js";

const recordOperation = operationRecorder("delegated");

describeDelegated("<matrix-account> at a Synapse that delegates", (given) => {
  it("renames a device, and no longer lists it once it is removed on the provider's page", async () => {
    const { bed, profile, user } = given;
    const other = await given.driver.newProfile();
    try {
      const phone = await SessionApplication.signIn(bed, other, user, "PHONEDEVICE");
      const laptop = await SessionApplication.signIn(bed, profile, user, "LAPTOPDEVICE");
      const page = await AccountPage.open(bed.pages, profile);
      await page.waitForReady();
      const management = "document.querySelector('matrix-account').management";
      assert.equal(await page.tab.run(management), "provider");
      const ids = "document.querySelector('matrix-account').devices.map((each) => each.device_id)";
      assert.deepEqual(await page.tab.run(ids), ["LAPTOPDEVICE", "PHONEDEVICE"]);

      await page.rename(1, "My phone");
      const renamed = { section: "devices", action: "renamed", deviceIds: ["PHONEDEVICE"] };
      assert.deepEqual(await page.changes(), [renamed]);
      const api = apiClient(bed.synapse, await laptop.token());
      const { body } = await api("GET", "v3/devices/PHONEDEVICE");
      assert.equal(body["display_name"], "My phone");

      await page.setName("Alice Example");
      assert.deepEqual(await page.changes(), [{ section: "profile", action: "display-name" }]);
      await page.setPicture();
      assert.deepEqual(await page.changes(), [{ section: "profile", action: "avatar" }]);
      await page.waitForPicture();

      const link = 'a[href$="device_id=PHONEDEVICE"]';
      const provider = await page.tab.clickOpening("matrix-account", link);
      await atProvider.confirm(provider, "remove");
      await waitForPageText(provider, "PHONEDEVICE is removed.");
      await provider.close();
      await comeBack(page.tab);
      const gone = { section: "devices", action: "signed-out", deviceIds: ["PHONEDEVICE"] };
      assert.deepEqual(await page.changes(), [gone]);
      assert.deepEqual(await page.tab.run(ids), ["LAPTOPDEVICE"]);
      assert.equal(await laptop.state(), "signed-in");
      assert.equal(
        await phone.tab.run("client.whoami().catch(({ errcode }) => errcode)"),
        "M_UNKNOWN_TOKEN",
      );
      recordOperation("account-page", "rename-device", "change-profile");
    } finally {
      await other.close();
    }
  });
});
