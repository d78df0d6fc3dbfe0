// Proving again who one is by single sign-on: Synapse's own pages, and a real provider behind them.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { freshName, signIn, type SignedInUser } from "../../contract/api-client.js";
import { startChromium } from "../../e2e/driver/chromium.js";
import type { Driver, Profile, Tab } from "../../e2e/driver/driver.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { openApplication, startApplication, type Application, type Pages } from "./application.js";
import type { Loopback } from "./loopback.js";
import { administratorOf } from "./scenarios.js";
import { SSO_CLIENT, startSsoProvider } from "./sso-provider.js";
import { freePort } from "../servers/process.js";
import { isForeign, startSynapse, type Synapse } from "./synapse.js";

const recordOperation = operationRecorder("synapse");

const SSO = "m.login.sso";

describe(
  "Single sign-on at Synapse, in Chromium",
  {
    timeout: 600_000,
    skip: isForeign && "SYNAPSE_URL names a Synapse whose settings are not the tests' to make",
  },
  () => {
    let driver: Driver;
    let provider: Loopback;
    let synapse: Synapse;
    let ask: Awaited<ReturnType<typeof administratorOf>>;
    let pages: Pages;
    let profile: Profile;
    let app: Application;
    let me: SignedInUser;
    let other: SignedInUser;

    before(async () => {
      const port = await freePort();
      provider = await startSsoProvider(`http://localhost:${port}/_synapse/client/oidc/callback`);
      const settings = {
        oidc_providers: [
          {
            idp_id: "sso",
            idp_name: "Lantern",
            issuer: provider.origin,
            ...SSO_CLIENT,
            scopes: ["openid"],
            // It is plain http.
            skip_verification: true,
            user_mapping_provider: { config: { localpart_template: "{{ user.sub }}" } },
          },
        ],
      };
      synapse = await startSynapse({ port, settings });
      [driver, pages, ask] = await Promise.all([
        startChromium(),
        startApplication(),
        administratorOf(synapse),
      ]);
    });
    after(() => Promise.all([driver.close(), pages.close(), synapse.close(), provider.close()]));

    beforeEach(async () => {
      const person = { user: freshName(), password: "a-long-password" };
      const userId = await synapse.createAccount(person);
      await ask("PUT", `v2/users/${encodeURIComponent(userId)}`, {
        external_ids: [{ auth_provider: "oidc-sso", external_id: person.user }],
      });
      me = await signIn(synapse, person);
      other = await signIn(synapse, person, "KITCHEN");
      profile = await driver.newProfile();
      app = await openApplication(pages, profile, synapse.baseUrl);
      await app.signIn(me);
      // The password is another way, and the dialog's first choice.
      await app.tab.run(
        `void (document.querySelector("uia-dialog").supportedStages = [${JSON.stringify(SSO)}])`,
      );
    });
    afterEach(() => profile.close());

    const status = async ({ api }: SignedInUser): Promise<number> =>
      (await api("GET", "v3/account/whoami")).status;

    /** What the person does in the window: Synapse asks first, then the provider, in two steps. */
    const signInThere = async (page: Tab, user: string): Promise<void> => {
      await page.waitFor("a.primary-button");
      await page.click("a.primary-button");
      await page.waitFor("[name=login]");
      await page.type("[name=login]", user);
      await page.type("[name=password]", "any");
      await page.click("[type=submit]");
      await page.waitForTrue("document.querySelector('[name=login]') === null");
      await page.waitFor("[type=submit]");
      await page.click("[type=submit]");
    };

    it("opens in a window that may not be framed; the dialog hears of the end, and goes on", async () => {
      await app.begin("deleteDevice", "KITCHEN");
      const page = await app.openPage();
      await page.waitFor("a.primary-button");
      const { headers } = await fetch(page.url());
      assert.equal(headers.get("X-Frame-Options"), "DENY");
      assert.equal(headers.get("Content-Security-Policy"), "frame-ancestors 'none';");
      assert.equal(headers.get("Cross-Origin-Opener-Policy"), null);
      await signInThere(page, me.user);
      await app.succeeds();
      assert.deepEqual([await status(other), await status(me)], [401, 200]);
      recordOperation("sso");
    });

    it("is one of two ways: the password is asked for where nothing else is said", async () => {
      await app.tab.run('void (document.querySelector("uia-dialog").supportedStages = undefined)');
      await app.begin("deleteDevice", "KITCHEN");
      await app.fillIn("password", me.password);
      await app.succeeds();
      assert.equal(await status(other), 401);
    });

    it("says that nothing was seen, where the window was closed before its end", async () => {
      await app.begin("deleteDevice", "KITCHEN");
      const page = await app.openPage();
      await page.waitFor("a.primary-button");
      await page.close();
      await app.tab.bringToFront();
      await app.tab.click("uia-fallback-frame", "[part=finished]");
      await app.says("This step isn’t complete yet");
      assert.equal(await status(other), 200);
      await signInThere(await app.openPage(), me.user);
      await app.succeeds();
    });

    it("does not take somebody else for the account's owner", async () => {
      const stranger = { user: freshName(), password: "a-long-password" };
      const userId = await synapse.createAccount(stranger);
      await ask("PUT", `v2/users/${encodeURIComponent(userId)}`, {
        external_ids: [{ auth_provider: "oidc-sso", external_id: stranger.user }],
      });
      await app.begin("deleteDevice", "KITCHEN");
      const page = await app.openPage();
      await signInThere(page, stranger.user);
      await page.waitForTrue("document.body.innerText.includes('We were unable to validate')");
      await app.tab.bringToFront();
      await app.tab.click("uia-fallback-frame", "[part=finished]");
      assert.equal(await app.fails(), "M_FORBIDDEN");
      assert.equal(await status(other), 200);
    });
  },
);
