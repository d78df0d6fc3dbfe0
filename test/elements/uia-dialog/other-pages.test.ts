import { aTimeout, expect, html } from "@open-wc/testing";
import type { UiaFallbackFrameElement } from "matrix-auth-elements";
import { stub } from "../../support/stub.js";
import { part } from "../support/element.js";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";
import {
  OAuth,
  Password,
  Sso,
  Terms,
  element,
  endDialog,
  gate,
  outcome,
  refusing,
  ui,
} from "./fixture.js";

describe("<uia-dialog> at a stage on another page", () => {
  afterEach(endDialog);

  const frame = (): UiaFallbackFrameElement | null | undefined =>
    element.shadowRoot?.querySelector("uia-fallback-frame");

  for (const [what, stage, options] of [
    ["at an unknown stage", "org.example.unknown", {}],
    ["at a stage that is not in supportedStages", Password, { set: { supportedStages: [Terms] } }],
    ...["heading", "description", "fields", "actions", "error", "error-ORG.MATRIX.X"].map(
      (slot) =>
        [
          `at a stage that is named like the slot ${slot}`,
          slot,
          {
            template: html`<uia-dialog><p slot=${slot}>Really?</p></uia-dialog>`,
          },
        ] as const,
    ),
  ] as const) {
    it(`shows the homeserver's page ${what}`, async () => {
      await ui.open([stage], options);
      await waitFor(frame, "no page");
      expect(element.querySelector("form")).to.equal(null);
    });
  }

  for (const stages of [
    [Password, Sso],
    [Sso, Password],
  ]) {
    it(`prefers a flow without another page, even if ${stages[0]} comes first`, async () => {
      await ui.make();
      const data = { session: "s", flows: stages.map((stage) => ({ stages: [stage] })) };
      ui.follow(element.authenticate(() => refusing(refusal(401, data))).catch(String));
      await ui.asked();
      expect(frame()).to.equal(null);
      expect(ui.field("password")).to.exist;
    });
  }

  it("checks again when the user continues during a poll", async () => {
    await ui.make();
    const request = protectedRequest([Sso]);
    const { passed, open } = gate();
    ui.follow(
      element.authenticate(async (auth, background) => {
        const response = request.doRequest(auth, background);
        response.catch(() => undefined);
        if (request.sent.length === 2) await passed;
        return response;
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
    await ui.expectDone();
  });

  it("opens no page for an m.oauth URL of 1 MiB whose host is slow to parse", async () => {
    const url = `https://a${"\u0300\u0316".repeat(2 ** 19)}`;
    await ui.open([OAuth], { params: { [OAuth]: { url } } });
    await waitFor(() => frame()?.shadowRoot?.querySelector("[role=alert]"));
    expect(frame()?.shadowRoot?.querySelector("[part=open]")).to.equal(null);
  });

  it("opens the URL of m.oauth, and polls with both bodies when the user continues", async () => {
    const url = "https://account.example/?action=reset";
    const request = await ui.open([OAuth], { params: { [OAuth]: { url } } });
    const opened: string[] = [];
    const location = { href: "about:blank", replace: (to: string) => opened.push(to) };
    stub(window, "open", { value: () => ({ closed: false, close: () => undefined, location }) });
    const button = () => frame()?.shadowRoot?.querySelector<HTMLElement>("[part=open]");
    (await waitFor(button, "no page"))?.click();
    expect(opened).to.deep.equal([url]);
    await element.session?.finish();
    await outcome;
    const session = "the-session";
    expect(request.sent).to.deep.equal([null, { session }, { session, type: OAuth }]);
  });

  it("shows no error while it closes after the other page", async () => {
    const request = await ui.open([Sso], { set: { client: { baseUrl: "https://hs.example" } } });
    const page = (await waitFor(frame, "no page")) as UiaFallbackFrameElement;
    const shown: string[] = [];
    const root = page.renderRoot;
    const observer = new MutationObserver(() => {
      const alert = root.querySelector("[role=alert]")?.textContent;
      if (alert) shown.push(alert);
    });
    observer.observe(root, { childList: true, subtree: true });
    request.complete(Sso);
    await element.session?.finish();
    await outcome;
    await page.updateComplete;
    observer.takeRecords();
    expect(shown).to.deep.equal([]);
    expect(root.querySelector("[role=alert]")).to.equal(null);
  });

  it("keeps the popup open when it is moved, and closes it when it is cancelled", async () => {
    let closed = 0;
    stub(window, "open", { value: () => ({ closed: false, close: () => (closed += 1) }) });
    await ui.open([Sso], { set: { client: { baseUrl: "https://hs.example" } } });
    const page = (await waitFor(frame, "no page")) as UiaFallbackFrameElement;
    await waitFor(() => page.shadowRoot?.querySelector("[part=open]"), "no button");
    part(page, "open").click();
    expect(page.state).to.equal("open");
    await ui.move();
    expect(closed).to.equal(0);
    expect(page.state).to.equal("open");
    element.cancel();
    await outcome;
    await element.updateComplete;
    await aTimeout(0);
    expect(closed).to.equal(1);
  });
});
