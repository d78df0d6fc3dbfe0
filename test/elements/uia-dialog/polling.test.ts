import { aTimeout, expect, waitUntil } from "@open-wc/testing";
import { protectedRequest } from "../protected-request.js";
import { Email, OAuth, begin, element, endDialog, make, outcome } from "./fixture.js";

describe("<uia-dialog> asks in between whether a stage is finished", () => {
  afterEach(endDialog);

  it("asks no more while the page is hidden, and at once when it is back", async () => {
    await make();
    element.pollInterval = 30;
    element.emailSid = "sid";
    const request = protectedRequest(
      [Email],
      {},
      {
        [Email]: () => ({ errcode: "M_UNAUTHORIZED", error: "no" }),
      },
    );
    let hidden = true;
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    await begin(request);
    await aTimeout(150);
    const before = request.sent.length;
    hidden = false;
    document.dispatchEvent(new Event("visibilitychange"));
    await waitUntil(() => request.sent.length > before, "nobody asks");
    Reflect.deleteProperty(document, "hidden");
    expect(before).to.equal(1);
  });

  it("asks nobody while the page is hidden, and once it is back", async () => {
    await make();
    element.pollInterval = 20;
    const request = protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } });
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    try {
      await begin(request);
      await aTimeout(80);
      expect(request.sent).to.have.length(1);
      Object.defineProperty(document, "hidden", { value: false, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
      window.dispatchEvent(new Event("focus"));
      expect(request.sent.length).to.be.at.most(2);
      await waitUntil(() => request.sent.length > 2);
    } finally {
      delete (document as { hidden?: boolean }).hidden;
    }
    element.cancel();
    await outcome;
    const { length } = request.sent;
    window.dispatchEvent(new Event("focus"));
    await aTimeout(60);
    expect(request.sent).to.have.length(length);
  });

  it("leaves the homeserver in peace, whatever the interval", async () => {
    for (const pollInterval of [0, -1, 1e10, Number.NaN]) {
      await make();
      element.pollInterval = pollInterval;
      const request = protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } });
      await begin(request);
      await aTimeout(60);
      expect(request.sent, String(pollInterval)).to.have.length(1);
      element.cancel();
      await outcome;
    }
  });

  it("asks in between where the interval is none", async () => {
    await make();
    element.setAttribute("poll-interval", "20");
    element.removeAttribute("poll-interval");
    const delays: unknown[] = [];
    const { setTimeout: later } = window;
    window.setTimeout = ((run: () => void, ms: number) => {
      delays.push(ms);
      return later(run, ms);
    }) as typeof setTimeout;
    await begin(protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } }));
    window.setTimeout = later;
    expect(delays).to.include(5000);
  });
});
