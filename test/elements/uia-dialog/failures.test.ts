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
  asked,
  begin,
  element,
  endDialog,
  field,
  fill,
  inState,
  make,
  outcome,
  part,
  press,
  submit,
  text,
} from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> goes on when a server is out of reach", () => {
  afterEach(endDialog);

  it("keeps what was done and typed, and tries again when the person says so", async () => {
    await make();
    const request = protectedRequest([Password, RegistrationToken], {}, PASSWORD_JUDGE);
    await begin(request);
    await submit({ password: "right" });
    request.failNext(new TypeError("Failed to fetch"));
    await submit({ token: "typed" });
    expect(element.state).to.equal("failed");
    expect(element.shadowRoot?.activeElement).to.equal(part("submit"));
    expect(text()).to.contain("Can’t reach the");
    await press("submit");
    await asked();
    await element.updateComplete;
    expect(field("token").value).to.equal("typed");
    await submit();
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent.filter((auth) => auth?.type === Password)).to.have.length(1);
  });

  it("rejects with the reason where the person gives up", async () => {
    await make();
    const request = protectedRequest([RegistrationToken]);
    await begin(request);
    const error = refusal(503, {});
    request.failNext(error);
    await submit({ token: "typed" });
    expect(text()).to.contain("Something went wrong on");
    await press("cancel");
    expect(await outcome).to.include({ code: "cancelled", cause: error });
  });

  it("says how long it waits where there were too many tries, and goes on by itself", async () => {
    await make();
    const request = protectedRequest([RegistrationToken]);
    await begin(request);
    request.failNext(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 400 }));
    fill({ token: "typed" });
    await press("submit");
    await waitFor(() => text().includes("Trying again in 1 second"));
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent[2]).to.deep.equal(request.sent[1]);
  });

  it("says that nobody can be reached where it asks by itself", async () => {
    await make();
    element.inputs = { emailAddress: "a@example.org" };
    element.requestEmailToken = () => Promise.reject(new TypeError("Failed to fetch"));
    await begin(protectedRequest([Email]));
    await waitFor(() => field("email").ariaInvalid === "true");
    expect(text()).to.contain("Can’t reach the");
    element.cancel();
    await outcome;
    element.inputs = undefined;
    const request = protectedRequest([Sso]);
    await begin(request);
    await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"), "no page");
    request.failNext(new TypeError("Failed to fetch"));
    await element.session?.finish();
    await element.updateComplete;
    expect(text()).to.contain("Can’t reach the");
    expect(element.session?.unfinished).to.be.false;
  });

  it("never rejects what a view asks for, whenever it asks", async () => {
    await make();
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    element.requestPhoneToken = () => Promise.resolve({ sid: "sid" });
    const request = protectedRequest(
      [Msisdn],
      {},
      { [Msisdn]: () => ({ errcode: "M_UNAUTHORIZED", error: "no" }) },
    );
    await begin(request);
    await waitFor(() => element.session?.phone, "no code is sent");
    request.failNext(new TypeError("Failed to fetch"));
    await element.submitAuthDict({ type: Msisdn });
    await inState("failed");
    await element.poll();
    await element.session?.finish();
    await element.session?.requestPhoneToken();
    await element.session?.submitPhoneCode("1");
  });
});

describe("<uia-dialog> says what the homeserver says", () => {
  afterEach(endDialog);

  it("shows what the homeserver says as text", async () => {
    await make();
    const error = "<b>no</b> \u202Eon";
    await begin(
      protectedRequest([Terms], POLICIES, { [Terms]: () => ({ errcode: "X_ODD", error }) }),
    );
    for (const box of element.querySelectorAll<HTMLInputElement>("[type=checkbox]")) box.click();
    await submit();
    expect(part("error")?.querySelector("b")).to.equal(null);
    expect(part("error")?.querySelector("bdi")?.textContent).to.equal(error);
    expect(part("error")?.textContent).to.contain("rejected this request. <b>no");
  });

  it("says what the homeserver says, whatever it calls it", async () => {
    await make();
    const error = "of no use";
    for (const errcode of ["constructor", "__proto__"]) {
      await begin(
        protectedRequest(
          [RegistrationToken],
          {},
          { [RegistrationToken]: () => ({ errcode, error }) },
        ),
      );
      await submit({ token: "x" });
      expect(text()).to.contain("rejected this request. of no use");
      element.cancel();
      await outcome;
    }
  });
});
