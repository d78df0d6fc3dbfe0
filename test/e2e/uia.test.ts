import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { waitForTrue, type Profile, type Tab } from "./driver/driver.js";
import { recordOperation, sameInEveryEngine } from "./driver/engine.js";
import { inPage } from "./driver/page.js";
import { useFixture } from "./fixture.js";
import { startPasswordTestbed, type PasswordTestbed } from "./password-testbed.js";
import {
  assertNoViolations,
  choosePicture,
  comeBack,
  followLink,
  openFallback,
  pressBegin,
  submitField,
  submitPassword,
  waitForAccountText,
  waitForClosed,
  waitForDialogText,
  waitForPageText,
  waitForState,
} from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

const DELETION = "DELETE /devices/KITCHEN";

/** Where an element is, or `inner` in its shadow root, as the Tab key goes: before or after the focus. */
function placeOf(selector: string, inner?: string): "here" | "before" | "after" {
  const { activeElement: focused, body } = document;
  const host = document.querySelector<HTMLElement>(selector);
  const isHere = inner
    ? host?.shadowRoot?.activeElement?.matches(inner)
    : focused?.matches(selector);
  if (isHere) return "here";
  const target = inner ? host?.shadowRoot?.querySelector<HTMLElement>(inner) : host;
  // After the page's end, the focus goes to the browser's toolbars, and some drivers cannot return from there.
  if (!host || !target || !focused || focused === body) return "after";
  const account = focused.closest("matrix-account");
  // Slotted elements are in the place of their slots.
  const inAccount = (element: Element): Element | null | undefined =>
    account?.shadowRoot?.contains(element)
      ? element
      : [...(account?.children ?? [])].find((child) => child.contains(element))?.assignedSlot;
  const from = account && (inAccount(focused) ?? account.shadowRoot?.activeElement);
  const to = account && inAccount(target);
  const [one, other] = from && to && from !== to ? [from, to] : [focused, host];
  const isBefore = one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING;
  return isBefore && !other.contains(one) ? "before" : "after";
}

describe("<matrix-account> and <uia-dialog>", SUITE, () => {
  let bed: PasswordTestbed;
  let profile: Profile;
  let tab: Tab;

  useFixture({ servers: "per test", profile: "per suite" }, startPasswordTestbed, (fixture) => {
    ({ bed, profile, tab } = fixture);
  });

  describe("in the demo, with only the keyboard", () => {
    /** Moves the focus with the Tab key to an element, or to `inner` in its shadow root. */
    const focus = async (selector: string, inner?: string): Promise<void> => {
      for (let times = 0; times < 60; times += 1) {
        const place = await inPage(tab, placeOf, selector, inner);
        if (place === "here") return;
        await tab.press(place === "before" ? "Shift+Tab" : "Tab");
      }
      throw new Error(`The Tab key does not reach ${selector} ${inner ?? ""}`);
    };
    const press = async (selector: string, inner?: string): Promise<void> => {
      await focus(selector, inner);
      await tab.press("Enter");
    };
    const tick = async (selector: string): Promise<void> => {
      await focus(selector);
      await tab.press(" ");
    };
    const fill = async (selector: string, text: string): Promise<void> => {
      await focus(selector);
      await tab.typeHere(text);
    };
    const signIn = async (name = "alice"): Promise<void> => {
      await tab.goto(`${bed.demo}/password.html`);
      await fill("#user", name);
      await fill("#password", `${name}-demo-password`);
      await tab.press("Enter");
      await waitForState(tab, "matrix-account", "ready");
      bed.takeRequests();
    };
    /** Types in the field that the dialog has focused, in the page or in `<matrix-account>`. */
    const enter = async (name: string, text: string, root = "document"): Promise<void> => {
      const field = `uia-dialog [name=${name}]`;
      await tab.waitForTrue(`${root}.activeElement?.matches(${JSON.stringify(field)})`);
      await tab.typeHere(text);
      await tab.press("Enter");
    };
    const ROOT = "document.querySelector('matrix-account').shadowRoot";
    const confirm = (password: string): Promise<void> => enter("password", password, ROOT);
    /** The number of another device's row. */
    const rowOf = (name: string): Promise<number> =>
      tab.run(
        `[...${ROOT}.querySelectorAll("ul:not(.own) [part=device-name]")].findIndex(
          ({ textContent }) => textContent === ${JSON.stringify(name)})`,
      );
    const pressOf = async (name: string, action: "rename" | "sign-out"): Promise<void> => {
      const row = await rowOf(name);
      await press("matrix-account", `#details-${row}`);
      await press("matrix-account", `#${action}-${row}`);
    };
    /** Agrees in the question, which has focused "Cancel". */
    const agree = async (): Promise<void> => {
      const cancel = "[part=question] [part=button]";
      await tab.waitForTrue(`${ROOT}.activeElement?.matches(${JSON.stringify(cancel)})`);
      await press("matrix-account", "[part=question] [part=danger]");
    };
    const names = `[...${ROOT}.querySelectorAll("[part=device-name]")].map(
      ({ textContent }) => textContent)`;

    it("signs out one device, then another with the new password, each with three requests", async () => {
      /** The first names no device: it shows whether the homeserver itself asks the user. */
      const requests = Array(3).fill("POST /delete_devices");
      await signIn();
      await pressOf("KITCHEN", "sign-out");
      await confirm("alice-demo-password");
      await waitForAccountText(tab, "Signed out: KITCHEN");
      assert.deepEqual(bed.takeRequests(), requests);
      assert.equal(await tab.run(`${names}.includes("KITCHEN")`), false);
      recordOperation("delete-devices", "password");

      await fill("matrix-account [name=password]", "a-better-password");
      await tab.press("Enter");
      await confirm("alice-demo-password");
      await waitForAccountText(tab, "Your password has been changed.");
      bed.takeRequests();
      recordOperation("change-password");

      await focus(
        "matrix-account",
        `ul:not(.own) > [data-row]:nth-child(${(await rowOf("ATTIC")) + 1}) [type=checkbox]`,
      );
      await tab.press(" ");
      await press("matrix-account", "[data-section=devices] [part=toolbar] .danger");
      await confirm("a-better-password");
      await tab.waitForTrue(`${names}.length === 1`);
      assert.deepEqual(bed.takeRequests(), requests);
    });

    it("renames a device, and returns the focus", async () => {
      await signIn();
      await pressOf("KITCHEN", "rename");
      const isIn = (id: string): Promise<void> =>
        tab.waitForTrue(`${ROOT}.activeElement?.matches(${JSON.stringify(id)})`);
      await isIn(`[id^=new-name]`);
      await tab.run(`${ROOT}.activeElement.select()`);
      await tab.typeHere("Kitchen radio");
      await tab.press("Enter");
      await tab.waitForTrue(`${names}.includes("Kitchen radio")`);
      await isIn(`#rename-${await rowOf("Kitchen radio")}`);
      assert.deepEqual(bed.takeRequests(), ["PUT /devices/KITCHEN"]);

      await tab.press("Enter");
      await isIn(`[id^=new-name]`);
      await tab.typeHere("Attic");
      await tab.press("Escape");
      await isIn(`#rename-${await rowOf("Kitchen radio")}`);
      assert.deepEqual(bed.takeRequests(), []);
      recordOperation("account-page", "rename-device");
    });

    it("changes the name and the picture, and returns the focus", async () => {
      await signIn();
      const isIn = (id: string): Promise<void> =>
        tab.waitForTrue(`${ROOT}.activeElement?.id === ${JSON.stringify(id)}`);
      await press("matrix-account", "#change-name");
      await isIn("display-name");
      await tab.run(`${ROOT}.activeElement.select()`);
      await tab.typeHere("Alice Example");
      await tab.press("Enter");
      await isIn("change-name");
      assert.equal(
        await tab.run(`${ROOT}.querySelector("h2").textContent.trim()`),
        "Alice Example",
      );
      const [named, ...more] = bed.takeRequests();
      assert.match(named ?? "", /^PUT \/profile\/[^/]+\/displayname$/);
      assert.deepEqual(more, []);

      await choosePicture(tab);
      await isIn("save-profile");
      await tab.press("Enter");
      await waitForAccountText(tab, "Your picture has been changed.");
      await isIn("change-picture");
      const [uploaded, set] = bed.takeRequests();
      assert.equal(uploaded, "POST /_matrix/media/v3/upload");
      assert.match(set ?? "", /^PUT \/profile\/[^/]+\/avatar_url$/);
      // Only such a request reports its progress.
      const sentBy = `performance.getEntriesByType("resource").findLast(
        ({ name }) => name.endsWith("/upload")).initiatorType`;
      assert.equal(await tab.run(sentBy), "xmlhttprequest");

      await signIn();
      await tab.waitForTrue(`${ROOT}.querySelector("[part=avatar] img")?.naturalWidth > 0`);
      recordOperation("change-profile");
    });

    it("adds an email address, removes it, and replaces cross-signing keys", async () => {
      await signIn();
      await press("matrix-account", "#add-email");
      await tab.waitForTrue(`${ROOT}.activeElement?.matches("uia-dialog [name=email]")`);
      await tab.typeHere("alice@lantern.example");
      await tab.press("Enter");
      await confirm("alice-demo-password");
      await followLink(profile, tab, bed.lastLink());
      await comeBack(tab);
      await waitForAccountText(tab, "Added: alice@lantern.example");
      recordOperation("add-email");

      const addresses = `[...${ROOT}.querySelectorAll("[id^=contact-]")].map(
        ({ textContent }) => textContent)`;
      const [address, ...others] = await tab.run<readonly string[]>(addresses);
      assert.deepEqual([address, others], ["alice@lantern.example", []]);
      await press("matrix-account", "#remove-0");
      await agree();
      await waitForAccountText(tab, "Removed: alice@lantern.example");
      recordOperation("remove-address");

      bed.takeRequests();
      const key = "document.querySelector('#keys').textContent";
      await press("#reset-keys");
      await waitForPageText(tab, "Your new master key");
      const first = await tab.run<string>(key);
      await press("#reset-keys");
      await enter("password", "alice-demo-password");
      await tab.waitForTrue(`${key} !== ${JSON.stringify(first)}`);
      const uploads = bed.takeRequests().filter((each) => each.endsWith("/device_signing/upload"));
      assert.equal(uploads.length, 3);
      recordOperation("upload-keys", "reset-keys");
    });

    it("returns the focus when Escape is pressed, and deactivates the account later", async () => {
      await signIn("carol");
      await press("matrix-account", "summary");
      const userId = "matrix-account [name=user]";
      await fill(userId, `@carol:${bed.homeserver.serverName}`);
      await tab.press("Enter");
      await agree();
      await tab.waitForTrue(`${ROOT}.activeElement?.matches("uia-dialog [name=password]")`);
      await tab.press("Escape");
      await tab.waitForTrue(`document.activeElement?.matches(${JSON.stringify(userId)})`);
      assert.deepEqual(bed.takeRequests(), ["POST /account/deactivate"]);

      await tab.press("Enter");
      await agree();
      await confirm("carol-demo-password");
      await tab.waitForUrl("password.html");
      await waitForPageText(tab, "Your account is closed.");
      assert.deepEqual(bed.takeRequests(), Array(2).fill("POST /account/deactivate"));
      recordOperation("deactivate");
    });

    it("creates an account with six requests for five stages", async () => {
      await tab.goto(`${bed.demo}/register.html`);
      await fill("#user", "dora");
      await fill("#password", "a-long-password");
      await fill("#email", "dora@lantern.example");
      await tab.press("Enter");
      await waitForDialogText(tab, "Step 1 of 4");
      await enter("token", "lantern");
      const frame = "document.querySelector('uia-dialog').shadowRoot.activeElement";
      await tab.waitForTrue(`${frame}?.localName === "uia-fallback-frame"`);
      const page = await tab.pressOpening("Enter");
      await page.click("[name=agree]");
      await tab.waitFor("uia-dialog [type=checkbox]");
      await waitForClosed(page, tab);
      const policies = "document.querySelectorAll('uia-dialog [type=checkbox]').length";
      for (let nth = 1, count = await tab.run<number>(policies); nth <= count; nth += 1) {
        await tick(`uia-dialog .choice:nth-of-type(${nth}) [type=checkbox]`);
      }
      await tab.press("Enter");
      await waitForDialogText(tab, "sent to");
      await followLink(profile, tab, bed.lastLink());
      // If the email's page has hidden this page, the dialog polls on return, and the button may be gone.
      const submitted = press("uia-dialog", "[part~=submit]").catch(() => undefined);
      await tab.waitForTrue(
        "document.querySelector('matrix-account')?.userId?.startsWith('@dora:')",
      );
      await submitted;
      const requests = bed.takeRequests().filter((each) => each === "POST /register");
      // If the email takes longer than five seconds, the dialog polls once.
      assert.ok(requests.length === 6 || requests.length === 7, `${requests.length} requests`);
      recordOperation("register", "token", "captcha", "terms", "email", "dummy");
    });
  });

  describe("on a page that uses only events, under a strict policy", () => {
    const open = async (...stages: readonly string[]): Promise<void> => {
      bed.homeserver.uia.flows = [[...stages]];
      await tab.goto(`${bed.pages}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
    };
    const begin = async (...stages: readonly string[]): Promise<void> => {
      await open(...stages);
      await pressBegin(tab);
      await waitForState(tab, "uia-dialog", "awaiting-input");
      bed.takeRequests();
    };
    const events = (): Promise<readonly { type: string; code?: string }[]> =>
      tab.run("window.events");
    const assertSuccess = async (): Promise<void> => {
      await tab.waitForTrue("window.events.length > 0");
      assert.deepEqual(await events(), [{ type: "uia-success" }]);
      await tab.waitForTrue("!document.querySelector('uia-dialog').open");
      await assertNoViolations(tab);
    };
    /** Completes a stage on the homeserver's page, which closes itself. */
    const agree = async (): Promise<void> => {
      const page = await openFallback(tab);
      await page.click("[name=agree]");
      await waitForClosed(page, tab);
      await tab.bringToFront();
    };
    const click = (part: string): Promise<void> => tab.click("uia-dialog", `[part~=${part}]`);

    it("completes every stage, and shows which responses are wrong", async () => {
      await begin(
        "m.login.password",
        "m.login.registration_token",
        "m.login.terms",
        "m.login.email.identity",
        "m.login.msisdn",
        "m.login.recaptcha",
        "m.login.sso",
        "org.example.unknown",
      );
      await submitPassword(tab, "not-the-password");
      await waitForDialogText(tab, "Incorrect password.");
      await submitPassword(tab);
      await submitField(tab, "token", "not-the-token");
      await waitForDialogText(tab, "Invalid registration token.");
      await submitField(tab, "token", "lantern");
      for (const nth of [1, 2]) await tab.click(`uia-dialog .choice:nth-of-type(${nth}) input`);
      await click("submit");
      await submitField(tab, "email", "alice@lantern.example");
      await waitForDialogText(tab, "sent to");
      await click("submit");
      await waitForDialogText(tab, "This step isn’t complete yet");
      await followLink(profile, tab, bed.lastLink());
      await click("submit");
      await tab.waitForTrue("document.querySelectorAll('uia-dialog option').length > 200");
      await tab.run("void (document.querySelector('uia-dialog [name=country]').value = 'GB')");
      await submitField(tab, "phone", "12");
      await waitForDialogText(tab, "isn’t a valid phone number");
      await submitField(tab, "phone", "07700 900123");
      await submitField(tab, "code", "000000");
      await waitForDialogText(tab, "Incorrect code.");
      await submitField(tab, "code", bed.lastCode());
      // This page has no script for the captcha, so the homeserver's page shows it.
      await agree();
      await waitForDialogText(tab, "Sign in again with");
      await agree();
      await waitForDialogText(tab, "on the homeserver’s page");
      await agree();
      await assertSuccess();
      recordOperation("delete-device", "wrong-answer", "msisdn", "sso", "fallback");
    });

    it("continues automatically when the email's link was opened", sameInEveryEngine, async () => {
      await open("m.login.email.identity");
      await tab.run("void (document.querySelector('uia-dialog').pollInterval = 200)");
      await pressBegin(tab);
      await submitField(tab, "email", "alice@lantern.example");
      await waitForDialogText(tab, "sent to");
      bed.takeRequests();
      await waitForTrue("a poll", () => bed.takeRequests().includes(DELETION));
      await followLink(profile, tab, bed.lastLink());
      await assertSuccess();
      assert.equal(bed.homeserver.outbox.length, 1, "messages");
    });

    it("checks with the homeserver on “finished” if its page does not report it", async () => {
      // The browser blocks this page's script.
      bed.faults["/fallback/web"] = {
        headers: { "Content-Security-Policy": "default-src 'none'; form-action 'self'" },
      };
      await begin("org.example.unknown");
      const unused = await openFallback(tab);
      await tab.bringToFront();
      await tab.click("uia-fallback-frame", "[part=finished]");
      await waitForDialogText(tab, "This step isn’t complete yet");
      await unused.close().catch(() => undefined);
      const page = await openFallback(tab);
      await page.click("[name=agree]");
      await page.waitForTrue("document.body.innerText.includes('may close')");
      // The return to the page may complete the stage already.
      await tab.bringToFront();
      await inPage(tab, () => {
        const { shadowRoot } = document.querySelector("uia-dialog");
        const frame = shadowRoot?.querySelector<HTMLElement>("uia-fallback-frame");
        frame?.shadowRoot?.querySelector<HTMLElement>("[part=finished]")?.click();
      });
      await assertSuccess();
    });

    it("continues when the user returns from a page that COOP has isolated", async () => {
      bed.faults["/fallback/web"] = { headers: { "Cross-Origin-Opener-Policy": "same-origin" } };
      await begin("org.example.unknown");
      // The page may get the focus for a moment while the popup opens, which would count as a return.
      await inPage(tab, () => {
        const ignore = (event: Event): void => {
          if (event.isTrusted) event.stopImmediatePropagation();
        };
        for (const type of ["focus", "visibilitychange"]) {
          window.addEventListener(type, ignore, { capture: true });
        }
      });
      const page = await openFallback(tab);
      await page.click("[name=agree]");
      await page.waitForTrue("document.body.innerText.includes('may close')");
      assert.deepEqual(await events(), []);
      await page.close();
      await tab.bringToFront();
      await tab.run("void window.dispatchEvent(new Event('focus'))");
      await assertSuccess();
    });

    it(
      "stays open if the connection breaks off, and succeeds on the next try",
      sameInEveryEngine,
      async () => {
        await begin("m.login.password");
        bed.faults["/devices/KITCHEN"] = { drop: true };
        await submitPassword(tab);
        await waitForState(tab, "uia-dialog", "error");
        assert.deepEqual(await events(), []);
        delete bed.faults["/devices/KITCHEN"];
        await click("submit");
        await submitPassword(tab);
        await assertSuccess();
      },
    );

    it("resumes a session of another page without a second email", async () => {
      await open("m.login.email.identity", "m.login.password");
      await inPage(tab, () => {
        document
          .querySelector("uia-dialog")
          .addEventListener("uia-request-email-token", ({ detail: { secret } }) => {
            sessionStorage.setItem("secret", secret);
          });
      });
      await pressBegin(tab);
      await submitField(tab, "email", "alice@lantern.example");
      await waitForDialogText(tab, "sent to");
      const session = await inPage(tab, () => {
        const dialog = document.querySelector("uia-dialog");
        return {
          sessionId: dialog.getSessionId(),
          clientSecret: sessionStorage.getItem("secret"),
          emailSid: dialog.session?.status.emailSid,
          pollInterval: 200,
        };
      });
      await followLink(profile, tab, bed.lastLink());
      await tab.reload();
      await inPage(
        tab,
        (values) => void Object.assign(document.querySelector("uia-dialog"), values),
        session,
      );
      await pressBegin(tab);
      await submitPassword(tab);
      await assertSuccess();
      assert.equal(bed.homeserver.outbox.length, 1, "messages");
      recordOperation("resume");
    });

    it("reports no_auth_flow if no flow uses the given email address", async () => {
      await open("m.login.password");
      await inPage(tab, () => {
        document.querySelector("uia-dialog").inputs = { emailAddress: "alice@lantern.example" };
      });
      await pressBegin(tab);
      await tab.waitForTrue("window.events.length > 0");
      assert.deepEqual(await events(), [{ type: "uia-error", code: "no_auth_flow" }]);
      recordOperation("no-flow");
    });
  });
});
