import { aTimeout, expect } from "@open-wc/testing";
import { stub } from "../../support/stub.js";
import { timeForMore, waitFor } from "../support/wait-for.js";
import {
  Email,
  Msisdn,
  NOT_YET,
  NUMBER,
  OAuth,
  element,
  endDialog,
  outcome,
  ui,
} from "./fixture.js";

describe("<uia-dialog> and polling", () => {
  afterEach(endDialog);

  const params = { [OAuth]: { url: "https://account.example/" } };
  const openOAuth = (pollInterval: number) => ui.open([OAuth], { params, set: { pollInterval } });

  const WAITING = {
    [Email]: { emailSid: "sid" },
    // A message with a link: there is no code to enter.
    [Msisdn]: { ...NUMBER, requestPhoneToken: async () => ({ sid: "sid" }) },
    [OAuth]: {},
  };
  for (const [stage, set] of Object.entries(WAITING)) {
    it(`polls ${stage} when the page is shown, but not while it is hidden or after the end`, async () => {
      let hidden = true;
      stub(document, "hidden", { get: () => hidden });
      const validators = { [stage]: () => NOT_YET };
      const request = await ui.open([stage], {
        params,
        validators,
        set: { ...set, pollInterval: 30 },
      });
      await timeForMore(150);
      expect(request.sent).to.have.length(1);
      hidden = false;
      document.dispatchEvent(new Event("visibilitychange"));
      window.dispatchEvent(new Event("focus"));
      await aTimeout(0);
      expect(request.sent).to.have.length(2);
      await waitFor(() => request.sent.length > 2, "no poll");
      expect(element.state).to.equal("awaiting-input");
      expect(ui.text()).not.to.contain("rejected this request");
      request.complete(stage);
      await outcome;
      const { length } = request.sent;
      window.dispatchEvent(new Event("focus"));
      await timeForMore(90);
      expect(request.sent).to.have.length(length);
    });
  }

  it("polls a moment later if the user returns soon after a poll", async () => {
    const validators = { [OAuth]: () => NOT_YET };
    const request = await ui.open([OAuth], { params, validators, set: { pollInterval: 1e6 } });
    const come = (): unknown => window.dispatchEvent(new Event("focus"));
    come();
    await timeForMore(100);
    expect(request.sent).to.have.length(2);
    come();
    come();
    await waitFor(() => request.sent.length > 2, "no poll");
    await timeForMore(100);
    expect(request.sent).to.have.length(3);
  });

  for (const pollInterval of [0, -1, 1e10, Number.NaN]) {
    it(`does not poll at once when pollInterval is ${pollInterval}`, async () => {
      const request = await openOAuth(pollInterval);
      await timeForMore(60);
      expect(request.sent).to.have.length(1);
    });
  }

  it("polls after five seconds by default", async () => {
    await ui.make();
    element.setAttribute("poll-interval", "20");
    element.removeAttribute("poll-interval");
    const { pollInterval } = element;
    const delays: unknown[] = [];
    const { setTimeout: later } = window;
    stub(window, "setTimeout", {
      value(run: () => void, ms: number) {
        delays.push(ms);
        return later(run, ms);
      },
    });
    await openOAuth(pollInterval);
    expect(delays).to.include(5000);
  });
});
