// What a person does with an account, through the real elements in a browser, at a real Synapse.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import {
  apiClient,
  passwordLogin,
  signIn,
  createSignedInUser,
  type SignedInUser,
} from "../../contract/api-client.js";
import type { HomeserverUnderTest } from "../../contract/homeserver.js";
import { synapse as kind } from "../../contract/synapse.js";
import { startChromium } from "../../e2e/driver/chromium.js";
import type { Driver, Profile } from "../../e2e/driver/driver.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { openApplication, startApplication, type Application, type Pages } from "./application.js";

const recordOperation = operationRecorder("synapse");

const WANTED = "with mail and login tokens";
const why = kind.why(WANTED);
const SCENARIO = why === undefined ? WANTED : "as it is installed";
/** What a Synapse that is only installed does not do. */
const setUp = { skip: why ?? false };

describe("An account at Synapse, in Chromium", { timeout: 600_000 }, () => {
  let driver: Driver;
  let server: HomeserverUnderTest;
  let pages: Pages;
  let profile: Profile;
  let app: Application;
  let me: SignedInUser;

  before(async () => {
    [driver, server, pages] = await Promise.all([
      startChromium(),
      kind.start(SCENARIO),
      startApplication(),
    ]);
  });
  after(() => Promise.all([driver.close(), server.close(), pages.close()]));
  beforeEach(async () => {
    me = await createSignedInUser(server);
    profile = await driver.newProfile();
    app = await openApplication(pages, profile, server.baseUrl);
    await app.signIn(me);
  });
  afterEach(() => profile.close());

  const givePassword = (password = me.password): Promise<void> => app.fillIn("password", password);
  const status = async ({ api }: SignedInUser): Promise<number> =>
    (await api("GET", "v3/account/whoami")).status;
  const canSignIn = async (password: string): Promise<boolean> =>
    (await apiClient(server)("POST", "v3/login", passwordLogin({ ...me, password }))).status ===
    200;

  it("loses one device", async () => {
    const other = await signIn(server, me, "KITCHEN");
    await app.begin("deleteDevice", "KITCHEN");
    await givePassword();
    await app.succeeds();
    assert.deepEqual([await status(other), await status(me)], [401, 200]);
    recordOperation("delete-device", "password");
  });

  it("loses several devices at once", async () => {
    const others = [await signIn(server, me, "KITCHEN"), await signIn(server, me, "ATTIC")];
    await app.begin("deleteDevices", ["KITCHEN", "ATTIC"]);
    await givePassword();
    await app.succeeds();
    assert.deepEqual(await Promise.all(others.map(status)), [401, 401]);
    assert.equal(await status(me), 200);
    recordOperation("delete-devices");
  });

  it("gets another password", async () => {
    await app.begin("changePassword", "a-better-password");
    await givePassword();
    await app.succeeds();
    assert.deepEqual(
      [await canSignIn(me.password), await canSignIn("a-better-password")],
      [false, true],
    );
    recordOperation("change-password");
  });

  it(
    "keeps its password where the homeserver refuses the new one, and says why",
    setUp,
    async () => {
      await app.begin("changePassword", "short");
      assert.equal(await app.fails(), "M_PASSWORD_TOO_SHORT");
      assert.ok(await canSignIn(me.password));
    },
  );

  it("gives a login token", setUp, async () => {
    await app.begin("loginToken");
    await givePassword();
    const { login_token: token } = (await app.succeeds()) as { login_token: string };
    const { body } = await apiClient(server)("POST", "v3/login", { type: "m.login.token", token });
    assert.equal(body["user_id"], me.userId);
  });

  it("gets a mail address, once the link in the mail was followed", setUp, async () => {
    const address = `${me.user}@hs.example`;
    await app.tab.run(`page.askForMail(${JSON.stringify(address)})`);
    await followLink(address);
    await app.begin("addEmail");
    await givePassword();
    await app.succeeds();
    assert.deepEqual(await app.tab.run("page.addresses()"), [address]);
    recordOperation("add-email");
  });

  it("cannot add a mail address whose link was not followed", setUp, async () => {
    await app.tab.run(`page.askForMail(${JSON.stringify(`${me.user}@hs.example`)})`);
    await app.begin("addEmail");
    await givePassword();
    assert.equal(await app.fails(), "M_THREEPID_AUTH_FAILED");
  });

  it("gets its first keys without a proof, and others with one", async () => {
    await app.tab.run("page.makeKeys()");
    const first = await app.succeeds();
    await app.tab.run("page.makeKeys()");
    await givePassword();
    const second = await app.succeeds();
    assert.notDeepEqual(second, first);
    const { body } = await me.api("POST", "v3/keys/query", { device_keys: { [me.userId]: [] } });
    const { [me.userId]: master } = body["master_keys"] as Record<string, { keys: object }>;
    assert.deepEqual(master?.keys, second);
    recordOperation("upload-keys", "reset-keys");
  });

  it("is closed for good", async () => {
    await app.begin("deactivate");
    await givePassword();
    await app.succeeds();
    assert.deepEqual([await status(me), await canSignIn(me.password)], [401, false]);
    recordOperation("deactivate");
  });

  it("asks again after a wrong password, and says that it was wrong", async () => {
    await signIn(server, me, "KITCHEN");
    await app.begin("deleteDevice", "KITCHEN");
    await givePassword("not-the-password");
    await app.says("Incorrect password.");
    await givePassword();
    await app.succeeds();
    recordOperation("wrong-answer");
  });

  it("is left as it was where no flow can use the address that was given", async () => {
    await app.tab.run(
      "void (document.querySelector('uia-dialog').inputs = { emailAddress: 'alice@hs.example' })",
    );
    await app.begin("deleteDevice", "KITCHEN");
    assert.equal(await app.fails(), "no_auth_flow");
    recordOperation("no-flow");
  });

  it("is left as it was where the person calls it off", async () => {
    const other = await signIn(server, me, "KITCHEN");
    await app.begin("deleteDevice", "KITCHEN");
    await app.tab.waitFor("uia-dialog [name=password]");
    await app.tab.press("Escape");
    assert.equal(await app.fails(), "cancelled");
    assert.equal(await status(other), 200);
  });

  it("begins anew where the homeserver does not know the session any more", async () => {
    const other = await signIn(server, me, "KITCHEN");
    // As if it had been begun two days ago, when Synapse forgot it.
    await app.tab.run("void (document.querySelector('uia-dialog').sessionId = 'x'.repeat(24))");
    await app.begin("deleteDevice", "KITCHEN");
    await givePassword();
    await app.succeeds();
    assert.equal(await status(other), 401);
  });

  it("ends with an error where the access token is not good any more", async () => {
    await app.begin("deleteDevice", "KITCHEN");
    await app.tab.waitFor("uia-dialog [name=password]");
    await me.api("POST", "v3/logout", {});
    await givePassword();
    assert.equal(await app.fails(), "M_UNKNOWN_TOKEN");
  });

  const followLink = async (address: string): Promise<void> => {
    const mail = await profile.newTab();
    await mail.goto(await server.linkFor(address));
    await mail.waitForTrue("document.readyState === 'complete'");
    await mail.close();
    await app.tab.bringToFront();
  };
});
