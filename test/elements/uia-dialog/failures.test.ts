import { expect } from "@open-wc/testing";
import { protectedRequest, refusal } from "../support/protected-request.js";
import {
  Email,
  Msisdn,
  Password,
  RegistrationToken,
  Sso,
  Terms,
  PASSWORD_JUDGE,
  POLICIES,
  element,
  endDialog,
  outcome,
  ui,
} from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> after a failed request", () => {
  afterEach(endDialog);

  it("keeps completed stages and what was typed after a network error, and retries on request", async () => {
    const request = await ui.open([Password, RegistrationToken], {}, PASSWORD_JUDGE);
    await ui.submit({ password: "right" });
    request.failNext(new TypeError("Failed to fetch"));
    await ui.submit({ token: "typed" });
    expect(element.state).to.equal("error");
    expect(element.shadowRoot?.activeElement).to.equal(ui.part("submit"));
    expect(ui.text()).to.contain("Can’t reach the");
    await ui.press("submit");
    await ui.asked();
    await element.updateComplete;
    expect(ui.field("token").value).to.equal("typed");
    await ui.submit();
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent.filter((auth) => auth?.type === Password)).to.have.length(1);
  });

  it("rejects with cancelled, and the failure as cause, when the user gives up after it", async () => {
    const request = await ui.open([RegistrationToken]);
    const error = refusal(503, {});
    request.failNext(error);
    await ui.submit({ token: "typed" });
    expect(ui.text()).to.contain("Something went wrong on");
    await ui.press("cancel");
    expect(await outcome).to.include({ code: "cancelled", cause: error });
  });

  it("says how long it waits after a 429, and then sends the same request again", async () => {
    const request = await ui.open([RegistrationToken]);
    request.failNext(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 400 }));
    ui.fill({ token: "typed" });
    await ui.press("submit");
    await waitFor(() => ui.text().includes("Trying again in 1 second"));
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent[2]).to.deep.equal(request.sent[1]);
  });

  it("says that the server cannot be reached when a request of its own fails", async () => {
    await ui.make();
    element.inputs = { emailAddress: "a@example.org" };
    element.requestEmailToken = () => Promise.reject(new TypeError("Failed to fetch"));
    await ui.begin(protectedRequest([Email]));
    await waitFor(() => ui.field("email").ariaInvalid === "true");
    expect(ui.text()).to.contain("Can’t reach the");
    element.cancel();
    await outcome;
    element.inputs = undefined;
    const request = protectedRequest([Sso]);
    await ui.begin(request);
    await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"), "no page");
    request.failNext(new TypeError("Failed to fetch"));
    await element.session?.finish();
    await element.updateComplete;
    expect(ui.text()).to.contain("Can’t reach the");
    expect(element.session?.unfinished).to.be.false;
  });

  it("resolves every call of a view after a failure", async () => {
    await ui.make();
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    element.requestPhoneToken = () => Promise.resolve({ sid: "sid" });
    const request = protectedRequest(
      [Msisdn],
      {},
      { [Msisdn]: () => ({ errcode: "M_UNAUTHORIZED", error: "no" }) },
    );
    await ui.begin(request);
    await waitFor(() => element.session?.phone, "no code is sent");
    request.failNext(new TypeError("Failed to fetch"));
    await element.submitAuthDict({ type: Msisdn });
    await ui.inState("error");
    await element.poll();
    await element.session?.finish();
    await element.session?.requestPhoneToken();
    await element.session?.submitPhoneCode("1");
  });
});

describe("<uia-dialog> and the homeserver's texts", () => {
  afterEach(endDialog);

  it("shows the homeserver's error as text, not as HTML", async () => {
    await ui.make();
    const error = "<b>no</b> \u202Eon";
    await ui.begin(
      protectedRequest([Terms], POLICIES, { [Terms]: () => ({ errcode: "X_ODD", error }) }),
    );
    for (const box of element.querySelectorAll<HTMLInputElement>("[type=checkbox]")) box.click();
    await ui.submit();
    expect(ui.part("error")?.querySelector("b")).to.equal(null);
    expect(ui.part("error")?.querySelector("bdi")?.textContent).to.equal(error);
    expect(ui.part("error")?.textContent).to.contain("rejected this request. <b>no");
  });

  it("shows the homeserver's error when its errcode is a name of Object.prototype", async () => {
    await ui.make();
    const error = "of no use";
    for (const errcode of ["constructor", "__proto__"]) {
      await ui.begin(
        protectedRequest(
          [RegistrationToken],
          {},
          { [RegistrationToken]: () => ({ errcode, error }) },
        ),
      );
      await ui.submit({ token: "x" });
      expect(ui.text()).to.contain("rejected this request. of no use");
      element.cancel();
      await outcome;
    }
  });
});
