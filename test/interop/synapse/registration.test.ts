// Making an account at a real Synapse, through every stage, in the dialog and on Synapse's own pages.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { CAPTCHA, DUMMY, TERMS, TOKEN, apiClient, freshName } from "../../contract/api-client.js";
import type { HomeserverUnderTest, Scenario } from "../../contract/homeserver.js";
import { synapse as kind } from "../../contract/synapse.js";
import { startChromium } from "../../e2e/driver/chromium.js";
import type { Driver, Profile, Tab } from "../../e2e/driver/driver.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { openApplication, startApplication, type Application, type Pages } from "./application.js";

const recordOperation = operationRecorder("synapse");

describe(
  "A new account at Synapse, in Chromium",
  { timeout: 600_000, skip: kind.why("open to all") ?? false },
  () => {
    let driver: Driver;
    let server: HomeserverUnderTest;
    let pages: Pages;
    let profile: Profile;
    let app: Application;
    let wanted: { username: string; password: string };

    before(async () => {
      [driver, pages] = await Promise.all([startChromium(), startApplication()]);
    });
    after(() => Promise.all([driver.close(), pages.close()]));

    const at = (scenario: Scenario, tests: () => void): void => {
      describe(scenario, () => {
        before(async () => {
          server = await kind.start(scenario);
        });
        after(() => server.close());
        beforeEach(async () => {
          wanted = { username: freshName(), password: "a-long-password" };
          profile = await driver.newProfile();
          app = await openApplication(pages, profile, server.baseUrl);
        });
        afterEach(() => profile.close());
        tests();
      });
    };

    /** The account is there, and the token is its own. */
    const succeeds = async (): Promise<void> => {
      const made = (await app.succeeds()) as { access_token: string };
      const { body } = await apiClient(server, made.access_token)("GET", "v3/account/whoami");
      assert.equal(body["user_id"], `@${wanted.username}:${server.serverName}`);
    };
    const set = (name: string, value: unknown): Promise<void> =>
      app.tab.run(`void (document.querySelector("uia-dialog").${name} = ${JSON.stringify(value)})`);
    const giveToken = (): Promise<void> => app.fillIn("token", server.registrationToken);
    const solveCaptcha = async (answer = server.captcha): Promise<void> => {
      await app.tab.waitFor(`uia-dialog [name=${answer}]`);
      await app.tab.click(`uia-dialog [name=${answer}]`);
    };
    const agree = async (): Promise<void> => {
      await app.tab.waitFor("uia-dialog [type=checkbox]");
      await app.tab.click("uia-dialog [type=checkbox]");
      await app.tab.press("Enter");
    };
    const followLink = async (address: string): Promise<void> => {
      const mail = await profile.newTab();
      await mail.goto(await server.linkFor(address));
      await mail.close();
      await app.tab.bringToFront();
    };

    at("open to all", () => {
      it("is made without a question, where a dummy is all that is asked for", async () => {
        await app.begin("register", wanted);
        await succeeds();
        recordOperation("register", "dummy");
      });

      it("is refused where the name is taken", async () => {
        await server.createAccount({ user: wanted.username, password: wanted.password });
        await app.begin("register", wanted);
        assert.equal(await app.fails(), "M_USER_IN_USE");
      });
    });

    at("behind every gate", () => {
      beforeEach(() => app.tab.run(`page.useCaptcha(${JSON.stringify(server.captcha)})`));

      it("is made through a token, a captcha and terms, all in the dialog", async () => {
        await app.begin("register", wanted);
        await giveToken();
        await solveCaptcha();
        await agree();
        await succeeds();
        recordOperation("token", "captcha", "terms");
      });

      it("is made after wrong answers too: each is said, and asked for again", async () => {
        await app.begin("register", wanted);
        await app.fillIn("token", "not-the-token");
        await app.says("Invalid registration token.");
        await giveToken();
        await solveCaptcha("a-robot");
        await app.says("Captcha authentication failed");
        await solveCaptcha();
        await agree();
        await succeeds();
      });

      it("is made with a mail address, whose link is followed elsewhere", async () => {
        const address = `${wanted.username}@hs.example`;
        await set("inputs", { emailAddress: address });
        await set("pollInterval", 300);
        await app.begin("register", wanted);
        await giveToken();
        await solveCaptcha();
        await agree();
        await app.says("sent to");
        await followLink(address);
        await succeeds();
        assert.equal(server.mails(address), 1);
        recordOperation("email");
      });

      describe("on Synapse's own pages, which may not be framed", () => {
        const DONE: Record<string, (page: Tab) => Promise<void>> = {
          [TERMS]: (page) => page.click("[type=submit]"),
          async [TOKEN](page) {
            await page.type("[name=token]", server.registrationToken);
            await page.click("[type=submit]");
          },
          // Its script cannot be loaded without the network: what it would do, once it was solved.
          [CAPTCHA]: (page) =>
            page.run(`(() => {
              const form = document.querySelector("#registrationForm");
              const answer = document.createElement("input");
              answer.name = "g-recaptcha-response";
              answer.value = ${JSON.stringify(server.captcha)};
              form.append(answer);
              form.submit();
            })()`),
        };
        const THERE = [TOKEN, CAPTCHA, TERMS];

        /** What the dialog does for the stages that are not done on a page. */
        const HERE: Record<string, () => Promise<void>> = {
          [TERMS]: agree,
          [TOKEN]: giveToken,
          [CAPTCHA]: () => solveCaptcha(),
        };

        for (const stage of THERE) {
          it(`completes ${stage} in a window, hears of it, closes the window, and goes on`, async () => {
            const served = [...THERE.filter((each) => each !== stage), DUMMY];
            await set("supportedStages", served);
            await app.begin("register", wanted);
            for (const next of THERE) {
              if (next !== stage) {
                await HERE[next]?.();
                continue;
              }
              const page = await app.openPage();
              await page.waitFor("form");
              await DONE[stage]?.(page);
              await app.tab.waitForTrue(
                "document.querySelectorAll('uia-fallback-frame').length === 0",
              );
              for (let tries = 0; !page.isClosed() && tries < 50; tries += 1) {
                await app.tab.run("new Promise((done) => setTimeout(done, 100))");
              }
              assert.ok(page.isClosed());
            }
            await succeeds();
            recordOperation("fallback");
          });
        }

        it("stays open after a wrong token; the page is not believed before it is done", async () => {
          await set("supportedStages", [CAPTCHA, TERMS, DUMMY]);
          await app.begin("register", wanted);
          const page = await app.openPage();
          await page.type("[name=token]", "not-the-token");
          await page.click("[type=submit]");
          await page.waitForTrue("document.body.innerText.includes('Error')");
          await app.tab.bringToFront();
          await app.tab.click("uia-fallback-frame", "[part=finished]");
          await app.says("This step isn’t complete yet");
          // The window is closed: it is opened again.
          await DONE[TOKEN]?.(await app.openPage());
          await solveCaptcha();
          await agree();
          await succeeds();
        });
      });
    });

    at("for who has an e-mail address", () => {
      it("asks for an address, and goes on by itself once the link in its mail was followed", async () => {
        const address = `${wanted.username}@hs.example`;
        await set("pollInterval", 300);
        await app.begin("register", wanted);
        await app.fillIn("email", address);
        await app.says("sent to");
        await followLink(address);
        await succeeds();
      });

      it("goes on in another page, the link followed meanwhile, with the session that was kept", async () => {
        const address = `${wanted.username}@hs.example`;
        await set("clientSecret", "a-secret-that-the-page-keeps");
        await app.begin("register", wanted);
        await app.fillIn("email", address);
        await app.says("sent to");
        const [sessionId, emailSid] = await app.tab.run<string[]>(`(() => {
          const dialog = document.querySelector("uia-dialog");
          return [dialog.getSessionId(), dialog.session.status.emailSid];
        })()`);
        await followLink(address);
        await app.tab.reload();
        await app.tab.waitForTrue("window.page !== undefined");
        await set("sessionId", sessionId);
        await set("clientSecret", "a-secret-that-the-page-keeps");
        await set("emailSid", emailSid);
        await app.begin("register", wanted);
        await succeeds();
        assert.equal(server.mails(address), 1, "nothing is sent again");
        recordOperation("resume");
      });

      it("says so where the address is somebody's already", async () => {
        const address = `${wanted.username}@hs.example`;
        await set("pollInterval", 300);
        await app.begin("register", wanted);
        await app.fillIn("email", address);
        await app.says("sent to");
        await followLink(address);
        await succeeds();
        await app.begin("register", { ...wanted, username: freshName() });
        await app.fillIn("email", address);
        await app.says("Already in use by another account.");
      });
    });

    at("for who has a phone", () => {
      it("sends a code, refuses a wrong one, and goes on with the right one", async () => {
        await app.begin("register", wanted);
        await app.tab.waitFor("uia-dialog [name=phone]");
        await app.tab.run(
          "void (document.querySelector('uia-dialog [name=country]').value = 'GB')",
        );
        await app.fillIn("phone", "07700 900123");
        await app.fillIn("code", "000000");
        await app.says("Incorrect code.");
        await app.fillIn("code", server.lastCode());
        await succeeds();
        recordOperation("msisdn");
      });
    });

    at("with limits", () => {
      it("waits where too many accounts were made, and goes on by itself", async () => {
        const api = apiClient(server);
        const make = () =>
          api("POST", "v3/register", {
            ...wanted,
            username: freshName(),
            auth: { type: DUMMY },
          });
        for (let tries = 0; tries < 6 && (await make()).status === 200; tries += 1);
        assert.equal((await make()).status, 429);
        await app.begin("register", wanted);
        await succeeds();
      });

      it("says so where too many mails were asked for, and sends one a little later", async () => {
        const email = `${wanted.username}@hs.example`;
        const api = apiClient(server);
        let attempts = 0;
        const mail = async () => {
          const asked = { client_secret: "other", email, send_attempt: (attempts += 1) };
          return (await api("POST", "v3/register/email/requestToken", asked)).status;
        };
        while (attempts < 6 && (await mail()) === 200);
        const before = server.mails(email);
        await set("inputs", { emailAddress: email });
        await set("pollInterval", 300);
        await app.begin("register", wanted);
        await app.says("Too many attempts");
        await app.says("sent to");
        assert.equal(server.mails(email), before + 1);
        await followLink(email);
        await succeeds();
      });
    });
  },
);
