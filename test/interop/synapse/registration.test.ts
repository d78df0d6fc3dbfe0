// Creates an account on a real Synapse, through every stage, in the dialog and on Synapse's own
// pages.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { CAPTCHA, DUMMY, TERMS, TOKEN, apiClient, freshName } from "../../contract/api-client.js";
import type { HomeserverUnderTest, Scenario } from "../../contract/homeserver.js";
import { synapse } from "../../contract/synapse.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { inPage } from "../../e2e/driver/page.js";
import { waitForClosed } from "../../e2e/user-actions.js";
import { operationRecorder } from "../../operations/record-operation.js";
import type { Application } from "../application/application.js";
import { useBrowser } from "../../e2e/fixture.js";
import { useApplication } from "../application/suite.js";
import { SUITE } from "../../support/wait-for.mjs";

const recordOperation = operationRecorder("synapse");

const options = { ...SUITE, skip: synapse.skip("open to all") };

/** Submits the response of a solved captcha, whose script needs a network. It runs on Synapse's page. */
function submitCaptcha(solved: string): void {
  const form = document.querySelector<HTMLFormElement>("#registrationForm");
  const response = document.createElement("input");
  response.name = "g-recaptcha-response";
  response.value = solved;
  form?.append(response);
  form?.submit();
}

describe("A new account at Synapse, in Chromium", options, () => {
  const browser = useBrowser();
  let server: HomeserverUnderTest;
  let app: Application;
  let account: { username: string; password: string };
  let email: string;

  const at = (scenario: Scenario, tests: () => void): void => {
    describe(scenario, () => {
      const given = useApplication(browser, () => synapse.start(scenario));
      beforeEach(async () => {
        ({ server, app } = given);
        account = { username: freshName(), password: "a-long-password" };
        email = `${account.username}@hs.example`;
        await app.set("pollInterval", 300);
      });
      tests();
    });
  };

  const begin = (): Promise<void> => app.begin("register", account);
  /** Checks that the account exists, and that the token is for it. */
  const isCreated = async (): Promise<void> => {
    const created = (await app.result()) as { access_token: string };
    const { body } = await apiClient(server, created.access_token)("GET", "v3/account/whoami");
    assert.equal(body["user_id"], `@${account.username}:${server.serverName}`);
  };
  const giveToken = (): Promise<void> => app.fillIn("token", server.registrationToken);
  const solveCaptcha = async (response = server.captcha): Promise<void> => {
    await app.tab.waitFor(`uia-dialog [name=${response}]`);
    await app.tab.click(`uia-dialog [name=${response}]`);
  };
  const acceptTerms = async (): Promise<void> => {
    await app.tab.waitFor("uia-dialog [type=checkbox]");
    await app.tab.click("uia-dialog [type=checkbox]");
    await app.tab.press("Enter");
  };
  const openLink = async (): Promise<void> => {
    await app.waitForText("sent to");
    const page = await browser.profile.newTab();
    await page.goto(await server.linkFor(email));
    await page.close();
    await app.tab.bringToFront();
  };
  /** Creates the account with an email address that the user enters in the dialog. */
  const createWithEmail = async (): Promise<void> => {
    await begin();
    await app.fillIn("email", email);
    await openLink();
    await isCreated();
  };

  at("open to all", () => {
    it("is created without a question when only a dummy stage is required", async () => {
      await begin();
      await isCreated();
      recordOperation("register", "dummy");
    });
  });

  at("behind every gate", () => {
    beforeEach(() => app.tab.run(`page.useCaptcha(${JSON.stringify(server.captcha)})`));

    it("is created through a token, a captcha and terms, all in the dialog", async () => {
      await begin();
      await giveToken();
      await solveCaptcha();
      await acceptTerms();
      await isCreated();
      recordOperation("token", "captcha", "terms");
    });

    it("is created after incorrect responses, each of which is reported and requested again", async () => {
      await begin();
      await app.fillIn("token", "not-the-token");
      await app.waitForText("Invalid registration token.");
      await giveToken();
      await solveCaptcha("a-robot");
      await app.waitForText("Captcha authentication failed");
      await solveCaptcha();
      await acceptTerms();
      await isCreated();
    });

    it("is created with an email address when the link in the email was opened", async () => {
      await app.set("inputs", { emailAddress: email });
      await begin();
      await giveToken();
      await solveCaptcha();
      await acceptTerms();
      await openLink();
      await isCreated();
      assert.equal(server.mails(email), 1);
      recordOperation("email");
    });

    it("requires the token again when Synapse has removed the session that had accepted it", async () => {
      await begin();
      await giveToken();
      await app.waitForText("Step 2");
      await server.forgetSessions();
      await app.tab.run("void document.querySelector('uia-dialog').poll()");
      await giveToken();
      await app.waitForText("Step 2");
    });

    /** The user's actions for a stage: in the dialog, and on Synapse's page. */
    const STAGES: Record<string, [inDialog: () => Promise<void>, onPage: (page: Tab) => unknown]> =
      {
        [TOKEN]: [
          giveToken,
          async (page) => {
            await page.type("[name=token]", server.registrationToken);
            await page.click("[type=submit]");
          },
        ],
        [CAPTCHA]: [solveCaptcha, (page) => inPage(page, submitCaptcha, server.captcha)],
        [TERMS]: [acceptTerms, (page) => page.click("[type=submit]")],
      };

    for (const stage of Object.keys(STAGES)) {
      it(`is created when ${stage} was completed on Synapse's page, whose window then closes`, async () => {
        const others = Object.keys(STAGES).filter((each) => each !== stage);
        await app.set("supportedStages", [...others, DUMMY]);
        await begin();
        for (const [next, [inDialog, onPage]] of Object.entries(STAGES)) {
          if (next !== stage) {
            await inDialog();
            continue;
          }
          const page = await app.openFallback();
          await page.waitFor("form");
          await onPage(page);
          await app.tab.waitForTrue("document.querySelector('uia-fallback-frame') === null");
          await waitForClosed(page, app.tab);
        }
        await isCreated();
        recordOperation("fallback");
      });
    }

    it("doesn't continue until the stage is completed on Synapse's page", async () => {
      await app.set("supportedStages", [CAPTCHA, TERMS, DUMMY]);
      await begin();
      const page = await app.openFallback();
      await page.type("[name=token]", "not-the-token");
      await page.click("[type=submit]");
      await page.waitForTrue("document.body.innerText.includes('Error')");
      await app.claimFinished();
      await app.waitForText("This step isn’t complete yet");
      // The window is closed, so the user opens it again.
      await STAGES[TOKEN]?.[1](await app.openFallback());
      await solveCaptcha();
      await acceptTerms();
      await isCreated();
    });
  });

  at("for a user with an email address", () => {
    it(
      "is created when an address was entered and the link in its email was opened",
      createWithEmail,
    );

    it("is created on another page, without another email, if that page resumes the session", async () => {
      const secret = "a-secret-that-the-page-keeps";
      // Polling would continue this session, but the other page must.
      await app.set("pollInterval", 60_000);
      await app.set("clientSecret", secret);
      await begin();
      await app.fillIn("email", email);
      await app.waitForText("sent to");
      const [sessionId, emailSid] = await inPage(app.tab, () => {
        const dialog = document.querySelector("uia-dialog");
        return [dialog.getSessionId(), dialog.session?.status.emailSid];
      });
      await openLink();
      await app.tab.reload();
      await app.tab.waitForTrue("window.isReady");
      const kept = { sessionId, emailSid, clientSecret: secret };
      for (const [name, value] of Object.entries(kept)) await app.set(name, value);
      await begin();
      await isCreated();
      assert.equal(server.mails(email), 1, "nothing is sent again");
      recordOperation("resume");
    });
  });

  at("for a user with a phone", () => {
    it("is created with the code of a text message, after an incorrect one was rejected", async () => {
      await begin();
      await app.tab.waitFor("uia-dialog [name=phone]");
      await app.tab.run("void (document.querySelector('uia-dialog [name=country]').value = 'GB')");
      await app.fillIn("phone", "07700 900123");
      await app.fillIn("code", "000000");
      await app.waitForText("Incorrect code.");
      await app.fillIn("code", server.lastCode());
      await isCreated();
      recordOperation("msisdn");
    });
  });
});
