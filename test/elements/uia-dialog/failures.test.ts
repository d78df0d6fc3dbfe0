import { expect, html } from "@open-wc/testing";
import { OidcError, OidcFlowError, RequestError, UiaError } from "matrix-auth-elements";
import { Clock } from "../../support/clock.js";
import { refusal } from "../support/protected-request.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  ADDRESS,
  Email,
  Msisdn,
  NOT_YET,
  NUMBER,
  OFFLINE,
  PASSWORD_VALIDATOR,
  POLICIES,
  Password,
  RegistrationToken,
  Sso,
  Terms,
  element,
  endDialog,
  limit,
  outcome,
  refusing,
  ui,
} from "./fixture.js";

/** The error of this library's clients for a captive portal's page. */
const notJson = (): RequestError =>
  new RequestError("response_not_json", "Not JSON", { httpStatus: 200 });

describe("<uia-dialog> after a failed request", () => {
  afterEach(endDialog);

  it("keeps completed stages and the user's input after a network error, and retries on request", async () => {
    const request = await ui.open([Password, RegistrationToken], {
      validators: PASSWORD_VALIDATOR,
    });
    await ui.submit({ password: "right" });
    await ui.asked();
    request.failNext(OFFLINE);
    await ui.submit({ token: "typed" });
    expect(element.state).to.equal("error");
    expect(element.shadowRoot?.activeElement).to.equal(ui.part("submit"));
    expect(ui.text()).to.contain("Can’t reach the");
    await ui.press("submit");
    await ui.asked();
    await element.updateComplete;
    expect(ui.field("token").value).to.equal("typed");
    await ui.submit();
    await ui.expectDone();
    expect(request.sent.filter((auth) => auth?.type === Password)).to.have.length(1);
  });

  for (const [code, text] of [
    ["network_error", "Can’t reach the server"],
    ["timeout", "The server is taking too long to respond"],
  ] as const) {
    it(`shows "${text}" after ${code}, and continues when online`, async () => {
      const request = await ui.open([RegistrationToken]);
      request.failNext(new RequestError(code, "No response"));
      await ui.submit({ token: "typed" });
      expect(ui.text()).to.contain(text);
      window.dispatchEvent(new Event("online"));
      await ui.asked();
      await element.updateComplete;
      expect(ui.text()).not.to.contain(text);
      expect(ui.field("token").value).to.equal("typed");
    });
  }

  for (const [what, failure] of [
    ["a proxy's HTTP 403", refusal(403, {})],
    ["a page instead of the response", notJson()],
  ] as const) {
    it(`keeps the user's input after ${what}, and retries on request`, async () => {
      const request = await ui.open([RegistrationToken]);
      request.failNext(failure);
      await ui.submit({ token: "typed" });
      expect(element.state).to.equal("error");
      expect(ui.text()).to.contain("Something went wrong on");
      await ui.press("submit");
      await ui.asked();
      await element.updateComplete;
      expect(ui.field("token").value).to.equal("typed");
    });
  }

  it("passes on an app's error if that is not a homeserver's response", async () => {
    const request = await ui.open([RegistrationToken]);
    const error = Object.assign(new Error("Taken"), { status: 409, code: "EMAIL_TAKEN" });
    request.failNext(error);
    await ui.submit({ token: "typed" });
    expect(await outcome).to.equal(error);
    expect(element.open).to.be.false;
  });

  it("stays closed, and tries only once, when the page's client throws", async () => {
    await ui.make();
    let calls = 0;
    element.client = {
      generateClientSecret() {
        calls += 1;
        throw new Error("no randomness");
      },
    };
    const clock = new Clock();
    const thrown: unknown = await element.attemptAuth().catch((error: unknown) => error);
    expect(thrown).to.have.property("message", "no randomness");
    await clock.pass(500);
    await untilQuiet();
    expect(calls).to.equal(1);
    expect(element.open).to.be.false;
  });

  it("waits for the user after a server's failure, even when the event online fires", async () => {
    const request = await ui.open([RegistrationToken]);
    request.failNext(refusal(503, {}));
    await ui.submit({ token: "typed" });
    window.dispatchEvent(new Event("online"));
    await element.updateComplete;
    expect(element.state).to.equal("error");
    expect(request.sent).to.have.length(2);
  });

  it("rejects with cancelled, and the failure as its cause, when the user cancels after it", async () => {
    const request = await ui.open([RegistrationToken]);
    const error = refusal(503, {});
    request.failNext(error);
    await ui.submit({ token: "typed" });
    expect(ui.text()).to.contain("Something went wrong on");
    await ui.press("cancel");
    expect(await outcome).to.include({ code: "cancelled", cause: error });
  });

  it("shows the homeserver's message with each temporary failure", async () => {
    const request = await ui.open([RegistrationToken]);
    const error = "Back at <b>noon</b>";
    for (const status of [503, 408]) {
      request.failNext(refusal(status, { errcode: "M_UNKNOWN", error }));
      await ui.submit({ token: "typed" });
      expect(ui.part("error")?.querySelector("bdi")?.textContent).to.equal(error);
      await ui.press("submit");
      await ui.asked();
    }
    request.failNext(refusal(429, { errcode: "M_LIMIT_EXCEEDED", error, retry_after_ms: 400 }));
    ui.fill({ token: "typed" });
    const clock = new Clock();
    await ui.press("submit");
    await ui.reads("Trying again in 1 second.");
    await clock.pass(400);
    await ui.expectDone();
  });

  it("shows the library's message about too many attempts if a wait is too long", async () => {
    const error = "Come back tomorrow";
    const limited = refusal(429, {
      errcode: "M_LIMIT_EXCEEDED",
      error,
      retry_after_ms: 86_400_000,
    });
    const set = { requestEmailToken: () => refusing(limited) };
    const request = await ui.open([RegistrationToken, Email], { set });
    request.failNext(limited);
    await ui.submit({ token: "typed" });
    await ui.reads("Too many attempts. Wait a moment and try again.");
    await ui.press("submit");
    await ui.asked();
    await ui.submit({ token: "typed" });
    await waitFor(() => element.session?.stage === Email);
    await ui.submit({ email: "a@example.org" });
    await ui.reads("Too many attempts. Wait a moment and try again.");
    expect(ui.field("email").value).to.equal("a@example.org");
  });

  it("shows when the user can try again if the homeserver requires a long delay", async () => {
    const request = await ui.open([RegistrationToken]);
    request.failNext(limit(3_600_000, "Slow down"));
    await ui.submit({ token: "typed" });
    expect(ui.text()).to.contain("Too many attempts. Try again in 60 minutes.");
  });

  for (const [slot, failure] of [
    ["error-network_error", OFFLINE],
    ["error-M_UNKNOWN", refusal(503, { errcode: "M_UNKNOWN" })],
    ["error-unexpected_status", refusal(403, {})],
    ["error-response_not_json", notJson()],
    ["error", refusal(502, {})],
  ] as const) {
    it(`shows the page's message in the slot ${slot} after a temporary failure`, async () => {
      const template = html`<uia-dialog><p slot=${slot}>Out of order</p></uia-dialog>`;
      const request = await ui.open([RegistrationToken], { template });
      request.failNext(failure);
      await ui.submit({ token: "typed" });
      expect(element.querySelector("p")?.checkVisibility()).to.be.true;
    });
  }

  it("shows the remaining wait after a 429, and then sends the same request again", async () => {
    const request = await ui.open([RegistrationToken]);
    request.failNext(limit(400));
    ui.fill({ token: "typed" });
    const clock = new Clock();
    await ui.press("submit");
    await ui.reads("Trying again in 1 second");
    await clock.pass(400);
    await ui.expectDone();
    expect(request.sent[2]).to.deep.equal(request.sent[1]);
  });

  for (const errcode of ["M_UNAUTHORIZED", "M_THREEPID_AUTH_FAILED", undefined]) {
    it(`shows only the library's message for an incomplete step with ${String(errcode)}`, async () => {
      const requestEmailToken = async () => ({ sid: "sid" });
      const request = await ui.open([Email], { set: { ...ADDRESS, requestEmailToken } });
      await ui.reads("sent to");
      const challenge = { session: "the-session", flows: [{ stages: [Email] }] };
      request.failNext(refusal(401, { ...challenge, errcode, error: "not yet" }));
      await ui.press("submit");
      await ui.reads("This step isn’t complete yet.");
      expect(ui.text()).not.to.contain("not yet");
    });
  }

  for (const stage of [Sso, "org.example.stage"]) {
    it(`shows the homeserver's messages when ${stage} is checked`, async () => {
      const request = await ui.open([stage]);
      await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"), "no page");
      const challenge = { session: "the-session", flows: [{ stages: [stage] }] };
      const error = "You signed in as another user";
      const clock = new Clock();
      for (const [failure, text] of [
        [refusal(401, { ...challenge, errcode: "M_FORBIDDEN", error }), "isn’t complete yet. You"],
        [limit(400, "Slow down"), "Trying again in 1 second."],
        [limit(86_400_000, "Tomorrow"), "Wait a moment and try again."],
      ] as const) {
        request.failNext(failure);
        void element.session?.finish();
        await ui.reads(text);
        await clock.pass(400);
        await waitFor(() => element.session?.busy === false);
      }
    });
  }

  for (const [what, failure, text] of [
    ["the server cannot be reached", OFFLINE, "Can’t reach the"],
    ["the server failed, if a proxy responds,", refusal(403, {}), "Something went wrong on"],
  ] as const) {
    it(`shows ${what} instead of an incomplete step when a check fails`, async () => {
      const request = await ui.open([Sso]);
      await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"), "no page");
      for (let times = 0; times < 2; times += 1) {
        request.failNext(failure);
        await element.session?.finish();
        await element.updateComplete;
        expect(ui.text()).to.contain(text).and.not.to.contain("isn’t complete yet");
        expect(element.session?.unfinished).to.be.false;
      }
      await element.session?.finish();
      await element.updateComplete;
      expect(ui.text()).to.contain("isn’t complete yet").and.not.to.contain(text);
    });
  }

  it("resolves every call of a view after a failure", async () => {
    const set = { ...NUMBER, requestPhoneToken: async () => ({ sid: "sid" }) };
    const request = await ui.open([Msisdn], { set, validators: { [Msisdn]: () => NOT_YET } });
    await waitFor(() => element.session?.phone, "no code is sent");
    request.failNext(OFFLINE);
    await element.submitAuthDict({ type: Msisdn });
    await ui.inState("error");
    await element.poll();
    await element.session?.finish();
    await element.session?.requestPhoneToken();
    await element.session?.submitPhoneCode("1");
  });

  for (const [stage, field, request, known] of [
    [Email, "email", "requestEmailToken", ADDRESS],
    [Msisdn, "phone", "requestPhoneToken", NUMBER],
  ] as const) {
    for (const [what, error, text] of [
      ["400 M_UNKNOWN", refusal(400, { errcode: "M_UNKNOWN", error: "Disabled" }), "Disabled"],
      ["400 M_FORBIDDEN", refusal(400, { errcode: "M_FORBIDDEN", error: "Disabled" }), "Disabled"],
      ["403 M_USER_LOCKED", refusal(403, { errcode: "M_USER_LOCKED" }), "This account is locked."],
      ["a network error", OFFLINE, "Can’t reach the"],
    ] as const) {
      it(`shows why no message is sent at ${stage} after ${what}`, async () => {
        await ui.open([stage], { set: { ...known, [request]: () => refusing(error) } });
        await ui.reads(text);
        await waitFor(() => element.querySelector(`[name=${field}][aria-invalid=true]`));
        expect(ui.text()).not.to.contain("Incorrect");
      });
    }
  }
});

describe("<uia-dialog> and the errors of this library at a stage", () => {
  afterEach(endDialog);

  const response = (
    code: "aborted" | "rate_limited" | "unexpected_redirect" | "response_too_large",
  ) => new RequestError(code, "for developers");
  const { SessionEnded, RefreshTokenFailed } = OidcError;
  for (const [error, text] of [
    [response("aborted"), "Can’t reach the server"],
    [response("rate_limited"), "Too many attempts"],
    [response("unexpected_redirect"), "Something went wrong on the server"],
    [response("response_too_large"), "Something went wrong on the server"],
    [new OidcFlowError(SessionEnded, "session_ended"), "This sign-in is no longer valid"],
    [new OidcFlowError(RefreshTokenFailed, "refresh_not_possible"), "This sign-in is no longer"],
    [new OidcFlowError(RefreshTokenFailed, "token_refused"), "Your account might be locked"],
    [new UiaError("email_missing", "for developers"), "This page isn’t configured correctly"],
    [new UiaError("not_attempting", "for developers"), "This page isn’t configured correctly"],
  ] as const) {
    it(`shows a sentence for ${error.code}, without the message for developers`, async () => {
      await ui.open([Email], { set: { ...ADDRESS, requestEmailToken: () => refusing(error) } });
      await ui.reads(text);
      expect(ui.text()).not.to.contain(error.message).and.not.to.contain("rejected this request");
    });
  }
});

describe("<uia-dialog> and the homeserver's texts", () => {
  afterEach(endDialog);

  it("shows the homeserver's error as text, not as HTML", async () => {
    const error = "<b>no</b> \u202Eon";
    await ui.open([Terms], {
      params: POLICIES,
      validators: { [Terms]: () => ({ errcode: "X_ODD", error }) },
    });
    ui.checkAll();
    await ui.submit();
    expect(ui.part("error")?.querySelector("b")).to.equal(null);
    expect(ui.part("error")?.querySelector("bdi")?.textContent).to.equal(error);
    expect(ui.part("error")?.textContent).to.contain("rejected this request. <b>no");
  });

  for (const errcode of ["constructor", "__proto__"]) {
    it(`shows the homeserver's error when its errcode is ${errcode}`, async () => {
      const error = "of no use";
      await ui.open([RegistrationToken], {
        validators: { [RegistrationToken]: () => ({ errcode, error }) },
      });
      await ui.submit({ token: "x" });
      expect(ui.text()).to.contain("rejected this request. of no use");
    });
  }
});
