import { expect } from "@open-wc/testing";
import { Clock } from "../../support/clock.js";
import { refusal } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";
import {
  ADDRESS,
  Email,
  NOT_YET,
  PASSWORD_VALIDATOR,
  Password,
  element,
  endDialog,
  gate,
  limit,
  ui,
} from "./fixture.js";

const IN_USE = refusal(400, { errcode: "M_THREEPID_IN_USE", error: "in use" });

describe("<uia-dialog> at m.login.email.identity", () => {
  afterEach(endDialog);

  /** The arguments of each request for an email. */
  let calls: unknown[][];
  /** Why the next emails are not sent. */
  let failure: Error | undefined;
  let followed: boolean;
  beforeEach(() => {
    calls = [];
    failure = undefined;
    followed = false;
  });

  const validators = { ...PASSWORD_VALIDATOR, [Email]: () => (followed ? undefined : NOT_YET) };
  const open = (set: object = {}, stages: readonly string[] = [Email]) =>
    ui.open(stages, {
      validators,
      set: {
        clientSecret: "secret",
        requestEmailToken: async (...call: unknown[]) => {
          calls.push(call);
          if (failure) throw failure;
          return { sid: "sid" };
        },
        ...set,
      },
    });
  const changeAddress = async (): Promise<void> => {
    ui.other("Change address").click();
    await element.updateComplete;
  };

  it("requests the email at its stage when the address is known", async () => {
    await open(ADDRESS, [Password, Email]);
    expect(calls).to.deep.equal([]);
    await ui.submit({ password: "right" });
    await ui.reads("sent to a@example.org");
    expect(calls).to.deep.equal([["a@example.org", "secret", 1, "the-session"]]);
  });

  it("shows that it waits after a 429, and then checks again automatically", async () => {
    const request = await open();
    await ui.submit({ email: "b@example.org" });
    request.failNext(limit(300));
    const clock = new Clock();
    await ui.press("submit");
    await ui.reads("Too many attempts");
    expect(ui.text()).not.to.contain("isn’t complete yet");
    followed = true;
    await clock.pass(300);
    await ui.expectDone();
  });

  it("keeps an address that was rejected, shows why, and sends an email to the next", async () => {
    failure = IN_USE;
    await open();
    await ui.submit({ email: "taken@example.org" });
    expect(ui.field("email").value).to.equal("taken@example.org");
    expect(ui.field("email").ariaInvalid).to.equal("true");
    expect(ui.text()).to.contain("Already in use.");
    failure = undefined;
    await ui.submit({ email: "free@example.org" });
    expect(ui.text()).to.contain("sent to free@example.org");
  });

  for (const [when, ...addresses] of [
    ["the email", "a@example.org"],
    ["an email to another address", "a@example.org", "b@example.org"],
  ]) {
    it(`keeps the form and its height, and shows a busy button, while ${when} is being sent`, async () => {
      const { passed, open: send } = gate();
      await open({
        requestEmailToken: async (email: string) => {
          if (email === addresses.at(-1)) await passed;
          return { sid: "sid" };
        },
      });
      for (const email of addresses.slice(0, -1)) {
        await ui.submit({ email });
        await changeAddress();
      }
      ui.fill({ email: addresses.at(-1) ?? "" });
      const form = element.querySelector("form");
      const height = ui.dialog()?.offsetHeight;
      await ui.press("submit");
      await waitFor(() => element.state === "busy");
      await element.updateComplete;
      expect(ui.dialog()?.offsetHeight).to.equal(height);
      expect(element.querySelector("form") === form, "the form").to.be.true;
      expect(ui.part("submit")?.querySelector("[part=spinner]")).to.exist;
      send();
      await ui.reads("sent to");
      await waitFor(() => element.state === "awaiting-input");
      expect(element.querySelector("form")).to.equal(null);
    });
  }

  it("counts down, in the language's digits, until another email can be sent", async () => {
    const clock = new Clock();
    await open();
    await ui.submit({ email: "b@example.org" });
    expect(ui.text()).to.contain("Resend in 0:30");
    await clock.pass(3_000);
    await element.updateComplete;
    expect(ui.text()).to.contain("Resend in 0:27");
    await import("matrix-auth-elements/locales/fa");
    document.documentElement.lang = "fa";
    await ui.reads("۰:۲۷");
    document.documentElement.lang = "en";
    await clock.pass(27_000);
    await element.updateComplete;
    expect(ui.other("Resend").ariaDisabled).to.equal(null);
  });

  it("requests no email for an invalid address", async () => {
    await open();
    await ui.submit({ email: "no address" });
    expect(ui.field("email").validity.valid).to.be.false;
    expect(calls).to.deep.equal([]);
  });

  it("requests an email for a changed address with the next attempt", async () => {
    await open();
    await ui.submit({ email: "b@example.org" });
    expect(ui.other("Resend in 0:30").ariaDisabled).to.equal("true");
    await changeAddress();
    expect(ui.field("email").value).to.equal("b@example.org");
    await ui.submit({ email: "c@example.org" });
    expect(calls.map(([email, , attempt]) => [email, attempt])).to.deep.equal([
      ["b@example.org", 1],
      ["c@example.org", 2],
    ]);
    expect(ui.text()).to.contain("sent to c@example.org");
  });

  it("doesn't show that a message was sent to an address that is still waiting for one", async () => {
    await open();
    await ui.submit({ email: "b@example.org" });
    await changeAddress();
    failure = limit(60_000);
    ui.fill({ email: "c@example.org" });
    await ui.press("submit");
    await ui.reads("Too many attempts");
    expect(ui.text()).not.to.contain("sent to");
  });

  for (const [what, change] of [
    ["Change address", () => changeAddress().then(() => ui.submit({ email: "c@example.org" }))],
    ["a view of the page's", () => element.session?.requestEmailToken("c@example.org")],
  ] as const) {
    it(`requires the address again when another one is rejected, with ${what}`, async () => {
      await open();
      await ui.submit({ email: "b@example.org" });
      failure = IN_USE;
      await change();
      await element.updateComplete;
      expect(ui.text()).to.contain("Already in use.").and.not.to.contain("sent to");
      expect(ui.field("email").value).to.equal("c@example.org");
      expect(ui.field("email").matches("[aria-invalid]")).to.be.true;
    });
  }

  it("offers no resend without an address", async () => {
    await open({ sessionId: "the-session", emailSid: "sid" });
    expect(ui.other("Change address")).not.to.equal(null);
    expect(() => ui.other("Resend")).to.throw();
  });
});
