import { expect } from "@open-wc/testing";
import { Clock, until } from "../../support/clock.js";
import { stub } from "../../support/stub.js";
import type { ProtectedRequest } from "../support/protected-request.js";
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
  let clock: Clock;
  beforeEach(() => (clock = new Clock()));
  afterEach(endDialog);

  /** Waits until the dialog has polled, and waits for its next poll. */
  const polled = ({ sent }: ProtectedRequest, requests: number, pollInterval: number) =>
    until(() => sent.length === requests && clock.pending.includes(pollInterval));
  const params = { [OAuth]: { url: "https://account.example/" } };
  const openOAuth = (pollInterval: number) => ui.open([OAuth], { params, set: { pollInterval } });

  const WAITING = {
    [Email]: { emailSid: "sid" },
    // The text message has a link, so the dialog does not ask for a code.
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
        set: { ...set, pollInterval: 30_000 },
      });
      await clock.pass(150_000);
      expect(request.sent).to.have.length(1);
      hidden = false;
      document.dispatchEvent(new Event("visibilitychange"));
      window.dispatchEvent(new Event("focus"));
      await polled(request, 2, 30_000);
      await clock.pass(30_000);
      await polled(request, 3, 30_000);
      expect(element.state).to.equal("awaiting-input");
      expect(ui.text()).not.to.contain("rejected this request");
      request.complete(stage);
      await clock.passUntil(outcome);
      const { length } = request.sent;
      window.dispatchEvent(new Event("focus"));
      await clock.pass(90_000);
      expect(request.sent).to.have.length(length);
    });
  }

  it("polls a moment later if the user returns soon after a poll", async () => {
    const validators = { [OAuth]: () => NOT_YET };
    const request = await ui.open([OAuth], { params, validators, set: { pollInterval: 1e6 } });
    const come = (): unknown => window.dispatchEvent(new Event("focus"));
    come();
    await polled(request, 2, 1e6);
    come();
    come();
    await clock.pass(1499);
    expect(request.sent).to.have.length(2);
    await clock.pass(100_000);
    await polled(request, 3, 1e6);
  });

  for (const pollInterval of [0, -1, 1e10, Number.NaN]) {
    it(`does not poll immediately when pollInterval is ${pollInterval}`, async () => {
      const request = await openOAuth(pollInterval);
      await clock.pass(4999);
      expect(request.sent).to.have.length(1);
    });
  }

  it("polls after five seconds by default", async () => {
    await ui.make();
    element.setAttribute("poll-interval", "20");
    element.removeAttribute("poll-interval");
    const { pollInterval } = element;
    const request = await openOAuth(pollInterval);
    await clock.pass(4999);
    expect(request.sent).to.have.length(1);
    await clock.pass(1);
    await polled(request, 2, 5000);
  });
});
