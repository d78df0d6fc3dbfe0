// What a person does to an account that a provider keeps: Synapse leaves it to the provider's page, and
// the application leads there.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Driver, Profile } from "../../e2e/driver/driver.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { delegatedContract } from "../../contract/delegated.js";
import { startBrowser } from "../../e2e/driver/engine.js";
import { Application, ask } from "./application.js";
import { needsOwnSynapse, startDelegated, type DelegatedTestbed } from "./testbed.js";

const recordOperation = operationRecorder("delegated");

const RESET = "org.matrix.cross_signing_reset";

describe("An account at a Synapse that delegates", { timeout: 600_000, ...needsOwnSynapse }, () => {
  let driver: Driver;
  let bed: DelegatedTestbed;
  let profile: Profile;
  let user: string;
  let app: Application;
  let token: string;

  before(async () => {
    [driver, bed] = await Promise.all([startBrowser(), startDelegated()]);
  });
  after(() => Promise.all([driver.close(), bed.close()]));
  beforeEach(async () => {
    user = await bed.createPerson();
    profile = await driver.newProfile();
    app = await Application.ofPerson(bed, profile, user, "LAPTOPDEVICE");
    token = await app.token();
  });
  afterEach(() => profile.close());

  const isOpen = (): Promise<boolean> => app.tab.run("document.querySelector('uia-dialog').open");

  describe("lets cross-signing keys", () => {
    /** The public master key that Synapse tells everybody. */
    const published = async (): Promise<unknown> => {
      const userId = `@${user}:${bed.synapse.serverName}`;
      const { body } = await ask(bed, token, "POST", "v3/keys/query", {
        device_keys: { [userId]: [] },
      });
      const masters = body["master_keys"] as Record<string, { keys: Record<string, string> }>;
      return Object.values(masters[userId]?.keys ?? {})[0];
    };
    const uploads = (): Promise<number> =>
      app.tab.run(
        "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/device_signing/upload')).length",
      );
    const makeFirstKeys = async (): Promise<unknown> => {
      await app.makeKeys();
      return app.succeeds();
    };

    it("be published for the first time without asking anybody", async () => {
      assert.equal(await published(), undefined);
      const key = await makeFirstKeys();
      assert.equal(typeof key, "string");
      assert.equal(await published(), key);
      assert.equal(await uploads(), 1);
      recordOperation("upload-keys");
    });

    for (const stage of ["m.oauth", RESET]) {
      it(`be replaced once the person has approved it on the account page, by ${stage}`, async () => {
        const first = await makeFirstKeys();
        await app.tab.run(
          `void (document.querySelector("uia-dialog").supportedStages = ["${stage}"])`,
        );
        await app.makeKeys();
        await app.says("Approve this request on your account page.");
        assert.equal(
          await app.tab.run("document.querySelector('uia-dialog').session.stage"),
          stage,
        );
        const page = await app.openPage();
        await page.waitFor("[name=allow]");
        assert.equal(page.url(), `${bed.provider.issuer}/account?action=${RESET}`);
        assert.equal(await published(), first);
        await page.click("[name=allow]");
        const second = await app.succeeds();
        assert.notEqual(second, first);
        assert.equal(await published(), second);
        assert.equal(await uploads(), 3);
        recordOperation("reset-keys", "oauth");
      });
    }

    it("not be replaced where the person comes back without approving, but then still", async () => {
      const first = await makeFirstKeys();
      await app.makeKeys();
      const page = await app.openPage();
      await page.waitFor("[name=allow]");
      await page.close();
      await app.tab.bringToFront();
      await app.tab.click("uia-fallback-frame", "[part=finished]");
      await app.says("This step isn’t complete yet");
      assert.equal(await published(), first);
      await (await app.openPage()).click("[name=allow]");
      const second = await app.succeeds();
      assert.equal(await published(), second);
    });

    it("be replaced where the person approves it in a tab that nobody opened for them", async () => {
      const first = await makeFirstKeys();
      await app.makeKeys();
      await app.says("Approve this request on your account page.");
      await (await app.openPage()).close();
      const page = await profile.newTab();
      await page.goto(`${bed.provider.issuer}/account?action=${RESET}`);
      await page.click("[name=allow]");
      await page.waitForTrue("document.body.innerText.includes('Allowed.')");
      await app.tab.bringToFront();
      await app.tab.click("uia-fallback-frame", "[part=finished]");
      assert.notEqual(await app.succeeds(), first);
    });

    it("be replaced though the token has ended while the person thought it over", async () => {
      const first = await makeFirstKeys();
      await app.makeKeys();
      const page = await app.openPage();
      await page.waitFor("[name=allow]");
      bed.takeRequests();
      await app.tab.run("{ const then = Date.now() + 360_000; Date.now = () => then; }");
      await page.click("[name=allow]");
      assert.notEqual(await app.succeeds(), first);
      assert.ok(bed.takeRequests().includes("POST /oauth2/token"), "the token is renewed");
    });

    it("stay as they are where the person calls it off", async () => {
      const first = await makeFirstKeys();
      await app.makeKeys();
      await app.says("Approve this request on your account page.");
      await app.tab.press("Escape");
      assert.equal((await app.outcome()).code, "cancelled");
      assert.equal(await published(), first);
    });
  });

  describe("is the provider's to change: Synapse has no endpoint, and the application shows the way", () => {
    /** What is wanted; what Synapse is asked; what the provider calls it, where it has a name there. */
    const wanted = [
      ["deleteDevice", "DELETE", "v3/devices/PHONEDEVICE", "org.matrix.device_delete"],
      ["deleteDevices", "POST", "v3/delete_devices", "org.matrix.devices_list"],
      ["changePassword", "POST", "v3/account/password", undefined],
      ["deactivate", "POST", "v3/account/deactivate", "org.matrix.account_deactivate"],
      ["addEmail", "POST", "v3/account/3pid/add", "org.matrix.profile"],
      ["loginToken", "POST", "v1/login/get_token", undefined],
    ] as const;

    for (const [name, method, path, action] of wanted) {
      it(`${name}: ${action ?? "its first page"}`, async () => {
        const answer = await ask(bed, token, method, path, {});
        assert.deepEqual([answer.status, answer.errcode], [404, "M_UNRECOGNIZED"]);

        await app.begin(name, "PHONEDEVICE");
        const { name: kind, code, httpStatus } = await app.outcome();
        assert.deepEqual([kind, code, httpStatus], ["MatrixError", "M_UNRECOGNIZED", 404]);
        assert.equal(await isOpen(), false);

        const page = await app.tab.clickOpening("#problem a");
        await page.waitFor("h1");
        const { origin, pathname, searchParams } = new URL(page.url());
        assert.equal(origin + pathname, `${bed.provider.issuer}/account`);
        assert.equal(await page.run("document.querySelector('h1').textContent"), user);
        assert.equal(await page.run("document.querySelector('#action').textContent"), action ?? "");
        const isOfDevice = name === "deleteDevice";
        assert.equal(searchParams.get("device_id"), isOfDevice ? "PHONEDEVICE" : null);
      });
    }

    it("the person signs another device out there, and comes back to a list without it", async () => {
      const other = await driver.newProfile();
      try {
        const phone = await Application.ofPerson(bed, other, user, "PHONEDEVICE");
        assert.equal((await phone.whoami()).device_id, "PHONEDEVICE");
        const listed = (): Promise<readonly string[]> =>
          app.tab.run(
            "client.getDevices().then(({ devices }) => devices.map(({ device_id }) => device_id).sort())",
          );
        assert.deepEqual(await listed(), ["LAPTOPDEVICE", "PHONEDEVICE"]);

        await app.begin("deleteDevice", "PHONEDEVICE");
        await app.outcome();
        const page = await app.tab.clickOpening("#problem a");
        await page.waitFor("[name=sign_out]");
        assert.equal(await page.run("document.querySelectorAll('[name=sign_out]').length"), 1);
        await page.click("[name=sign_out]");
        await page.waitForTrue("document.body.innerText.includes('PHONEDEVICE is signed out')");

        assert.deepEqual(await listed(), ["LAPTOPDEVICE"]);
        assert.equal(await phone.failure("client.whoami()"), "M_UNKNOWN_TOKEN");
        assert.deepEqual(await phone.waitForEnd(), [{ type: "session-ended", softLogout: false }]);
        assert.equal(await app.state(), "signed-in");
      } finally {
        await other.close();
      }
      recordOperation("account-links");
    });

    describe("by these answers, as the demo's homeserver", () => {
      delegatedContract(() => bed.synapse.baseUrl);
    });

    it("signing in by password, registering and signing out are not to be had of Synapse", async () => {
      const password = { type: "m.login.password", user, password: `${user}-demo-password` };
      for (const [expected, ...request] of [
        [[404, "M_UNRECOGNIZED"], "GET", "v3/login"],
        [[404, "M_UNRECOGNIZED"], "POST", "v3/login", password],
        [[404, "M_UNRECOGNIZED"], "POST", "v3/logout", {}],
        [
          [403, "M_FORBIDDEN"],
          "POST",
          "v3/register",
          { username: "anybody", password: "long-one" },
        ],
      ] as const) {
        const [method, path, body] = request;
        const { status, errcode } = await ask(bed, token, method, path, body);
        assert.deepEqual([status, errcode], expected, `${method} ${path}`);
      }
      const refused = "client.register({ username: 'anybody', password: 'a-long-password' })";
      assert.equal(await app.failure(refused), "M_FORBIDDEN");
      assert.equal(await app.failure("client.logout()"), "M_UNRECOGNIZED");
      assert.equal(await app.state(), "signed-in");
    });
  });
});
