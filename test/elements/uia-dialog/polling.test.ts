import { aTimeout, expect } from "@open-wc/testing";
import { restoreStubs, stub } from "../../support/stub.js";
import { protectedRequest } from "../support/protected-request.js";
import { Email, OAuth, element, endDialog, outcome, ui } from "./fixture.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

describe("<uia-dialog> and polling", () => {
  afterEach(endDialog);

  const REFUSED = { errcode: "M_UNAUTHORIZED", error: "no" };
  const WAITING = {
    [Email]: () => {
      element.emailSid = "sid";
      return protectedRequest([Email], {}, { [Email]: () => REFUSED });
    },
    [OAuth]: () => protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } }),
  };
  for (const [stage, requestFor] of Object.entries(WAITING)) {
    it(`polls ${stage} when the page is shown, but not while it is hidden or after the end`, async () => {
      await ui.make();
      element.pollInterval = 30;
      const request = requestFor();
      let hidden = true;
      stub(document, "hidden", { get: () => hidden });
      await ui.begin(request);
      await timeForMore(150);
      expect(request.sent).to.have.length(1);
      hidden = false;
      document.dispatchEvent(new Event("visibilitychange"));
      window.dispatchEvent(new Event("focus"));
      await aTimeout(0);
      expect(request.sent).to.have.length(2);
      await waitFor(() => request.sent.length > 2, "nobody asks");
      element.cancel();
      await outcome;
      const { length } = request.sent;
      window.dispatchEvent(new Event("focus"));
      await timeForMore(90);
      expect(request.sent).to.have.length(length);
    });
  }

  it("does not poll at once when pollInterval is zero, negative, too long or NaN", async () => {
    for (const pollInterval of [0, -1, 1e10, Number.NaN]) {
      await ui.make();
      element.pollInterval = pollInterval;
      const request = protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } });
      await ui.begin(request);
      await timeForMore(60);
      expect(request.sent, String(pollInterval)).to.have.length(1);
      element.cancel();
      await outcome;
    }
  });

  it("polls after five seconds by default", async () => {
    await ui.make();
    element.setAttribute("poll-interval", "20");
    element.removeAttribute("poll-interval");
    const delays: unknown[] = [];
    const { setTimeout: later } = window;
    stub(window, "setTimeout", {
      value(run: () => void, ms: number) {
        delays.push(ms);
        return later(run, ms);
      },
    });
    await ui.begin(protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } }));
    restoreStubs();
    expect(delays).to.include(5000);
  });
});
