// The policies of docs/csp.md, and whole flows under each.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { needs, startBrowser } from "./driver/engine.js";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { startPasswordTestbed, type PasswordTestbed } from "./password-testbed.js";
import { waitForState, atProvider, pressBegin } from "./user-actions.js";
import { policyOf, type Origins } from "./policy.js";
import { startTestbed, type Testbed } from "./testbed.js";

const by =
  (title: string) =>
  (origins: Origins): string =>
    policyOf(title, origins);

describe("Under the content security policies of docs/csp.md", { timeout: 300_000 }, () => {
  let driver: Driver;
  let profile: Profile;
  let tab: Tab;

  before(async () => {
    driver = await startBrowser();
  });
  after(() => driver.close());
  beforeEach(async () => {
    profile = await driver.newProfile();
    tab = await profile.newTab();
  });
  afterEach(() => profile.close());

  const violations = (): Promise<readonly string[]> => tab.run("window.violations");
  const nothingIsWrong = async (): Promise<void> => assert.deepEqual(await violations(), []);

  for (const title of ["script tag", "defaults"]) {
    describe(`"${title}"`, () => {
      let bed: Testbed;
      beforeEach(async () => {
        bed = await startTestbed({ policy: by(title) });
      });
      afterEach(() => bed.close());

      const press = async (): Promise<void> => {
        await tab.goto(`${bed.pages}/login.html?homeserver=${bed.homeserver}`);
        await waitForState(tab, "oidc-login", "ready");
        await nothingIsWrong();
        await tab.click("oidc-login", "[part=button]");
      };

      it("<oidc-login> signs in, and <oidc-callback> ends it", async () => {
        await press();
        await atProvider.signIn(tab);
        await tab.waitForUrl("/callback.html");
        await waitForState(tab, "oidc-callback", "success");
        await nothingIsWrong();
      });

      it("<oidc-callback> shows a refusal", async () => {
        await press();
        await atProvider.refuse(tab);
        await tab.waitForUrl("/callback.html");
        await waitForState(tab, "oidc-callback", "error");
        await nothingIsWrong();
      });

      it("<oidc-callback> shows a failure, and tries again", async () => {
        bed.faults["/oauth2/token"] = { status: 503 };
        await press();
        await atProvider.signIn(tab);
        await tab.waitForUrl("/callback.html");
        await waitForState(tab, "oidc-callback", "error");
        delete bed.faults["/oauth2/token"];
        await tab.click("oidc-callback", "[part=retry]");
        await waitForState(tab, "oidc-callback", "success");
        await nothingIsWrong();
      });
    });
  }

  describe("<uia-dialog> and <uia-fallback-frame>", () => {
    let bed: PasswordTestbed;
    afterEach(() => bed.close());

    const begin = async (
      title: string,
      page: string,
      stages: readonly string[] = ["m.login.password"],
    ): Promise<void> => {
      bed = await startPasswordTestbed(by(title));
      bed.homeserver.uia.flows.account = [[...stages]];
      await tab.goto(`${bed.strict}/${page}?homeserver=${bed.homeserver.baseUrl}`);
      await pressBegin(tab);
      await waitForState(tab, "uia-dialog", "asking");
    };
    const give = async (name: string, text: string): Promise<void> => {
      await tab.waitFor(`uia-dialog [name=${name}]`);
      await tab.type(`uia-dialog [name=${name}]`, text);
      await tab.press("Enter");
    };
    const shows = (text: string): Promise<void> =>
      tab.waitForTrue(
        `(document.querySelector("uia-dialog").shadowRoot.querySelector("dialog").innerText +
          (document.querySelector("uia-dialog form")?.innerText ?? "")).includes(${JSON.stringify(text)})`,
      );
    const succeeds = async (): Promise<void> => {
      await tab.waitForTrue("window.heard.some(({ type }) => type === 'uia-success')");
      await nothingIsWrong();
    };
    /** By the part that is loaded for it; a wrong one first. */
    const giveNumber = async (): Promise<void> => {
      await tab.waitForTrue("document.querySelectorAll('uia-dialog option').length > 200");
      await tab.run("void (document.querySelector('uia-dialog [name=country]').value = 'GB')");
      await give("phone", "12");
      await shows("isn’t a valid phone number");
      await give("phone", "07700 900123");
      await tab.waitFor("uia-dialog [name=code]");
      await give("code", bed.lastCode());
    };
    const agree = async (): Promise<void> => {
      const page = await tab.clickOpening("uia-fallback-frame", "[part=open]");
      await page.click("[name=agree]");
      await page.click("button");
      await tab.bringToFront();
    };

    for (const title of ["script tag", "defaults"]) {
      it(`"${title}": every stage, one after the other, with their errors`, async () => {
        await begin(title, "protected.html", [
          "m.login.password",
          "m.login.registration_token",
          "m.login.terms",
          "m.login.email.identity",
          "m.login.msisdn",
          "m.login.recaptcha",
          "m.login.sso",
          "org.example.unknown",
        ]);
        await give("password", "wrong");
        await shows("Incorrect password.");
        await give("password", "alice-demo-password");
        await give("token", "wrong");
        await shows("Invalid registration token.");
        await give("token", "lantern");
        for (const nth of [1, 2]) await tab.click(`uia-dialog .choice:nth-of-type(${nth}) input`);
        await tab.click("uia-dialog", "[part=submit]");
        await give("email", "alice@lantern.example");
        await shows("sent to");
        await tab.click("uia-dialog", "[part=submit]");
        await shows("This step isn’t complete yet");
        const mail = await profile.newTab();
        await mail.goto(bed.lastLink());
        await mail.waitForTrue("document.body.innerText.includes('is confirmed')");
        await mail.close();
        await tab.click("uia-dialog", "[part=submit]");
        await giveNumber();
        // The captcha, on the homeserver's page.
        await agree();
        await shows("Sign in again with");
        const page = await tab.clickOpening("uia-fallback-frame", "[part=open]");
        await page.type("[name=user]", "alice");
        await page.type("[name=password]", "alice-demo-password");
        await page.click("button");
        await tab.bringToFront();
        await shows("on the homeserver’s page");
        await agree();
        await succeeds();
      });
    }

    it('"script tag": the classic script, with everything in it', async () => {
      await begin("script tag", "classic.html", ["m.login.msisdn", "m.login.password"]);
      // This homeserver has passwords.
      await waitForState(tab, "oidc-login", "error");
      await giveNumber();
      await give("password", "alice-demo-password");
      await succeeds();
    });

    it('"import map": the modules as they are, with a nonce for the map', async () => {
      await begin("import map", "modules.html", ["m.login.msisdn", "m.login.password"]);
      await waitForState(tab, "oidc-login", "error");
      await giveNumber();
      await give("password", "alice-demo-password");
      await succeeds();
    });

    it('"nonces": scripts, what they load, and styles', async () => {
      await begin("nonces", "nonces.html", ["m.login.password"]);
      assert.equal(
        await tab.run(
          "getComputedStyle(document.querySelector('oidc-login').shadowRoot.querySelector('button')).display",
        ),
        // As its styles have it, and no browser.
        "flex",
      );
      await give("password", "alice-demo-password");
      await succeeds();
    });

    /** A page with only the frame, for a session that was started there. */
    const openFrame = async (title: string, mode: string): Promise<void> => {
      bed = await startPasswordTestbed(by(title));
      bed.homeserver.uia.framing = true;
      bed.homeserver.uia.flows.register = [["m.login.terms"]];
      const { baseUrl } = bed.homeserver;
      const answer = await fetch(`${baseUrl}/_matrix/client/v3/register`, {
        method: "POST",
        body: JSON.stringify({ username: "hal", password: "a-long-password" }),
      });
      const { session } = (await answer.json()) as { readonly session: string };
      const query = { homeserver: baseUrl, stage: "m.login.terms", session, mode };
      await tab.goto(`${bed.strict}/frame.html?${new URLSearchParams(query).toString()}`);
      await tab.waitFor("uia-fallback-frame [part=open]");
    };

    it('"script tag": the frame in a window', async () => {
      await openFrame("script tag", "popup");
      const page = await tab.clickOpening("uia-fallback-frame", "[part=open]");
      await page.click("button");
      await tab.bringToFront();
      await tab.waitForTrue("window.heard.at(-1)?.type === 'uia-fallback-done'");
      await nothingIsWrong();
    });

    it('"frame": the frame in the page', async () => {
      await openFrame("frame", "frame");
      await tab.waitForTrue(
        `document.querySelector("uia-fallback-frame").shadowRoot.querySelector("iframe") !== null`,
      );
      await tab.waitForTrue(
        "performance.getEntriesByType('resource').some(({ initiatorType }) => initiatorType === 'iframe')",
      );
      await tab.click("uia-fallback-frame", "[part=finished]");
      await tab.waitForTrue("window.heard.at(-1)?.type === 'uia-fallback-done'");
      await nothingIsWrong();
    });

    it('"two copies": both load, and without `allow-duplicates` the second does not', async () => {
      bed = await startPasswordTestbed(by("two copies"));
      await tab.goto(`${bed.strict}/two-copies.html`);
      await tab.waitForTrue("customElements.get('uia-dialog') !== undefined");
      await nothingIsWrong();
      await bed.close();
      bed = await startPasswordTestbed(by("script tag"));
      await tab.goto(`${bed.strict}/two-copies.html`);
      await tab.waitForTrue("window.violations.some((each) => each.includes('trusted-types'))");
    });

    it("hears what offends the policy, by the event and by the report", async () => {
      await begin("script tag", "protected.html");
      const offences = {
        "style-src-attr": `document.body.setAttribute("style", "color: red")`,
        "connect-src": `fetch("https://elsewhere.example/").catch(() => undefined)`,
        "require-trusted-types-for": `try { document.body.innerHTML = "<b>"; } catch {}`,
        "trusted-types": `try { trustedTypes.createPolicy("mine", {}); } catch {}`,
        "frame-src": `document.body.append(Object.assign(document.createElement("iframe"), { src: "https://elsewhere.example/" }))`,
      };
      for (const [directive, offend] of Object.entries(offences)) {
        await tab.run(`void (() => { ${offend} })()`);
        for (const way of needs("reports on policies").skip ? ["event"] : ["event", "report"]) {
          const heard = JSON.stringify(`${way}: ${directive}`);
          await tab.waitForTrue(`window.violations.some((each) => each.startsWith(${heard}))`);
        }
      }
    });
  });

  it("the header to copy is the policy that is tried", async () => {
    const page = await readFile("docs/csp.md", "utf8");
    const [, header] = /^Content-Security-Policy: (.+)$/m.exec(page) ?? [];
    const [, tried] = /# script tag\n([^`]+)```/.exec(page) ?? [];
    assert.equal(header, tried?.trim().replace(/\n/g, " "));
  });
});
