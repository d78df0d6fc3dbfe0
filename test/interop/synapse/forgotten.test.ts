import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { freshName, signIn, type SignedInUser } from "../../contract/api-client.js";
import { startChromium } from "../../e2e/driver/chromium.js";
import type { Driver, Profile } from "../../e2e/driver/driver.js";
import { openApplication, startApplication, type Application, type Pages } from "./application.js";
import { startSurrounded, REGISTRATION_TOKEN, type Surrounded } from "./scenarios.js";
import { DATABASE_ON_DISK, isForeign } from "./synapse.js";

const PASSWORD = "a-long-password";

describe(
  "A session that Synapse forgets while the person looks for the answer",
  {
    timeout: 600_000,
    skip: isForeign && "SYNAPSE_URL names a Synapse whose database is not the tests' to change",
  },
  () => {
    let driver: Driver;
    let around: Surrounded;
    let pages: Pages;
    let profile: Profile;
    let app: Application;

    before(async () => {
      [driver, around, pages] = await Promise.all([
        startChromium(),
        startSurrounded("all", DATABASE_ON_DISK),
        startApplication(),
      ]);
    });
    after(() => Promise.all([driver.close(), around.close(), pages.close()]));
    beforeEach(async () => {
      profile = await driver.newProfile();
      app = await openApplication(pages, profile, around.synapse.baseUrl);
    });
    afterEach(() => profile.close());

    const sessionId = (): Promise<string> =>
      app.tab.run("document.querySelector('uia-dialog').getSessionId()");
    const status = async ({ api }: SignedInUser): Promise<number> =>
      (await api("GET", "v3/account/whoami")).status;

    it("begins anew with the answer that was typed, and nobody is asked again", async () => {
      const { synapse } = around;
      const person = { user: freshName(), password: PASSWORD };
      await synapse.createAccount(person);
      const other = await signIn(synapse, person, "KITCHEN");
      await app.signIn(await signIn(synapse, person));
      await app.begin("deleteDevice", "KITCHEN");
      await app.tab.waitFor("uia-dialog [name=password]");
      const before = await sessionId();
      synapse.forgetProofs();
      await app.fillIn("password", PASSWORD);
      await app.succeeds();
      assert.notEqual(await sessionId(), before);
      assert.equal(await status(other), 401);
    });

    it("asks once more for what was forgotten with it", async () => {
      await app.begin("register", { username: freshName(), password: PASSWORD });
      await app.fillIn("token", REGISTRATION_TOKEN);
      await app.says("Step 2");
      around.synapse.forgetProofs();
      await app.tab.run("void document.querySelector('uia-dialog').poll()");
      await app.tab.waitFor("uia-dialog [name=token]");
      await app.fillIn("token", REGISTRATION_TOKEN);
      await app.says("Step 2");
    });
  },
);
