// Which files of dist/cdn/ a page loads, and when. Their sizes are tested in test/package.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { startBrowser } from "./driver/engine.js";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { startPasswordTestbed, type PasswordTestbed } from "./password-testbed.js";
import { inState, person, pressBegin } from "./person.js";
import { startTestbed, type Testbed } from "./testbed.js";

const FIRST = "matrix-auth-elements.js";
const LOADED = `performance.getEntriesByType("resource").map(({ name }) => name)
  .filter((name) => name.includes("/dist/cdn/")).map((name) => name.split("/dist/cdn/")[1])`;

describe("A page loads what it uses", { timeout: 300_000 }, () => {
  let driver: Driver;
  let profile: Profile;
  let tab: Tab;

  const loaded = (): Promise<readonly string[]> => tab.run(LOADED);
  const loads = (...files: readonly string[]): Promise<void> =>
    tab.until(`${LOADED}.join() === "${[FIRST, ...files].join()}"`);

  before(async () => {
    driver = await startBrowser();
  });
  after(() => driver.close());
  beforeEach(async () => {
    profile = await driver.newProfile();
    tab = await profile.newTab();
  });
  afterEach(() => profile.close());

  describe("to sign in:", () => {
    let bed: Testbed;

    beforeEach(async () => {
      bed = await startTestbed();
    });
    afterEach(() => bed.close());

    const openLogin = async (attributes: Record<string, string> = {}): Promise<void> => {
      const query = new URLSearchParams({ homeserver: bed.homeserver, ...attributes });
      await tab.goto(`${bed.pages}/login.html?${query.toString()}`);
      await inState(tab, "oidc-login", "ready");
    };
    const click = (): Promise<void> => tab.click("oidc-login", "[part=button]");
    const comesBack = async (): Promise<void> => {
      await click();
      await person.signsIn(tab);
      await inState(tab, "oidc-callback", "success");
    };

    it("the way to the provider while it is idle, and nothing more at the click", async () => {
      await openLogin();
      await loads("login.js");
      await tab.run(`void document.querySelector("oidc-login").addEventListener("oidc-redirect", (event) => {
        event.preventDefault();
        window.leaves = true;
      })`);
      await click();
      await tab.until("window.leaves");
      assert.deepEqual(await loaded(), [FIRST, "login.js"]);
    });

    it("the way to the provider before it is known to whom, and asks nobody", async () => {
      await tab.goto(`${bed.pages}/login.html`);
      await loads("login.js");
      assert.equal(await tab.run("document.querySelector('oidc-login').state"), "idle");
      assert.deepEqual(bed.takeRequests(), []);
    });

    it("the way back, and the client before the code is used: tokens that nobody holds are lost", async () => {
      await openLogin();
      await comesBack();
      await loads("callback.js", "homeserver-client.js");
      const [token, client] = await tab.run<readonly [number, number]>(
        `["/token", "/homeserver-client.js"].map((end) => performance.getEntriesByType("resource")
          .find(({ name }) => name.endsWith(end)))
          .map(({ startTime, responseEnd }, nth) => nth ? responseEnd : startTime)`,
      );
      assert.ok(client <= token, "the client was there before the code was sent");
    });

    it("the session, where one is kept", async () => {
      await openLogin({ "redirect-uri": "/kept.html" });
      await comesBack();
      await loads("callback.js", "session.js");
      assert.equal(
        await tab.run("document.querySelector('oidc-callback').session.state"),
        "signed-in",
      );
      assert.match(
        await tab.run(
          "document.querySelector('oidc-callback').client.whoami().then(({ user_id }) => user_id)",
        ),
        /^@alice:/,
      );
      // What a script of the page's own takes from that file is the same.
      const same = await tab.run(`import("/dist/cdn/session.js").then(
        async ({ HomeserverClient, OidcSession }) => {
          const { client, session } = document.querySelector("oidc-callback");
          const restored = await OidcSession.restore({ store: "localStorage" });
          return [session instanceof OidcSession, client instanceof HomeserverClient, restored.state];
        })`);
      assert.deepEqual(same, [true, true, "signed-in"]);
    });

    it("with a window: the way back too while it is idle, for the answer comes to this page", async () => {
      await openLogin({ mode: "popup" });
      await loads("login.js", "callback.js");
      const provider = await tab.clickOpening("oidc-login", "[part=button]");
      await person.signsIn(provider);
      await tab.until("window.heard.at(-1).type === 'oidc-success'");
      await loads("login.js", "callback.js", "homeserver-client.js");
    });
  });

  describe("to prove again who one is:", () => {
    let bed: PasswordTestbed;

    beforeEach(async () => {
      bed = await startPasswordTestbed();
    });
    afterEach(() => bed.close());

    const open = async (stage: string): Promise<void> => {
      bed.homeserver.uia.flows.account = [[stage]];
      await tab.goto(`${bed.strict}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
      await loads("uia.js");
      await pressBegin(tab);
      await inState(tab, "uia-dialog", "asking");
    };
    const succeeds = (): Promise<void> => tab.until("window.heard[0]?.type === 'uia-success'");

    it("the dialog while it is idle, and nothing of signing in", async () => {
      await open("m.login.password");
      await tab.type("uia-dialog [name=password]", "alice-demo-password");
      await tab.press("Enter");
      await succeeds();
      assert.deepEqual(await loaded(), [FIRST, "uia.js"]);
    });

    it("the countries with the stage that asks for a phone, the code's way when one is sent", async () => {
      await open("m.login.msisdn");
      await tab.waitFor("uia-dialog [name=phone]");
      assert.deepEqual(await loaded(), [FIRST, "uia.js", "optional/phone-numbers.js"]);
      await tab.run("void (document.querySelector('uia-dialog [name=country]').value = 'GB')");
      await tab.type("uia-dialog [name=phone]", "07700 900123");
      await tab.press("Enter");
      await tab.waitFor("uia-dialog [name=code]");
      await loads("uia.js", "optional/phone-numbers.js", "threepid-client.js");
    });
  });
});
