import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import { restoreStubs, stub } from "../../support/stub.js";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { OAuth, Password, Sso, Terms, element, endDialog, gate, outcome, ui } from "./fixture.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

describe("<uia-dialog> at a stage of another page", () => {
  afterEach(endDialog);

  const frame = (): HTMLElement | null | undefined =>
    element.shadowRoot?.querySelector<HTMLElement>("uia-fallback-frame");

  it("shows the homeserver's page at an unknown stage", async () => {
    await ui.open(["org.example.unknown"]);
    await waitFor(frame, "no page");
  });

  it("shows the homeserver's page at a stage that is not in supportedStages", async () => {
    await ui.make();
    element.supportedStages = [Terms];
    await ui.begin(protectedRequest([Password]));
    await waitFor(frame, "no page");
    expect(element.querySelector("form")).to.equal(null);
  });

  it("takes no slot of its own for a stage that is named like it", async () => {
    for (const stage of ["heading", "description", "fields"]) {
      await ui.make(
        html`<uia-dialog
          ><p slot="heading">Really?</p>
          <p slot="description">So</p></uia-dialog
        >`,
      );
      element.client = { getFallbackAuthUrl: () => "https://hs.example/" };
      await ui.begin(protectedRequest([stage]));
      await waitFor(frame, `no page for ${stage}`);
      element.cancel();
      await outcome;
    }
  });

  for (const ways of [
    [Password, Sso],
    [Sso, Password],
  ]) {
    it(`prefers a flow without another page when ${ways[0]} comes first`, async () => {
      await ui.make();
      const data = { session: "s", flows: ways.map((stage) => ({ stages: [stage] })) };
      ui.follow(
        element
          .authenticate(() => Promise.reject(refusal(401, data)))
          .catch((error: unknown) => error),
      );
      await ui.asked();
      expect(frame()).to.equal(null);
      expect(ui.field("password")).to.exist;
    });
  }

  it("continues when the page sends authDone", async () => {
    await ui.make();
    element.client = { getFallbackAuthUrl: () => `${location.origin}/fallback` };
    const opened: unknown[] = [];
    const inner = await fixture<HTMLIFrameElement>(html`<iframe></iframe>`);
    const popup = inner.contentWindow;
    if (!popup) throw new Error("no window");
    stub(window, "open", {
      value(url: string): Window {
        opened.push(url);
        return popup;
      },
    });
    const request = protectedRequest([Sso]);
    await ui.begin(request);
    await waitFor(() => frame()?.shadowRoot?.querySelector("[part=open]"));
    frame()?.shadowRoot?.querySelector<HTMLElement>("[part=open]")?.click();
    restoreStubs();
    expect(opened).to.deep.equal([`${location.origin}/fallback`]);
    request.complete(Sso);
    window.dispatchEvent(
      new MessageEvent("message", { data: "authDone", origin: location.origin, source: popup }),
    );
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent).to.deep.equal([null, { session: "the-session" }]);
  });

  it("checks again when the user continues during a poll", async () => {
    await ui.make();
    const request = protectedRequest([Sso]);
    const { passed, open } = gate();
    ui.follow(
      element.authenticate(async (auth, background) => {
        const answer = request.doRequest(auth, background);
        answer.catch(() => undefined);
        if (request.sent.length === 2) await passed;
        return answer;
      }),
    );
    await ui.asked();
    void element.session?.poll();
    await waitFor(() => request.sent.length === 2);
    request.complete(Sso);
    const finished = element.session?.finish();
    await aTimeout(0);
    open();
    await finished;
    expect(element.session?.unfinished).to.equal(undefined);
    expect(await outcome).to.deep.equal({ done: true });
  });

  it("opens no page for a URL of m.oauth of 1 MiB, with the worst host", async () => {
    await ui.open([OAuth], { [OAuth]: { url: `https://a${"\u0300\u0316".repeat(2 ** 19)}` } });
    await waitFor(() => frame()?.shadowRoot?.querySelector("[role=alert]"));
    expect(frame()?.shadowRoot?.querySelector("[part=open]")).to.equal(null);
  });

  it("opens the URL of m.oauth, and polls with both bodies", async () => {
    const request = await ui.open([OAuth], {
      [OAuth]: { url: "https://account.example/?action=reset" },
    });
    await waitFor(() => frame()?.shadowRoot?.querySelector("[part=open]"));
    element.dispatchEvent(new Event("focus"));
    await element.session?.finish();
    await outcome;
    expect(request.sent).to.deep.equal([
      null,
      { session: "the-session" },
      { session: "the-session", type: OAuth },
    ]);
  });

  it("keeps the popup open when it is moved, and closes it when it is cancelled", async () => {
    await ui.make();
    element.client = { baseUrl: "https://hs.example" };
    let closed = 0;
    stub(window, "open", { value: () => ({ closed: false, close: () => (closed += 1) }) });
    await ui.begin(protectedRequest([Sso]));
    const frame = element.shadowRoot?.querySelector("uia-fallback-frame");
    await waitFor(() => frame?.shadowRoot?.querySelector("[part=open]"), "no page");
    frame?.shadowRoot?.querySelector<HTMLElement>("[part=open]")?.click();
    restoreStubs();
    expect(frame?.state).to.equal("open");
    const place = document.createElement("div");
    document.body.append(place);
    place.append(element);
    await timeForMore();
    expect(closed).to.equal(0);
    expect(frame?.state).to.equal("open");
    element.cancel();
    await outcome;
    await element.updateComplete;
    await aTimeout(0);
    expect(closed).to.equal(1);
  });
});
