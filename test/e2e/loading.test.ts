// Which files of dist/cdn/ a page loads, and when. Their sizes are tested in test/package.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { needs, startBrowser } from "./driver/engine.js";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { startPasswordTestbed, type PasswordTestbed } from "./password-testbed.js";
import { waitForState, atProvider, pressBegin } from "./user-actions.js";
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
    // What is asked for at once is there in whatever order.
    tab.waitForTrue(`${LOADED}.sort().join() === "${[FIRST, ...files].sort().join()}"`);

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
      await waitForState(tab, "oidc-login", "ready");
    };
    const click = (): Promise<void> => tab.click("oidc-login", "[part=button]");
    const comesBack = async (): Promise<void> => {
      await click();
      await atProvider.signIn(tab);
      await waitForState(tab, "oidc-callback", "success");
    };

    it("the way to the provider while it is idle, and nothing more at the click", async () => {
      await openLogin();
      await loads("login.js");
      await tab.run(`void document.querySelector("oidc-login").addEventListener("oidc-redirect", (event) => {
        event.preventDefault();
        window.leaves = true;
      })`);
      await click();
      await tab.waitForTrue("window.leaves");
      assert.deepEqual(await loaded(), [FIRST, "login.js"]);
    });

    it("the way to the provider before it is known to whom, and asks nobody", async () => {
      await tab.goto(`${bed.pages}/login.html`);
      await loads("login.js");
      assert.equal(await tab.run("document.querySelector('oidc-login').state"), "idle");
      assert.deepEqual(bed.takeRequests(), []);
    });

    it("the way back, with the client of the new tokens", async () => {
      await openLogin();
      await comesBack();
      assert.deepEqual(await loaded(), [FIRST, "callback.js"]);
    });

    it("the session, where one is kept, before the code is used: tokens that nobody holds are lost", async () => {
      await openLogin({ "redirect-uri": "/kept.html" });
      await comesBack();
      await loads("session.js", "callback.js");
      const [token, session] = await tab.run<readonly [number, number]>(
        `["/token", "/session.js"].map((end) => performance.getEntriesByType("resource")
          .find(({ name }) => name.endsWith(end)))
          .map(({ startTime, responseEnd }, nth) => nth ? responseEnd : startTime)`,
      );
      assert.ok(session <= token, "the session was there before the code was sent");
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
      await atProvider.signIn(provider);
      await tab.waitForTrue("window.heard.at(-1).type === 'oidc-success'");
      assert.deepEqual(await loaded(), [FIRST, "login.js", "callback.js"]);
    });
  });

  describe("to prove again who one is:", () => {
    let bed: PasswordTestbed;

    beforeEach(async () => {
      bed = await startPasswordTestbed();
    });
    afterEach(() => bed.close());

    const open = async (...stages: readonly string[]): Promise<void> => {
      bed.homeserver.uia.flows.account = [[...stages]];
      await tab.goto(`${bed.strict}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
      await loads("uia.js");
      await pressBegin(tab);
      await waitForState(tab, "uia-dialog", "asking");
    };
    /** A dialog that needs no network to be asked for stages: each is completed by what is submitted. */
    const openScripted = async (...stages: readonly string[]): Promise<void> => {
      await tab.goto(`${bed.strict}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
      await loads("uia.js");
      await tab.run(`void Object.assign(document.querySelector("uia-dialog"), {
        userId: "@alice:example.org",
        loadCaptcha: async () => ({ render: (place) => place.append("the captcha") }),
        doRequest: (auth) => Promise.reject(Object.assign(new Error("refused"), {
          httpStatus: 401,
          data: {
            session: "s",
            flows: [{ stages: ${JSON.stringify(stages)} }],
            params: { "m.login.recaptcha": { public_key: "key" } },
            completed: auth?.type ? [auth.type] : [],
          },
        })),
      })`);
    };
    const succeeds = (): Promise<void> =>
      tab.waitForTrue("window.heard[0]?.type === 'uia-success'");

    it("the dialog while it is idle, and nothing of signing in", async () => {
      await open("m.login.password");
      await tab.type("uia-dialog [name=password]", "alice-demo-password");
      await tab.press("Enter");
      await succeeds();
      assert.deepEqual(await loaded(), [FIRST, "uia.js"]);
    });

    it("a rare stage, such as a captcha, once it is in the flow, before it is its turn", async () => {
      await open("m.login.password", "m.login.recaptcha");
      await tab.waitFor("uia-dialog [name=password]");
      // This page has no script for captchas: the homeserver's page will show it.
      await loads("uia.js", "captcha.js", "fallback.js");
    });

    it(
      "a rare stage once more, where it could not be loaded, when the person tries again",
      needs("cutting the network", "loading a module again"),
      async () => {
        await openScripted("m.login.recaptcha");
        await tab.setOffline(true);
        await tab.run("document.querySelector('uia-dialog').open = true");
        await tab.waitForTrue(
          "/couldn’t be loaded/.test(document.querySelector('uia-dialog').shadowRoot.querySelector('[role=alert]').textContent)",
        );
        await tab.setOffline(false);
        await tab.click("uia-dialog", "[part=submit]");
        await tab.waitFor("uia-dialog .uia-captcha");
        await tab.waitForTrue(
          "document.querySelector('.uia-captcha').textContent === 'the captcha'",
        );
      },
    );

    it(
      "a rare stage once more, where it could not be loaded beforehand, when it is its turn",
      needs("cutting the network", "loading a module again"),
      async () => {
        await openScripted("m.login.password", "m.login.recaptcha");
        await tab.setOffline(true);
        await tab.run("document.querySelector('uia-dialog').open = true");
        await tab.waitFor("uia-dialog [name=password]");
        // It has failed by now.
        await new Promise((resolve) => setTimeout(resolve, 500));
        await tab.setOffline(false);
        await tab.type("uia-dialog [name=password]", "any");
        await tab.press("Enter");
        await tab.waitForTrue(
          "document.querySelector('.uia-captcha')?.textContent === 'the captcha'",
        );
      },
    );

    it("what opens somebody else's page with a stage that is completed there", async () => {
      await open("m.login.password", "m.login.sso");
      await tab.waitFor("uia-dialog [name=password]");
      await loads("uia.js", "fallback.js");
    });

    it("what asks for a phone, and countries, with their stage, the code's way when one is sent", async () => {
      await open("m.login.msisdn");
      await tab.waitFor("uia-dialog [name=phone]");
      const phone = ["uia.js", "phone.js", "optional/phone-numbers.js"];
      assert.deepEqual(await loaded(), [FIRST, ...phone]);
      await tab.run("void (document.querySelector('uia-dialog [name=country]').value = 'GB')");
      await tab.type("uia-dialog [name=phone]", "07700 900123");
      await tab.press("Enter");
      await tab.waitFor("uia-dialog [name=code]");
      await loads(...phone, "threepid-client.js");
    });
  });
});
