import { expect } from "@open-wc/testing";
import type { AuthDict } from "matrix-auth-elements";
import { protectedRequest, refusal } from "../support/protected-request.js";
import {
  Email,
  Password,
  PASSWORD_JUDGE,
  element,
  endDialog,
  gate,
  outcome,
  refusing,
  ui,
} from "./fixture.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

describe("<uia-dialog> at m.login.email.identity", () => {
  afterEach(endDialog);

  const calls: unknown[][] = [];
  let fails: unknown;
  beforeEach(async () => {
    calls.length = 0;
    fails = undefined;
    await ui.make();
    element.clientSecret = "secret";
    element.requestEmailToken = (...asked): Promise<{ sid: string }> => {
      calls.push(asked);
      return fails ? Promise.reject(fails as Error) : Promise.resolve({ sid: "sid" });
    };
  });
  const clicked = {
    [Email]: ({ threepid_creds }: AuthDict) =>
      links.has((threepid_creds as { sid: string }).sid)
        ? undefined
        : { errcode: "M_UNAUTHORIZED", error: "no" },
  };
  const links = new Set<string>();
  beforeEach(() => links.clear());

  it("requests the email at its stage when the address is known", async () => {
    element.inputs = { emailAddress: "a@example.org" };
    await ui.begin(protectedRequest([Password, Email], {}, { ...PASSWORD_JUDGE, ...clicked }));
    expect(calls).to.deep.equal([]);
    await ui.submit({ password: "right" });
    await waitFor(() => ui.text().includes("sent to a@example.org"));
    expect(calls).to.deep.equal([["a@example.org", "secret", 1, "the-session"]]);
  });

  it("asks for the address when it is not known, and resolves once the link was followed", async () => {
    element.pollInterval = 20;
    const request = protectedRequest([Email], {}, clicked);
    await ui.begin(request);
    await ui.submit({ email: "b@example.org" });
    expect(ui.text()).to.contain("sent to b@example.org");
    await waitFor(() => request.sent.length > 2, "nobody asks");
    expect(element.state).to.equal("awaiting-input");
    expect(ui.text()).not.to.contain("rejected this request");
    links.add("sid");
    expect(await outcome).to.deep.equal({ done: true });
    const asked = request.sent.length;
    await timeForMore(60);
    expect(request.sent).to.have.length(asked);
  });

  it("says that the step is not complete when the user continues too early", async () => {
    await ui.begin(protectedRequest([Email], {}, clicked));
    await ui.submit({ email: "b@example.org" });
    await ui.submit();
    expect(ui.text()).to.contain("This step isn’t complete yet");
    links.add("sid");
    await ui.submit();
    expect(await outcome).to.deep.equal({ done: true });
  });

  it("says each time that the homeserver cannot be reached, and not that the step is not complete", async () => {
    const request = protectedRequest([Email], {}, clicked);
    let offline = false;
    ui.follow(
      element
        .authenticate((auth, background) =>
          offline
            ? refusing(new TypeError("Failed to fetch"))
            : request.doRequest(auth, background),
        )
        .catch((error: unknown) => error),
    );
    await ui.asked();
    await ui.submit({ email: "b@example.org" });
    offline = true;
    for (let press = 1; press <= 2; press += 1) {
      await ui.submit();
      expect(ui.text()).to.contain("Can’t reach the");
      expect(ui.text()).not.to.contain("isn’t complete yet");
    }
    offline = false;
    await ui.submit();
    expect(ui.text()).to.contain("This step isn’t complete yet");
    expect(ui.text()).not.to.contain("Can’t reach the");
  });

  it("waits after a 429, and then checks again by itself", async () => {
    const request = protectedRequest([Email], {}, clicked);
    await ui.begin(request);
    await ui.submit({ email: "b@example.org" });
    request.failNext(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 300 }));
    await ui.press("submit");
    await waitFor(() => ui.text().includes("Too many attempts"));
    expect(ui.text()).not.to.contain("isn’t complete yet");
    links.add("sid");
    expect(await outcome).to.deep.equal({ done: true });
  });

  it("keeps an address that was refused, and says why", async () => {
    fails = refusal(400, { errcode: "M_THREEPID_IN_USE", error: "in use" });
    await ui.begin(protectedRequest([Email]));
    await ui.submit({ email: "taken@example.org" });
    expect(ui.field("email").value).to.equal("taken@example.org");
    expect(ui.field("email").ariaInvalid).to.equal("true");
    expect(ui.text()).to.contain("Already in use by another account.");
    fails = undefined;
    await ui.submit({ email: "free@example.org" });
    expect(ui.text()).to.contain("sent to free@example.org");
  });

  it("requests no email for an invalid address", async () => {
    await ui.begin(protectedRequest([Email]));
    await ui.submit({ email: "no address" });
    expect(ui.field("email").validity.valid).to.be.false;
    expect(calls).to.deep.equal([]);
  });

  it("requests an email for a changed address with the next attempt", async () => {
    await ui.begin(protectedRequest([Email]));
    await ui.submit({ email: "b@example.org" });
    expect(ui.other("Resend").ariaDisabled).to.equal("true");
    ui.other("Change address").click();
    await element.updateComplete;
    expect(ui.field("email").value).to.equal("b@example.org");
    await ui.submit({ email: "c@example.org" });
    expect(calls.map(([email, , attempt]) => [email, attempt])).to.deep.equal([
      ["b@example.org", 1],
      ["c@example.org", 2],
    ]);
    expect(ui.text()).to.contain("sent to c@example.org");
  });

  it("does not say that a message sent to an address that still has to wait for one", async () => {
    await ui.begin(protectedRequest([Email], {}, clicked));
    await ui.submit({ email: "b@example.org" });
    ui.other("Change address").click();
    await element.updateComplete;
    fails = refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 60_000 });
    ui.fill({ email: "c@example.org" });
    await ui.press("submit");
    await waitFor(() => ui.text().includes("Too many attempts"));
    expect(ui.text()).to.contain("Sending an email to c@example.org");
    expect(ui.text()).not.to.contain("sent to");
  });

  for (const how of ["Change address", "a view of the page's"]) {
    it(`asks for the address again when another one is refused, by ${how}`, async () => {
      await ui.begin(protectedRequest([Email], {}, clicked));
      await ui.submit({ email: "b@example.org" });
      fails = refusal(400, { errcode: "M_THREEPID_IN_USE", error: "In use" });
      if (how === "Change address") {
        ui.other(how).click();
        await element.updateComplete;
        await ui.submit({ email: "c@example.org" });
      } else {
        await element.session?.requestEmailToken("c@example.org");
        await element.updateComplete;
      }
      expect(ui.text()).to.contain("Already in use by another account");
      expect(ui.text()).not.to.contain("sent to");
      expect(ui.field("email").value).to.equal("c@example.org");
      expect(ui.field("email").matches("[aria-invalid]")).to.be.true;
    });
  }

  it("resends with an attempt above any that another page has counted to", async () => {
    element.sessionId = "the-session";
    element.emailSid = "sid";
    element.inputs = { emailAddress: "a@example.org" };
    await ui.begin(protectedRequest([Email], {}, clicked));
    await element.session?.requestEmailToken();
    // More than any page has counted to: for a number that it knows, a homeserver sends nothing.
    expect(calls[0]?.[2]).to.be.above(1e9);
  });

  it("offers no resend when the address is not known", async () => {
    element.sessionId = "the-session";
    element.emailSid = "sid";
    await ui.begin(protectedRequest([Email], {}, clicked));
    expect(ui.other("Change address")).not.to.equal(null);
    expect(() => ui.other("Resend")).to.throw();
  });

  it("requests the email again when it could not be sent", async () => {
    element.inputs = { emailAddress: "a@example.org" };
    fails = new TypeError("Failed to fetch");
    await ui.begin(protectedRequest([Email]));
    await waitFor(() => ui.field("email").ariaInvalid === "true");
    expect(ui.field("email").value).to.equal("a@example.org");
    fails = undefined;
    await ui.submit();
    expect(ui.text()).to.contain("sent to a@example.org");
  });
});

describe("<uia-dialog> without an email", () => {
  afterEach(endDialog);

  it("shows the homeserver's reason for sending no email, whatever its errcode", async () => {
    for (const errcode of ["M_UNKNOWN", "M_FORBIDDEN"]) {
      await ui.make();
      element.requestEmailToken = () =>
        refusing(refusal(400, { errcode, error: "E-mail is disabled here" }));
      await ui.begin(protectedRequest([Email]));
      await ui.submit({ email: "a@example.org" });
      expect(ui.text()).to.contain("E-mail is disabled here");
      element.cancel();
      await outcome;
    }
  });

  it("shows no error of a stage at the next one", async () => {
    await ui.make();
    const { passed, open } = gate();
    const request = protectedRequest([Email, Password]);
    let messages = 0;
    element.requestEmailToken = async () => {
      messages += 1;
      if (messages === 1) return { sid: "sid" };
      await passed;
      return refusing(refusal(400, { errcode: "M_THREEPID_IN_USE", error: "in use" }));
    };
    element.inputs = { emailAddress: "a@example.org" };
    await ui.begin(request);
    await waitFor(() => element.session?.status.emailSid === "sid");
    const again = element.session?.requestEmailToken();
    await element.session?.poll();
    expect(element.session?.stage).to.equal(Password);
    open();
    await again;
    await element.updateComplete;
    expect(ui.text()).not.to.contain("Another account");
  });
});
