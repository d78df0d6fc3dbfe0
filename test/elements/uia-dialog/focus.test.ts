import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { restoreStubs, stub } from "../../support/stub.js";
import { protectedRequest } from "../support/protected-request.js";
import {
  Email,
  Msisdn,
  Password,
  RegistrationToken,
  begin,
  dialog,
  element,
  endDialog,
  field,
  make,
  other,
  outcome,
  part,
  submit,
  text,
} from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> takes the focus to where a person goes on, and gives it back", () => {
  afterEach(endDialog);

  it("gives the focus back", async () => {
    await make();
    const button = await fixture<HTMLButtonElement>(html`<button>Delete</button>`);
    button.focus();
    await begin(protectedRequest([Password]));
    expect(document.activeElement).to.equal(field("password"));
    await submit({ password: "right" });
    await outcome;
    expect(document.activeElement).to.equal(button);
  });

  it("gives the focus back near a button that the page disabled at once", async () => {
    await make();
    const button = await fixture<HTMLButtonElement>(html`<button>Delete</button>`);
    button.focus();
    const request = protectedRequest([Password]);
    const begun = begin(request);
    button.disabled = true;
    // Chromium takes the focus from it when it renders next.
    button.blur();
    await begun;
    await submit({ password: "right" });
    await outcome;
    expect(document.activeElement).to.equal(button.parentElement);
  });

  it("keeps the focus and what is wrong where another message may be asked for again", async () => {
    await make();
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
    await begin(protectedRequest([Msisdn]));
    await waitFor(() => element.querySelector("[name=code]"));
    await submit({ code: "1" });
    expect(text()).to.contain("Incorrect code");
    const again = other("Resend");
    again.focus();
    await waitFor(() => element.session?.canResend, "not again");
    await element.updateComplete;
    expect(element.shadowRoot?.activeElement === again).to.be.true;
    expect(text()).to.contain("Incorrect code");
  });

  it("sets the focus to the way on where a server is out of reach", async () => {
    await make();
    const request = protectedRequest([RegistrationToken]);
    await begin(request);
    request.failNext(new TypeError("Failed to fetch"));
    field("token").focus();
    await submit({ token: "typed" });
    expect(element.state).to.equal("failed");
    expect(element.shadowRoot?.activeElement === part("submit")).to.be.true;
  });

  it("keeps the focus where it was when another message was sent", async () => {
    await make();
    element.requestEmailToken = () => Promise.resolve({ sid: "sid" });
    await begin(protectedRequest([Email]));
    await submit({ email: "a@example.org" });
    element.session?.changeAddress();
    await element.updateComplete;
    const { setTimeout: later } = window;
    stub(window, "setTimeout", {
      value: (run: () => void, ms: number) => later(run, ms === 30_000 ? 10 : ms),
    });
    await submit({ email: "b@example.org" });
    await aTimeout(30);
    await element.updateComplete;
    restoreStubs();
    const again = other("Resend");
    again.focus();
    again.click();
    await waitFor(() => !element.session?.canResend);
    await element.updateComplete;
    await aTimeout(50);
    expect(element.shadowRoot?.activeElement === again).to.be.true;
  });

  it("keeps the focus where a listener objects, however often", async () => {
    await make();
    const object = (event: Event): void => event.preventDefault();
    element.addEventListener("uia-cancel", object);
    await begin(protectedRequest([Password]));
    for (let times = 0; times < 3; times += 1) {
      await sendKeys({ press: "Escape" });
      await aTimeout(30);
    }
    await element.updateComplete;
    expect(document.activeElement === field("password")).to.be.true;
    element.removeEventListener("uia-cancel", object);
  });

  it("keeps the focus where it is moved in the document", async () => {
    await make();
    await begin(protectedRequest([Password]));
    const place = document.createElement("div");
    document.body.append(place);
    place.append(element);
    await waitFor(() => dialog()?.matches(":modal"));
    expect(document.activeElement === field("password")).to.be.true;
  });
});
