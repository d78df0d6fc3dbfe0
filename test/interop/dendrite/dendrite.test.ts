// Dendrite, a homeserver with passwords that other people wrote: what its users do with the elements. Where it differs from
// Synapse, the test's title says so.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  apiClient,
  createSignedInUser,
  freshName,
  passwordLogin,
  signIn,
  type SignedInUser,
} from "../../contract/api-client.js";
import { useBrowser } from "../../e2e/fixture.js";
import { waitForState } from "../../e2e/user-actions.js";
import { AccountPage } from "../application/account-page.js";
import { Application, startApplicationPages } from "../application/application.js";
import type { Loopback } from "../synapse/loopback.js";
import { startDendrite, type Dendrite } from "./dendrite.js";
import { SUITE } from "../../support/wait-for.mjs";

describe("Dendrite 0.13.8, in Chromium", SUITE, () => {
  const browser = useBrowser();
  let server: Dendrite;
  let pages: Loopback;
  let me: SignedInUser;

  before(async () => {
    [server, pages] = await Promise.all([
      startDendrite({ registration_disabled: false }),
      startApplicationPages(),
    ]);
  });
  after(() => Promise.all([server.close(), pages.close()]));
  beforeEach(async () => void (me = await createSignedInUser(server)));

  const status = async ({ api }: SignedInUser): Promise<number> =>
    (await api("GET", "v3/account/whoami")).status;
  const canSignIn = async (password: string): Promise<boolean> => {
    const login = passwordLogin({ ...me, password });
    return (await apiClient(server)("POST", "v3/login", login)).status === 200;
  };

  describe("<matrix-login>", () => {
    const open = async () => {
      const tab = await browser.profile.newTab();
      await tab.goto(`${pages.origin}/matrix-login.html`);
      await tab.type("matrix-login #homeserver", server.serverName);
      await waitForState(tab, "matrix-login", "ready");
      const fill = async (values: Readonly<Record<string, string>>): Promise<void> => {
        for (const [name, value] of Object.entries(values)) {
          await tab.type(`matrix-login [name=${name}]`, value);
        }
        await tab.click("matrix-login [part=submit]");
      };
      const userId = async (): Promise<string> => {
        await waitForState(tab, "matrix-login", "success");
        return tab.run("document.querySelector('matrix-login').session.user.userId");
      };
      return { tab, fill, userId };
    };

    it("signs in with a password after a wrong one", async () => {
      const login = await open();
      await login.fill({ username: me.user, password: "wrong" });
      await waitForState(login.tab, "matrix-login", "error");
      await login.fill({ password: me.password });
      assert.equal(await login.userId(), me.userId);
    });

    it("creates an account", async () => {
      const login = await open();
      await login.tab.click("matrix-login [part=register]");
      const user = freshName();
      await login.tab.waitFor("matrix-login [name=repeat]");
      await login.fill({ username: user, password: "a-long-password", repeat: "a-long-password" });
      assert.equal(await login.userId(), `@${user}:${server.serverName}`);
    });
  });

  describe("<matrix-account>", () => {
    let page: AccountPage;
    beforeEach(async () => {
      page = await AccountPage.open(pages, browser.profile);
      await page.signIn(server, me);
    });

    it("renames a device, and signs out two with one password", async () => {
      const others = [await signIn(server, me, "KITCHEN"), await signIn(server, me, "ATTIC")];
      await page.tab.run("void document.querySelector('matrix-account').refresh()");
      await page.tab.waitForTrue("document.querySelector('matrix-account').devices.length > 2");
      await page.rename((await page.names()).indexOf("KITCHEN"), "Kitchen radio");
      await page.changes();
      const { body } = await me.api("GET", "v3/devices/KITCHEN");
      assert.equal(body["display_name"], "Kitchen radio");

      for (const name of ["Kitchen radio", "ATTIC"]) {
        await page.select((await page.names()).indexOf(name));
      }
      await page.click("[data-section=devices] [part=toolbar] .danger");
      await page.confirm(me.password);
      await page.changes();
      assert.deepEqual(await Promise.all([...others, me].map(status)), [401, 401, 200]);
    });

    it("changes the name and the picture, and shows them, although the new media path fails in pages", async () => {
      await page.setName("Alice Example");
      assert.deepEqual(await page.changes(), [{ section: "profile", action: "display-name" }]);
      await page.setPicture();
      assert.deepEqual(await page.changes(), [{ section: "profile", action: "avatar" }]);
      const again = await AccountPage.open(pages, browser.profile);
      await again.signIn(server, me);
      await again.waitForPicture();
    });

    it("changes the password", async () => {
      await page.fillIn("password", "a-better-password");
      await page.confirm(me.password);
      assert.deepEqual(await page.changes(), [{ section: "password", action: "changed" }]);
      const can = [await canSignIn(me.password), await canSignIn("a-better-password")];
      assert.deepEqual(can, [false, true]);
    });
  });

  describe("<uia-dialog>", () => {
    let app: Application;
    beforeEach(async () => {
      app = await Application.open(pages, browser.profile, server.baseUrl);
      await app.signIn(me);
    });

    it("requests the password again after a wrong one, although Dendrite forgets the session", async () => {
      const other = await signIn(server, me, "KITCHEN");
      await app.begin("deleteDevice", "KITCHEN");
      await app.fillIn("password", "wrong");
      await app.waitForText("password");
      await app.fillIn("password", me.password);
      await app.result();
      assert.deepEqual([await status(other), await status(me)], [401, 200]);
    });

    it("rejects a short new password only after the stage for the old password", async () => {
      await app.begin("changePassword", "short");
      await app.fillIn("password", me.password);
      assert.equal(await app.errorCode(), "M_WEAK_PASSWORD");
      assert.equal(await canSignIn(me.password), true);
    });

    it("uploads cross-signing keys, with the password even for the first ones", async () => {
      await app.createKeys();
      await app.fillIn("password", me.password);
      assert.equal(typeof (await app.result()), "string");
    });

    it("deactivates the account", async () => {
      await app.begin("deactivate");
      await app.fillIn("password", me.password);
      await app.result();
      assert.deepEqual([await status(me), await canSignIn(me.password)], [401, false]);
    });
  });
});
