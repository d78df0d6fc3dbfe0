import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { needs, shown, startBrowser } from "./driver/engine.js";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { startPasswordTestbed, type PasswordTestbed } from "./password-testbed.js";
import { waitForState, atProvider, pressBegin, textOf, waitForClosed } from "./user-actions.js";
import { startTestbed } from "./testbed.js";

const PASSWORD = "m.login.password";

/** How a person works: with mouse and keyboard, or only with the keyboard. */
interface Way {
  readonly name: string;
  /** Presses a button of the page. */
  readonly press: (tab: Tab, selector: string, inner?: string) => Promise<void>;
  readonly fill: (tab: Tab, selector: string, text: string) => Promise<void>;
}

/** Moves the focus by the key, as a person does, until it is there. */
const moveTo = async (tab: Tab, selector: string, inner?: string): Promise<void> => {
  const there = inner
    ? `document.querySelector(${JSON.stringify(selector)})?.shadowRoot?.activeElement?.matches(${JSON.stringify(inner)})`
    : `document.activeElement?.matches(${JSON.stringify(selector)})`;
  // Behind the page's end are the browser's own bars, from which not every driver finds back.
  const isBefore = `(() => {
    const { activeElement, body } = document;
    const target = document.querySelector(${JSON.stringify(selector)});
    if (!target || activeElement === body || target.contains(activeElement)) return false;
    return activeElement.compareDocumentPosition(target) === Node.DOCUMENT_POSITION_PRECEDING;
  })()`;
  for (let times = 0; times < 60; times += 1) {
    if (await tab.run(there)) return;
    await tab.press((await tab.run(isBefore)) ? "Shift+Tab" : "Tab");
  }
  throw new Error(`The key does not lead to ${selector} ${inner ?? ""}`);
};

const WAYS: readonly Way[] = [
  {
    name: "with the mouse",
    press: (tab, selector, inner) => tab.click(selector, inner),
    fill: (tab, selector, text) => tab.type(selector, text),
  },
  {
    name: "with the keyboard alone",
    async press(tab, selector, inner) {
      await moveTo(tab, selector, inner);
      await tab.press("Enter");
    },
    async fill(tab, selector, text) {
      await moveTo(tab, selector);
      await tab.typeHere(text);
    },
  },
];

describe("Proving again who one is", { timeout: 300_000 }, () => {
  let driver: Driver;
  let bed: PasswordTestbed;
  let profile: Profile;
  let tab: Tab;

  before(async () => {
    driver = await startBrowser();
  });
  after(() => driver.close());

  const withTestbed = (): void => {
    beforeEach(async () => {
      bed = await startPasswordTestbed();
      profile = await driver.newProfile();
      tab = await profile.newTab();
    });
    afterEach(async () => {
      await profile.close();
      await bed.close();
    });
  };

  const shows = (text: string): Promise<void> =>
    tab.waitForTrue(`document.body.innerText.includes(${JSON.stringify(text)})`);
  const asksFor = (field: string): Promise<void> => tab.waitFor(`uia-dialog [name=${field}]`);
  const says = (text: string): Promise<void> =>
    tab.waitForTrue(`(() => {
      const { shadowRoot } = document.querySelector("uia-dialog");
      const own = shadowRoot?.querySelector("dialog")?.innerText ?? "";
      const fields = document.querySelector("uia-dialog form")?.innerText ?? "";
      const frame = shadowRoot?.querySelector("uia-fallback-frame")?.shadowRoot?.textContent ?? "";
      return (own + fields + frame).includes(${JSON.stringify(text)});
    })()`);

  for (const way of WAYS) {
    describe(`in the demo, ${way.name}`, () => {
      withTestbed();

      const signIn = async (name = "alice"): Promise<void> => {
        await tab.goto(`${bed.demo}/password.html`);
        await way.fill(tab, "#user", name);
        await way.fill(tab, "#password", `${name}-demo-password`);
        await tab.press("Enter");
        await shows(`You are @${name}`);
        await tab.waitFor("#devices li");
        bed.takeRequests();
      };
      const givePassword = async (password = "alice-demo-password"): Promise<void> => {
        await asksFor("password");
        // The focus is there already.
        await tab.typeHere(password);
        await tab.press("Enter");
      };

      it("deletes a device: two requests for one stage", async () => {
        await signIn();
        await way.press(tab, "[aria-label='Sign out KITCHEN']");
        await givePassword();
        await shows("The device is signed out.");
        assert.deepEqual(bed.takeRequests(), Array(2).fill("DELETE /devices/KITCHEN"));
        await tab.waitForTrue("!document.querySelector('#devices').innerText.includes('KITCHEN')");
        shown("delete-device", "password");
      });

      it("deletes several devices", async () => {
        await signIn();
        for (const device of ["KITCHEN", "ATTIC"]) {
          if (way.name === "with the mouse") await tab.click(`[value=${device}]`);
          else {
            await moveTo(tab, `[value=${device}]`);
            await tab.press(" ");
          }
        }
        await way.press(tab, "#devices-form > button");
        await givePassword();
        await shows("Done.");
        assert.deepEqual(bed.takeRequests(), Array(2).fill("POST /delete_devices"));
        await tab.waitForTrue("document.querySelectorAll('#devices li').length === 1");
        shown("delete-devices");
      });

      it("changes the password, and the new one is good", async () => {
        await signIn();
        await way.fill(tab, "#new-password", "a-better-password");
        await way.press(tab, "#password-form > button");
        await givePassword();
        await shows("The password is changed.");
        await way.press(tab, "[aria-label='Sign out KITCHEN']");
        await givePassword("a-better-password");
        await shows("The device is signed out.");
        shown("change-password");
      });

      it("adds an e-mail address", async () => {
        await signIn();
        await way.fill(tab, "#new-email", "alice@lantern.example");
        await tab.press("Enter");
        await shows("A message is in the homeserver");
        await followLink();
        await way.press(tab, "#add-email");
        await givePassword();
        await shows("It is added.");
        await shows("alice@lantern.example");
        shown("add-email");
      });

      it("makes new keys", async () => {
        await signIn();
        await way.press(tab, "#reset-keys");
        await shows("Your new master key");
        const first = await tab.run<string>("document.querySelector('#keys').textContent");
        await way.press(tab, "#reset-keys");
        await givePassword();
        await tab.waitForTrue(
          `document.querySelector('#keys').textContent !== ${JSON.stringify(first)}`,
        );
        assert.equal(
          bed.takeRequests().filter((asked) => asked === "POST /keys/device_signing/upload").length,
          3,
        );
        shown("upload-keys", "reset-keys");
      });

      it("deactivates the account", async () => {
        await signIn("carol");
        await way.press(tab, "#deactivate-form > button");
        await givePassword("carol-demo-password");
        await shows("Your account is closed.");
        assert.deepEqual(bed.takeRequests(), Array(2).fill("POST /account/deactivate"));
        shown("deactivate");
      });

      it("creates an account: token, captcha, terms, e-mail and dummy, in six requests", async () => {
        await tab.goto(`${bed.demo}/register.html`);
        await way.fill(tab, "#user", "dora");
        await way.fill(tab, "#password", "a-long-password");
        await way.fill(tab, "#email", "dora@lantern.example");
        await tab.press("Enter");
        await asksFor("token");
        await says("Step 1 of 4");
        await tab.typeHere("lantern");
        await tab.press("Enter");
        await says("Open the page");
        const page = await openFallback(way);
        await page.click("[name=agree]");
        await page.click("button");
        await tab.waitFor("uia-dialog [type=checkbox]");
        await waitForClosed(page, tab);
        await tickAll(way);
        await says("sent to");
        await followLink();
        // If the page is still visible behind the mail's page, it polls by itself.
        const submit = way.press(tab, "uia-dialog", "[part~=submit]").catch(() => undefined);
        await shows("You are @dora");
        await submit;
        const sent = bed.takeRequests().filter((asked) => asked === "POST /register");
        assert.equal(sent.length, 6);
        shown("register", "token", "captcha", "terms", "email", "dummy");
      });

      it("is called off by Escape, and gives the focus back", async () => {
        await signIn();
        await way.press(tab, "[aria-label='Sign out KITCHEN']");
        await asksFor("password");
        await tab.press("Escape");
        await tab.waitForTrue("!document.querySelector('uia-dialog').open");
        assert.equal(
          await tab.run("document.activeElement.getAttribute('aria-label')"),
          "Sign out KITCHEN",
        );
        assert.deepEqual(bed.takeRequests(), ["DELETE /devices/KITCHEN"]);
      });
    });
  }

  /** What the person's mail program shows, in another tab. */
  const followLink = async (): Promise<void> => {
    const mail = await profile.newTab();
    await mail.goto(bed.lastLink());
    await mail.waitForTrue("document.body.innerText.includes('is confirmed')");
    await mail.close();
    await tab.bringToFront();
  };
  const openFallback = async (way: Way): Promise<Tab> => {
    if (way.name === "with the mouse") return tab.clickOpening("uia-fallback-frame", "[part=open]");
    // The focus is on the button already: it is all that there is to do.
    assert.equal(
      await tab.run(
        "document.querySelector('uia-dialog').shadowRoot.activeElement?.localName ?? null",
      ),
      "uia-fallback-frame",
    );
    return tab.pressOpening("Enter");
  };
  const tickAll = async (way: Way): Promise<void> => {
    const count = await tab.run<number>(
      "document.querySelectorAll('uia-dialog [type=checkbox]').length",
    );
    for (let nth = 1; nth <= count; nth += 1) {
      const box = `uia-dialog .choice:nth-of-type(${nth}) [type=checkbox]`;
      if (way.name === "with the mouse") await tab.click(box);
      else {
        await moveTo(tab, box);
        await tab.press(" ");
      }
    }
    await tab.press("Enter");
  };

  describe("on a page with a strict policy, by events alone", () => {
    withTestbed();

    const heard = (): Promise<readonly { type: string; code?: string }[]> =>
      tab.run("window.heard");
    const begin = async (flows: string[][] = [[PASSWORD]]): Promise<void> => {
      bed.homeserver.uia.flows.account = flows;
      await tab.goto(`${bed.strict}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
      await pressBegin(tab);
      await waitForState(tab, "uia-dialog", "asking");
      bed.takeRequests();
    };
    const give = async (password = "alice-demo-password"): Promise<void> => {
      await asksFor("password");
      await tab.type("uia-dialog [name=password]", password);
      await tab.press("Enter");
    };
    const succeeds = async (): Promise<void> => {
      await tab.waitForTrue("window.heard.length > 0");
      assert.deepEqual(await heard(), [{ type: "uia-success" }]);
      await tab.waitForTrue("!document.querySelector('uia-dialog').open");
    };
    const open = (): Promise<Tab> => tab.clickOpening("uia-fallback-frame", "[part=open]");

    it("goes through a password, a wrong one first, without a warning of the policy", async () => {
      await begin();
      await give("not-the-password");
      await says("Incorrect password.");
      await give();
      await succeeds();
      assert.deepEqual(
        tab.warnings.filter((warning) => !warning.includes("401")),
        [],
      );
      shown("wrong-answer");
    });

    it("goes on by itself after a sign-in elsewhere (SSO), and closes its window", async () => {
      await begin([["m.login.sso"]]);
      const page = await open();
      await page.type("[name=user]", "alice");
      await page.type("[name=password]", "alice-demo-password");
      await page.click("button");
      await succeeds();
      await waitForClosed(page, tab);
      assert.deepEqual(bed.takeRequests().filter((asked) => asked.startsWith("DELETE")).length, 1);
      shown("sso");
    });

    it("goes through a stage that nobody knows on the homeserver's page", async () => {
      await begin([["org.example.unknown", PASSWORD]]);
      const page = await open();
      await page.click("[name=agree]");
      await page.click("button");
      await give();
      await succeeds();
      shown("fallback");
    });

    it("asks the homeserver when the person says that they have finished, where pages say nothing", async () => {
      bed.homeserver.uia.silent = true;
      await begin([["m.login.terms"]]);
      bed.homeserver.uia.flows.account = [["org.example.unknown"]];
      await tab.goto(`${bed.strict}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
      await pressBegin(tab);
      await waitForState(tab, "uia-dialog", "asking");
      const page = await open();
      await tab.bringToFront();
      await tab.click("uia-fallback-frame", "[part=finished]");
      await says("This step isn’t complete yet");
      await page.close().catch(() => undefined);
      const again = await open();
      await again.click("[name=agree]");
      await again.click("button");
      await again.waitForTrue("document.body.innerText.includes('may close')");
      await tab.bringToFront();
      await tab.click("uia-fallback-frame", "[part=finished]").catch(() => undefined);
      await succeeds();
    });

    it("survives that the browser cuts the window off (COOP)", async () => {
      bed.homeserver.uia.coop = "same-origin";
      await begin([["org.example.unknown"]]);
      const page = await open();
      await page.click("[name=agree]");
      await page.click("button");
      await page.waitForTrue("document.body.innerText.includes('may close')");
      assert.deepEqual(await heard(), []);
      // Coming back to the page is enough.
      await page.close();
      await tab.bringToFront();
      await tab.run("void window.dispatchEvent(new Event('focus'))");
      await succeeds();
    });

    it("waits where there were too many tries, and goes on by itself", async () => {
      await begin();
      bed.homeserver.uia.rateLimit = { allowed: 1, windowMs: 4000 };
      await give("not-the-password");
      await says("Incorrect password.");
      await give();
      await says("Too many attempts");
      await succeeds();
    });

    it("begins anew where the homeserver has forgotten the session, with what was typed", async () => {
      await begin();
      await fetch(`${bed.homeserver.baseUrl}/_demo/expire`, { method: "POST" });
      await give();
      await succeeds();
    });

    for (const [what, fault] of [
      ["answers with a page of HTML and 502", { status: 502, html: "<h1>Bad gateway</h1>" }],
      ["cuts the connection", { drop: true }],
    ] as const) {
      it(`keeps the dialog where the homeserver ${what}, and tries again`, async () => {
        await begin([[PASSWORD]]);
        bed.faults["/devices/KITCHEN"] = { ...fault };
        await give();
        await waitForState(tab, "uia-dialog", "failed");
        assert.deepEqual(await heard(), []);
        delete bed.faults["/devices/KITCHEN"];
        await tab.click("uia-dialog", "[part~=submit]");
        await give();
        await succeeds();
      });
    }

    it("keeps the dialog while the person is offline", needs("cutting the network"), async () => {
      await begin();
      await tab.setOffline(true);
      await give();
      await waitForState(tab, "uia-dialog", "failed");
      await tab.setOffline(false);
      await tab.click("uia-dialog", "[part~=submit]");
      await give();
      await succeeds();
    });

    it("goes on with a session that another page began, the link of its mail followed", async () => {
      // The page gets the secret with which the e-mail is requested.
      await tab.goto(`${bed.strict}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
      await tab.run(`void document.querySelector("uia-dialog")
        .addEventListener("uia-request-email-token", ({ detail }) => (window.asked = detail))`);
      bed.homeserver.uia.flows.account = [["m.login.email.identity", PASSWORD]];
      await pressBegin(tab);
      await tab.waitFor("uia-dialog [name=email]");
      await tab.type("uia-dialog [name=email]", "alice@lantern.example");
      await tab.press("Enter");
      await says("sent to");
      const kept = await tab.run<object>(`(() => {
        const dialog = document.querySelector("uia-dialog");
        return {
          sessionId: dialog.getSessionId(),
          clientSecret: window.asked.secret,
          emailSid: dialog.session.status.emailSid,
        };
      })()`);
      await followLink();
      await tab.reload();
      await tab.run(
        `void Object.assign(document.querySelector("uia-dialog"), ${JSON.stringify(kept)})`,
      );
      await pressBegin(tab);
      await give();
      await succeeds();
      assert.equal(bed.homeserver.outbox.length, 1, "nothing is sent again");
      shown("resume");
    });

    it("says by code that no flow can use the address that was given", async () => {
      await tab.goto(`${bed.strict}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
      bed.homeserver.uia.flows.account = [[PASSWORD]];
      await tab.run(`void (document.querySelector("uia-dialog").inputs = {
        emailAddress: "alice@lantern.example",
      })`);
      await pressBegin(tab);
      await tab.waitForTrue("window.heard.length > 0");
      assert.deepEqual(await heard(), [{ type: "uia-error", code: "no_auth_flow" }]);
      shown("no-flow");
    });

    it("ends with a clear error where the homeserver ends it", async () => {
      await begin();
      bed.faults["/devices/KITCHEN"] = {
        status: 403,
        body: { errcode: "M_FORBIDDEN", error: "Not yours" },
        times: 1,
      };
      await give();
      await tab.waitForTrue("window.heard.length > 0");
      assert.equal((await heard())[0]?.type, "uia-error");
    });
  });

  describe("on a page that knows but a tag and its events", () => {
    withTestbed();

    it("signs a device out", async () => {
      await tab.goto(`${bed.demo}/script-tag/protected.html`);
      await tab.click("#delete");
      await asksFor("password");
      await tab.type("uia-dialog [name=password]", "alice-demo-password");
      await tab.press("Enter");
      await shows("It is signed out.");
    });

    it("works with a classic script, its optional parts included", async () => {
      await tab.goto(`${bed.demo}/script-tag/classic.html`);
      await tab.run(`void (window.stage = async () => {
        const { HomeserverClient } = MatrixAuthElements;
        const dialog = document.createElement("uia-dialog");
        document.body.append(dialog);
        const client = new HomeserverClient({ baseUrl: ${JSON.stringify(bed.homeserver.baseUrl)} });
        dialog.authenticate((auth) => client.register({ username: "gus", password: "a-long-password", auth }));
      })`);
      bed.homeserver.uia.flows.register = [["m.login.msisdn"]];
      await tab.run("void window.stage()");
      await asksFor("phone");
      await tab.waitForTrue("document.querySelectorAll('uia-dialog option').length > 200");
    });
  });

  describe("with a phone number", () => {
    withTestbed();

    it("sends a code, refuses a wrong one, and goes on with the right one", async () => {
      bed.homeserver.uia.flows.register = [["m.login.msisdn", "m.login.dummy"]];
      await tab.goto(`${bed.demo}/register.html`);
      await tab.type("#user", "erin");
      await tab.type("#password", "a-long-password");
      await tab.press("Enter");
      await asksFor("phone");
      await tab.run("void (document.querySelector('uia-dialog [name=country]').value = 'GB')");
      await tab.type("uia-dialog [name=phone]", "07700 900123");
      await tab.press("Enter");
      await asksFor("code");
      await tab.type("uia-dialog [name=code]", "000000");
      await tab.press("Enter");
      await says("Incorrect code.");
      await tab.type("uia-dialog [name=code]", bed.lastCode());
      await tab.press("Enter");
      await shows("You are @erin");
      shown("msisdn");
    });
  });

  describe("with a link in a message", () => {
    withTestbed();

    it("goes on by itself once it was followed, with the page in front or behind", async () => {
      bed.homeserver.uia.flows.register = [["m.login.email.identity"]];
      await tab.goto(`${bed.demo}/register.html`);
      await tab.run("void (document.querySelector('uia-dialog').pollInterval = 200)");
      await tab.type("#user", "frank");
      await tab.type("#password", "a-long-password");
      await tab.press("Enter");
      await asksFor("email");
      await tab.type("uia-dialog [name=email]", "frank@lantern.example");
      await tab.press("Enter");
      await says("sent to");
      await delay(500);
      await followLink();
      await shows("You are @frank");
      // One account, one device: nothing was sent twice.
      assert.equal(bed.homeserver.devices.list(`@frank:${bed.homeserver.serverName}`).length, 1);
    });
  });

  describe("with an OAuth token", () => {
    it("makes new keys once the person has approved it on the provider's page", async () => {
      const oauth = await startTestbed();
      profile = await driver.newProfile();
      tab = await profile.newTab();
      try {
        await tab.goto(`${oauth.scriptTag}/`);
        await tab.click("oidc-login", "[part=button]");
        await atProvider.signIn(tab);
        await tab.waitFor("#reset-keys");
        await tab.click("#reset-keys");
        await shows("Your new master key");
        const first = await tab.run<string>("document.querySelector('#keys').textContent");
        oauth.takeRequests();
        await tab.click("#reset-keys");
        const page = await tab.clickOpening("uia-fallback-frame", "[part=open]");
        await page.click("[name=allow]");
        await tab.waitForTrue(
          `document.querySelector('#keys').textContent !== ${JSON.stringify(first)}`,
        );
        assert.equal(
          oauth.takeRequests().filter((asked) => asked.endsWith("device_signing/upload")).length,
          2,
        );
        assert.equal(await textOf(tab, "#problem"), "");
        shown("oauth");
      } finally {
        await profile.close();
        await oauth.close();
      }
    });
  });
});
