// The user's changes to an account, through the elements in a browser, with a real Synapse.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  apiClient,
  createSignedInUser,
  passwordLogin,
  signIn,
  type SignedInUser,
} from "../../contract/api-client.js";
import { synapse } from "../../contract/synapse.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { useBrowser } from "../../e2e/fixture.js";
import { useApplication } from "../application/suite.js";
import { SUITE } from "../../support/wait-for.mjs";

const recordOperation = operationRecorder("synapse");

const WANTED = "with email and login tokens";
/** The default Synapse does not have these settings. */
const setUp = { skip: synapse.skip(WANTED) };

describe("An account at Synapse, in Chromium", SUITE, () => {
  const browser = useBrowser();
  const given = useApplication(browser, () =>
    synapse.start(setUp.skip ? "as it is installed" : WANTED),
  );
  let me: SignedInUser;
  beforeEach(async () => {
    me = await createSignedInUser(given.server);
    await given.app.signIn(me);
  });

  const givePassword = (password = me.password): Promise<void> =>
    given.app.fillIn("password", password);
  const status = async ({ api }: SignedInUser): Promise<number> =>
    (await api("GET", "v3/account/whoami")).status;
  const canSignIn = async (password: string): Promise<boolean> => {
    const login = passwordLogin({ ...me, password });
    return (await apiClient(given.server)("POST", "v3/login", login)).status === 200;
  };
  const requestEmail = async (): Promise<string> => {
    const address = `${me.user}@hs.example`;
    await given.app.tab.run(`page.requestEmail(${JSON.stringify(address)})`);
    return address;
  };

  it("signs out one device when it is deleted with the password", async () => {
    const other = await signIn(given.server, me, "KITCHEN");
    await given.app.begin("deleteDevice", "KITCHEN");
    await givePassword();
    await given.app.result();
    assert.deepEqual([await status(other), await status(me)], [401, 200]);
    recordOperation("delete-device", "password");
  });

  it("signs out several devices when they are deleted together", async () => {
    const others = [
      await signIn(given.server, me, "KITCHEN"),
      await signIn(given.server, me, "ATTIC"),
    ];
    await given.app.begin("deleteDevices", ["KITCHEN", "ATTIC"]);
    await givePassword();
    await given.app.result();
    assert.deepEqual(await Promise.all([...others, me].map(status)), [401, 401, 200]);
    recordOperation("delete-devices");
  });

  it("accepts only the new password after the password was changed", async () => {
    await given.app.begin("changePassword", "a-better-password");
    await givePassword();
    await given.app.result();
    assert.equal(await canSignIn(me.password), false);
    assert.equal(await canSignIn("a-better-password"), true);
    recordOperation("change-password");
  });

  it("adds an email address when the link in the email was opened", setUp, async () => {
    const address = await requestEmail();
    const email = await browser.profile.newTab();
    await email.goto(await given.server.linkFor(address));
    await email.waitForTrue("document.readyState === 'complete'");
    await email.close();
    await given.app.tab.bringToFront();
    await given.app.begin("addEmail");
    await givePassword();
    await given.app.result();
    assert.deepEqual(await given.app.tab.run("page.addresses()"), [address]);
    recordOperation("add-email");
  });

  it("uploads the first cross-signing keys without the password, and new keys with it", async () => {
    await given.app.createKeys();
    const first = await given.app.result();
    await given.app.createKeys();
    await givePassword();
    const second = await given.app.result();
    assert.notEqual(second, first);
    const { body } = await me.api("POST", "v3/keys/query", { device_keys: { [me.userId]: [] } });
    const { [me.userId]: master } = body["master_keys"] as Record<string, { keys: object }>;
    assert.deepEqual(Object.values(master?.keys ?? {}), [second]);
    recordOperation("upload-keys", "reset-keys");
  });

  it("accepts no sign-in after it was deactivated", async () => {
    await given.app.begin("deactivate");
    await givePassword();
    await given.app.result();
    assert.deepEqual([await status(me), await canSignIn(me.password)], [401, false]);
    recordOperation("deactivate");
  });

  it("requires the password again after an incorrect one, with an error", async () => {
    await given.app.begin("deleteDevice", "KITCHEN");
    await givePassword("not-the-password");
    await given.app.waitForText("Incorrect password.");
    await givePassword();
    await given.app.result();
    recordOperation("wrong-answer");
  });

  it("rejects with no_auth_flow when no flow uses the email address that was given", async () => {
    await given.app.set("inputs", { emailAddress: "alice@hs.example" });
    await given.app.begin("deleteDevice", "KITCHEN");
    assert.equal(await given.app.errorCode(), "no_auth_flow");
    recordOperation("no-flow");
  });
});
