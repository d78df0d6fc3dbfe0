import { expect, fixture, html } from "@open-wc/testing";
import { restoreStubs, stub } from "../../support/stub.js";
import { protectedRequest } from "../support/protected-request.js";
import {
  Email,
  Msisdn,
  Password,
  RegistrationToken,
  element,
  endDialog,
  outcome,
  ui,
} from "./fixture.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

describe("<uia-dialog> and the focus", () => {
  afterEach(endDialog);

  it("returns the focus near a button that was disabled before the dialog opened", async () => {
    await ui.make();
    const button = await fixture<HTMLButtonElement>(html`<button>Delete</button>`);
    button.focus();
    const begun = ui.begin(protectedRequest([Password]));
    button.disabled = true;
    // Chromium takes the focus from it when it renders next.
    button.blur();
    await begun;
    await ui.submit({ password: "right" });
    await outcome;
    expect(document.activeElement).to.equal(button.parentElement);
  });

  it("keeps the focus and the error when resending becomes possible", async () => {
    await ui.make();
    element.requestPhoneToken = () =>
      Promise.resolve({ sid: "sid", submit_url: "https://hs.example/submit" });
    const { setTimeout: later } = window;
    stub(window, "setTimeout", {
      value: (run: () => void, ms: number) => later(run, ms === 30_000 ? 400 : ms),
    });
    stub(window, "fetch", {
      value: () =>
        Promise.resolve(Response.json({ errcode: "M_TOKEN_INCORRECT" }, { status: 400 })),
    });
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    await ui.begin(protectedRequest([Msisdn]));
    await waitFor(() => element.querySelector("[name=code]"));
    await ui.submit({ code: "1" });
    expect(ui.text()).to.contain("Incorrect code");
    const again = ui.other("Resend");
    again.focus();
    await waitFor(() => element.session?.canResend, "not again");
    await element.updateComplete;
    expect(element.shadowRoot?.activeElement === again).to.be.true;
    expect(ui.text()).to.contain("Incorrect code");
  });

  it("focuses the retry button after a network error", async () => {
    const request = await ui.open([RegistrationToken]);
    request.failNext(new TypeError("Failed to fetch"));
    ui.field("token").focus();
    await ui.submit({ token: "typed" });
    expect(element.state).to.equal("error");
    expect(element.shadowRoot?.activeElement === ui.part("submit")).to.be.true;
  });

  it("keeps the focus on the resend button when it was pressed", async () => {
    await ui.make();
    element.requestEmailToken = () => Promise.resolve({ sid: "sid" });
    await ui.begin(protectedRequest([Email]));
    await ui.submit({ email: "a@example.org" });
    element.session?.changeAddress();
    await element.updateComplete;
    const { setTimeout: later } = window;
    stub(window, "setTimeout", {
      value: (run: () => void, ms: number) => later(run, ms === 30_000 ? 10 : ms),
    });
    await ui.submit({ email: "b@example.org" });
    await waitFor(() => element.session?.canResend);
    await element.updateComplete;
    restoreStubs();
    const again = ui.other("Resend");
    again.focus();
    again.click();
    await waitFor(() => !element.session?.canResend);
    await element.updateComplete;
    await timeForMore();
    expect(element.shadowRoot?.activeElement === again).to.be.true;
  });

  it("keeps the focus when it is moved in the document", async () => {
    await ui.open([Password]);
    const place = document.createElement("div");
    document.body.append(place);
    place.append(element);
    await waitFor(() => ui.dialog()?.matches(":modal"));
    expect(document.activeElement === ui.field("password")).to.be.true;
  });
});
