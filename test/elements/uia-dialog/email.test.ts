import { aTimeout, expect } from "@open-wc/testing";
import type { AuthDict } from "matrix-auth-elements";
import { protectedRequest, refusal } from "../support/protected-request.js";
import {
  Email,
  Password,
  PASSWORD_JUDGE,
  asked,
  begin,
  element,
  endDialog,
  field,
  fill,
  follow,
  gate,
  make,
  other,
  outcome,
  press,
  refusing,
  submit,
  text,
} from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> has an e-mail address confirmed", () => {
  afterEach(endDialog);

  const calls: unknown[][] = [];
  let fails: unknown;
  beforeEach(async () => {
    calls.length = 0;
    fails = undefined;
    await make();
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

  it("sends the message when the stage comes up, where the address is known", async () => {
    element.inputs = { emailAddress: "a@example.org" };
    await begin(protectedRequest([Password, Email], {}, { ...PASSWORD_JUDGE, ...clicked }));
    expect(calls).to.deep.equal([]);
    await submit({ password: "right" });
    await waitFor(() => text().includes("sent to a@example.org"));
    expect(calls).to.deep.equal([["a@example.org", "secret", 1, "the-session"]]);
  });

  it("asks for the address where it is not, and goes on by itself once the link is followed", async () => {
    element.pollInterval = 20;
    const request = protectedRequest([Email], {}, clicked);
    await begin(request);
    expect(field("email").autocomplete).to.equal("email");
    await submit({ email: "b@example.org" });
    expect(text()).to.contain("sent to b@example.org");
    await waitFor(() => request.sent.length > 2, "nobody asks");
    expect(element.state).to.equal("asking");
    expect(text()).not.to.contain("rejected this request");
    links.add("sid");
    expect(await outcome).to.deep.equal({ done: true });
    const asked = request.sent.length;
    await aTimeout(60);
    expect(request.sent).to.have.length(asked);
  });

  it("says that it is not finished where the person says so too early", async () => {
    await begin(protectedRequest([Email], {}, clicked));
    await submit({ email: "b@example.org" });
    await submit();
    expect(text()).to.contain("This step isn’t complete yet");
    links.add("sid");
    await submit();
    expect(await outcome).to.deep.equal({ done: true });
  });

  it("says each time that the homeserver is out of reach, and never that it has not seen the step", async () => {
    const request = protectedRequest([Email], {}, clicked);
    let offline = false;
    follow(
      element
        .authenticate((auth, background) =>
          offline
            ? refusing(new TypeError("Failed to fetch"))
            : request.doRequest(auth, background),
        )
        .catch((error: unknown) => error),
    );
    await asked();
    await submit({ email: "b@example.org" });
    offline = true;
    for (let press = 1; press <= 2; press += 1) {
      await submit();
      expect(text()).to.contain("Can’t reach the");
      expect(text()).not.to.contain("isn’t complete yet");
    }
    offline = false;
    await submit();
    expect(text()).to.contain("This step isn’t complete yet");
    expect(text()).not.to.contain("Can’t reach the");
  });

  it("waits where it was asked too often, and then asks for the person", async () => {
    const request = protectedRequest([Email], {}, clicked);
    await begin(request);
    await submit({ email: "b@example.org" });
    request.failNext(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 300 }));
    await press("submit");
    await waitFor(() => text().includes("Too many attempts"));
    expect(text()).not.to.contain("isn’t complete yet");
    links.add("sid");
    expect(await outcome).to.deep.equal({ done: true });
  });

  it("keeps the address, and says what is wrong with it", async () => {
    fails = refusal(400, { errcode: "M_THREEPID_IN_USE", error: "in use" });
    await begin(protectedRequest([Email]));
    await submit({ email: "taken@example.org" });
    expect(field("email").value).to.equal("taken@example.org");
    expect(field("email").ariaInvalid).to.equal("true");
    expect(text()).to.contain("Already in use by another account.");
    fails = undefined;
    await submit({ email: "free@example.org" });
    expect(text()).to.contain("sent to free@example.org");
  });

  it("does not ask anybody without an address that could be one", async () => {
    await begin(protectedRequest([Email]));
    await submit({ email: "no address" });
    expect(field("email").validity.valid).to.be.false;
    expect(calls).to.deep.equal([]);
  });

  it("lets the person change the address, with another attempt", async () => {
    await begin(protectedRequest([Email]));
    await submit({ email: "b@example.org" });
    expect(other("Resend").ariaDisabled).to.equal("true");
    other("Change address").click();
    await element.updateComplete;
    expect(field("email").value).to.equal("b@example.org");
    await submit({ email: "c@example.org" });
    expect(calls.map(([email, , attempt]) => [email, attempt])).to.deep.equal([
      ["b@example.org", 1],
      ["c@example.org", 2],
    ]);
    expect(text()).to.contain("sent to c@example.org");
  });

  it("does not say that a message sent to an address that still has to wait for one", async () => {
    await begin(protectedRequest([Email], {}, clicked));
    await submit({ email: "b@example.org" });
    other("Change address").click();
    await element.updateComplete;
    fails = refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 60_000 });
    fill({ email: "c@example.org" });
    await press("submit");
    await waitFor(() => text().includes("Too many attempts"));
    expect(text()).to.contain("Sending an email to c@example.org");
    expect(text()).not.to.contain("sent to");
  });

  for (const how of ["Change address", "a view of the page's"]) {
    it(`asks again where another address is refused, and says no message was sent: by ${how}`, async () => {
      await begin(protectedRequest([Email], {}, clicked));
      await submit({ email: "b@example.org" });
      fails = refusal(400, { errcode: "M_THREEPID_IN_USE", error: "In use" });
      if (how === "Change address") {
        other(how).click();
        await element.updateComplete;
        await submit({ email: "c@example.org" });
      } else {
        await element.session?.requestEmailToken("c@example.org");
        await element.updateComplete;
      }
      expect(text()).to.contain("Already in use by another account");
      expect(text()).not.to.contain("sent to");
      expect(field("email").value).to.equal("c@example.org");
      expect(field("email").matches("[aria-invalid]")).to.be.true;
    });
  }

  it("sends a further message for a session that another page began", async () => {
    element.sessionId = "the-session";
    element.emailSid = "sid";
    element.inputs = { emailAddress: "a@example.org" };
    await begin(protectedRequest([Email], {}, clicked));
    await element.session?.requestEmailToken();
    // More than any page has counted to: for a number that it knows, a homeserver sends nothing.
    expect(calls[0]?.[2]).to.be.above(1e9);
  });

  it("offers no further message to an address that it does not know", async () => {
    element.sessionId = "the-session";
    element.emailSid = "sid";
    await begin(protectedRequest([Email], {}, clicked));
    expect(other("Change address")).not.to.equal(null);
    expect(() => other("Resend")).to.throw();
  });

  it("lets the person try again where the message could not be sent", async () => {
    element.inputs = { emailAddress: "a@example.org" };
    fails = new TypeError("Failed to fetch");
    await begin(protectedRequest([Email]));
    await waitFor(() => field("email").ariaInvalid === "true");
    expect(field("email").value).to.equal("a@example.org");
    fails = undefined;
    await submit();
    expect(text()).to.contain("sent to a@example.org");
  });
});

describe("<uia-dialog> says why no e-mail was sent", () => {
  afterEach(endDialog);

  it("says what is wrong where the homeserver sends no message, whatever it calls it", async () => {
    for (const errcode of ["M_UNKNOWN", "M_FORBIDDEN"]) {
      await make();
      element.requestEmailToken = () =>
        refusing(refusal(400, { errcode, error: "E-mail is disabled here" }));
      await begin(protectedRequest([Email]));
      await submit({ email: "a@example.org" });
      expect(text()).to.contain("E-mail is disabled here");
      element.cancel();
      await outcome;
    }
  });

  it("says that nobody can be reached where the network fails", async () => {
    await make();
    element.requestEmailToken = () => Promise.reject(new TypeError("Failed to fetch"));
    await begin(protectedRequest([Email]));
    await submit({ email: "a@example.org" });
    expect(text()).to.contain("Can’t reach the");
  });

  it("does not show at a stage what went wrong with the one before", async () => {
    await make();
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
    await begin(request);
    await waitFor(() => element.session?.status.emailSid === "sid");
    const again = element.session?.requestEmailToken();
    await element.session?.poll();
    expect(element.session?.stage).to.equal(Password);
    open();
    await again;
    await element.updateComplete;
    expect(text()).not.to.contain("Another account");
  });
});
