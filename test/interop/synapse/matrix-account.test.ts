// The user's actions on a page with <matrix-account>, with a Synapse with passwords.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  apiClient,
  createSignedInUser,
  passwordLogin,
  signIn,
  type SignedInUser,
} from "../../contract/api-client.js";
import type { HomeserverUnderTest } from "../../contract/homeserver.js";
import { synapse } from "../../contract/synapse.js";
import { useBrowser } from "../../e2e/fixture.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { AccountPage } from "../application/account-page.js";
import { startApplicationPages } from "../application/application.js";
import type { Loopback } from "./loopback.js";
import { SUITE } from "../../support/wait-for.mjs";

const recordOperation = operationRecorder("synapse");

const WANTED = "with email and login tokens";
/** The default Synapse does not have these settings. */
const setUp = { skip: synapse.skip(WANTED) };

describe("<matrix-account> at Synapse", SUITE, () => {
  const browser = useBrowser();
  let server: HomeserverUnderTest;
  let pages: Loopback;
  let me: SignedInUser;
  let page: AccountPage;

  before(async () => {
    server = await synapse.start(setUp.skip ? "as it is installed" : WANTED);
    pages = await startApplicationPages();
  });
  after(() => Promise.all([server.close(), pages.close()]));
  beforeEach(async () => {
    me = await createSignedInUser(server);
    page = await AccountPage.open(pages, browser.profile);
  });

  const status = async ({ api }: SignedInUser): Promise<number> =>
    (await api("GET", "v3/account/whoami")).status;
  const canSignIn = async (password: string): Promise<boolean> => {
    const login = passwordLogin({ ...me, password });
    return (await apiClient(server)("POST", "v3/login", login)).status === 200;
  };

  it("lists the devices, renames one, and signs out two with one password", async () => {
    const others = [await signIn(server, me, "KITCHEN"), await signIn(server, me, "ATTIC")];
    await page.signIn(server, me);
    const [first, ...rest] = await page.names();
    assert.deepEqual([first, rest.sort()], ["HERE", ["ATTIC", "KITCHEN"]]);

    await page.rename((await page.names()).indexOf("KITCHEN"), "Kitchen radio");
    const renamed = { section: "devices", action: "renamed", deviceIds: ["KITCHEN"] };
    assert.deepEqual(await page.changes(), [renamed]);
    const { body } = await me.api("GET", "v3/devices/KITCHEN");
    assert.equal(body["display_name"], "Kitchen radio");

    for (const row of [1, 2]) await page.select(row);
    await page.click("[data-section=devices] [part=toolbar] .danger");
    await page.confirm(me.password);
    await page.changes();
    assert.deepEqual(await page.names(), ["HERE"]);
    assert.deepEqual(await Promise.all([...others, me].map(status)), [401, 401, 200]);
    recordOperation("account-page", "rename-device", "delete-devices");
  });

  it("changes the name and the picture, and shows them again", async () => {
    await page.signIn(server, me);
    await page.setName("Alice Example");
    assert.deepEqual(await page.changes(), [{ section: "profile", action: "display-name" }]);
    await page.setPicture();
    assert.deepEqual(await page.changes(), [{ section: "profile", action: "avatar" }]);
    const { body } = await me.api("GET", `v3/profile/${encodeURIComponent(me.userId)}`);
    assert.equal(body["displayname"], "Alice Example");
    assert.match(String(body["avatar_url"]), /^mxc:/);
    const again = await AccountPage.open(pages, browser.profile);
    await again.signIn(server, me);
    await again.waitForPicture();
    recordOperation("change-profile");
  });

  it("shows why a new password is rejected, and then changes the password", setUp, async () => {
    await page.signIn(server, me);
    await page.fillIn("password", "short");
    await page.tab.waitForTrue(
      "document.querySelector('matrix-account [name=password]')?.ariaInvalid === 'true'",
    );
    await page.fillIn("password", "a-better-password");
    await page.confirm(me.password);
    assert.deepEqual(await page.changes(), [{ section: "password", action: "changed" }]);
    assert.deepEqual(
      [await canSignIn(me.password), await canSignIn("a-better-password")],
      [false, true],
    );
    recordOperation("change-password");
  });

  it(
    "adds an email address once the link in the email was opened, and removes it",
    setUp,
    async () => {
      const address = `${me.user}@hs.example`;
      await page.signIn(server, me);
      await page.click("#add-email");
      await page.fillInDialog("email", address);
      await page.confirm(me.password);
      const email = await browser.profile.newTab();
      await email.goto(await server.linkFor(address));
      await email.waitForTrue("document.readyState === 'complete'");
      await email.close();
      await page.tab.bringToFront();
      const added = { section: "contacts", action: "added", medium: "email", address };
      assert.deepEqual(await page.changes(), [added]);
      const { body } = await me.api("GET", "v3/account/3pid");
      const [found] = body["threepids"] as readonly { readonly address: string }[];
      assert.equal(found?.address, address);
      recordOperation("add-email");

      await page.click("#remove-0");
      await page.agree();
      const removed = { section: "contacts", action: "removed", medium: "email", address };
      assert.deepEqual(await page.changes(), [removed]);
      assert.deepEqual((await me.api("GET", "v3/account/3pid")).body["threepids"], []);
      recordOperation("remove-address");
    },
  );

  it("deactivates the account, and then hides it", async () => {
    await page.signIn(server, me);
    await page.click("summary");
    await page.fillIn("user", me.userId);
    await page.agree();
    await page.confirm(me.password);
    assert.deepEqual(await page.changes(), [{ section: "deactivation", action: "deactivated" }]);
    assert.deepEqual([await status(me), await canSignIn(me.password)], [401, false]);
    assert.deepEqual(await page.names(), []);
    recordOperation("deactivate");
  });
});
