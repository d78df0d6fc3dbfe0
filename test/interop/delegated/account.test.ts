// Changes to an account with a provider. Synapse leaves them to the provider's page, which the app links to.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { apiClient } from "../../contract/api-client.js";
import { delegatedContract } from "../../contract/delegated.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { REFUSED, failureOf, waitForEnd } from "../../e2e/login.js";
import { atProvider, waitForPageText } from "../../e2e/user-actions.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { SessionApplication } from "./application.js";
import { describeDelegated } from "./testbed.js";

const recordOperation = operationRecorder("delegated");

const RESET = "org.matrix.cross_signing_reset";
const APPROVE = "Approve this request on your account page.";

describeDelegated("An account at a Synapse that delegates", (given) => {
  describe("without an app's request", () => delegatedContract(() => given.bed.synapse.baseUrl));

  describe("in Chromium", () => {
    let app: SessionApplication;
    beforeEach(async () => {
      app = await SessionApplication.signIn(given.bed, given.profile, given.user, "LAPTOPDEVICE");
    });

    /** The user's public master key on Synapse. */
    const publishedKey = async (): Promise<unknown> => {
      const userId = `@${given.user}:${given.bed.synapse.serverName}`;
      const query = { device_keys: { [userId]: [] } };
      const api = apiClient(given.bed.synapse, await app.token());
      const { body } = await api("POST", "v3/keys/query", query);
      const masters = body["master_keys"] as Record<string, { keys: Record<string, string> }>;
      return Object.values(masters[userId]?.keys ?? {})[0];
    };
    const uploads = (): Promise<number> =>
      app.tab.run(
        "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/device_signing/upload')).length",
      );
    const createKeys = async (): Promise<unknown> => {
      await app.createKeys();
      return app.result();
    };
    /** Opens the page on which the user allows new keys. */
    const openAccountPage = async (): Promise<Tab> => {
      const page = await app.openFallback();
      await page.waitFor("[name=allow]");
      return page;
    };

    it("publishes the first cross-signing keys without a question", async () => {
      assert.equal(await publishedKey(), undefined);
      const key = await createKeys();
      assert.equal(typeof key, "string");
      assert.equal(await publishedKey(), key);
      assert.equal(await uploads(), 1);
      recordOperation("upload-keys");
    });

    for (const stage of ["m.oauth", RESET]) {
      it(`replaces the keys, with ${stage}, when the user has approved it on the account page`, async () => {
        const first = await createKeys();
        await app.set("supportedStages", [stage]);
        await app.createKeys();
        await app.waitForText(APPROVE);
        const found = await app.tab.run("document.querySelector('uia-dialog').session.stage");
        assert.equal(found, stage);
        const page = await openAccountPage();
        assert.equal(await page.url(), `${given.bed.provider.issuer}/account?action=${RESET}`);
        assert.equal(await publishedKey(), first);
        await page.click("[name=allow]");
        const second = await app.result();
        assert.notEqual(second, first);
        assert.equal(await publishedKey(), second);
        assert.equal(await uploads(), 3);
        recordOperation("reset-keys", "oauth");
      });
    }

    it("keeps the keys when the user returns without approving, and replaces them after the approval", async () => {
      const first = await createKeys();
      await app.createKeys();
      await (await openAccountPage()).close();
      await app.claimFinished();
      await app.waitForText("This step isn’t complete yet");
      assert.equal(await publishedKey(), first);
      await (await openAccountPage()).click("[name=allow]");
      assert.equal(await app.result(), await publishedKey());
    });

    /** The app's operation, and the provider's action for it, if any. */
    for (const [name, action] of [
      ["deleteDevice", "org.matrix.device_delete"],
      ["deleteDevices", "org.matrix.devices_list"],
      ["changePassword", undefined],
      ["deactivate", "org.matrix.account_deactivate"],
      ["addEmail", "org.matrix.profile"],
      ["loginToken", undefined],
    ] as const) {
      it(`rejects ${name} with M_UNRECOGNIZED, which the provider's page ${action ?? "without an action"} can do instead`, async () => {
        await app.begin(name, "PHONEDEVICE");
        const { name: kind, code, httpStatus } = await app.outcome();
        assert.deepEqual([kind, code, httpStatus], ["MatrixError", "M_UNRECOGNIZED", 404]);
        assert.equal(await app.tab.run("document.querySelector('uia-dialog').open"), false);

        const page = await app.tab.clickOpening("#problem a");
        await page.waitFor("h1");
        const { origin, pathname, searchParams } = new URL(await page.url());
        assert.equal(origin + pathname, `${given.bed.provider.issuer}/account`);
        assert.equal(
          await page.run("document.querySelector('.account strong').textContent"),
          given.user,
        );
        assert.equal(searchParams.get("action"), action ?? null);
        const device = name === "deleteDevice" ? "PHONEDEVICE" : null;
        assert.equal(searchParams.get("device_id"), device);
      });
    }

    it("no longer lists a device when the user has signed it out on the provider's page", async () => {
      const other = await given.driver.newProfile();
      try {
        const { bed, user } = given;
        const phone = await SessionApplication.signIn(bed, other, user, "PHONEDEVICE");
        assert.equal((await phone.whoami()).device_id, "PHONEDEVICE");
        const listed = (): Promise<readonly string[]> =>
          app.tab.run(
            "client.getDevices().then(({ devices }) => devices.map(({ device_id }) => device_id).sort())",
          );
        assert.deepEqual(await listed(), ["LAPTOPDEVICE", "PHONEDEVICE"]);

        await app.begin("deleteDevice", "PHONEDEVICE");
        await app.outcome();
        const page = await app.tab.clickOpening("#problem a");
        await atProvider.confirm(page, "remove");
        await waitForPageText(page, "PHONEDEVICE is removed.");

        assert.deepEqual(await listed(), ["LAPTOPDEVICE"]);
        assert.equal(await failureOf(phone.tab, "client.whoami()"), "M_UNKNOWN_TOKEN");
        assert.deepEqual(await waitForEnd(phone.tab), [REFUSED]);
        assert.equal(await app.state(), "signed-in");
      } finally {
        await other.close();
      }
      recordOperation("account-links");
    });
  });
});
