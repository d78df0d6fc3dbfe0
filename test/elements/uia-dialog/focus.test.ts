import { expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { Clock } from "../../support/clock.js";
import { stub } from "../../support/stub.js";
import { protectedRequest } from "../support/protected-request.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import { Email, Msisdn, NUMBER, Password, element, endDialog, outcome, ui } from "./fixture.js";

describe("<uia-dialog> and the focus", () => {
  afterEach(endDialog);

  it("returns the focus near a button that was disabled before the dialog opened", async () => {
    await ui.make();
    const button = await fixture<HTMLButtonElement>(html`<button>Delete</button>`);
    button.focus();
    const begun = ui.begin(protectedRequest([Password]));
    button.disabled = true;
    // Otherwise Chromium moves the focus at its next rendering.
    button.blur();
    await begun;
    await ui.submit({ password: "right" });
    await outcome;
    expect(document.activeElement).to.equal(button.parentElement);
  });

  for (const backward of [false, true]) {
    it(`does not give the focus to the page around the dialog when ${backward ? "Shift+" : ""}Tab is pressed`, async function () {
      const before = await fixture(html`<button>Before</button>`);
      await ui.make();
      const after = await fixture(html`<button>After</button>`);
      await ui.begin(protectedRequest([Password]));
      // WebDriver cannot hold a key down in WebKit.
      if (backward) await sendKeys({ down: "Shift" }).catch(() => this.skip());
      const visited = new Set<Element | null | undefined>();
      for (let presses = 0; presses < 10; presses += 1) {
        await sendKeys({ press: "Tab" });
        const { activeElement } = document;
        visited.add(activeElement === element ? element.shadowRoot?.activeElement : activeElement);
      }
      if (backward) await sendKeys({ up: "Shift" });
      // At the end of the dialog, the browser's own controls follow.
      expect([...visited].filter((each) => each === before || each === after)).to.deep.equal([]);
    });
  }

  it("keeps the focus and the error when resending becomes possible", async () => {
    const clock = new Clock();
    const wrong = { errcode: "M_TOKEN_INCORRECT" };
    stub(window, "fetch", { value: async () => Response.json(wrong, { status: 400 }) });
    const requestPhoneToken = async () => ({ sid: "sid", submit_url: "https://hs.example/submit" });
    await ui.open([Msisdn], { set: { ...NUMBER, requestPhoneToken } });
    await waitFor(() => element.querySelector("[name=code]"));
    await ui.submit({ code: "1" });
    expect(ui.text()).to.contain("Incorrect code");
    const again = ui.other("Resend in 0:30");
    again.focus();
    expect(element.session?.canResend).to.be.false;
    await clock.pass(30_000);
    expect(element.session?.canResend).to.be.true;
    await element.updateComplete;
    expect(element.shadowRoot?.activeElement === again).to.be.true;
    expect(ui.text()).to.contain("Incorrect code");
  });

  it("keeps the focus on the resend button when it was pressed", async () => {
    const clock = new Clock();
    const requestEmailToken = async () => ({ sid: "sid" });
    await ui.open([Email], { set: { requestEmailToken, pollInterval: Infinity } });
    await ui.submit({ email: "a@example.org" });
    await clock.passUntil(waitFor(() => element.session?.canResend));
    await element.updateComplete;
    const again = ui.other("Resend");
    again.focus();
    again.click();
    await waitFor(() => !element.session?.canResend);
    await element.updateComplete;
    await untilQuiet();
    expect(element.shadowRoot?.activeElement === again).to.be.true;
  });
});
