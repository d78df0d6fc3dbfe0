import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { protectedRequest } from "../support/protected-request.js";
import { Password, Recaptcha, element, endDialog, gate, outcome, ui } from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> at m.login.recaptcha", () => {
  afterEach(endDialog);

  const params = { [Recaptcha]: { public_key: "the-key" } };

  it("renders the captcha in light DOM with the page's script, and submits its response", async () => {
    await ui.make();
    let respond!: (response: string) => void;
    let rendered: unknown[] = [];
    element.loadCaptcha = () =>
      Promise.resolve({
        render(container, { sitekey, callback }) {
          rendered = [sitekey, container.getRootNode()];
          respond = callback;
        },
      });
    const request = protectedRequest([Recaptcha], params);
    await ui.begin(request);
    await waitFor(() => rendered.length > 0);
    expect(rendered).to.deep.equal(["the-key", document]);
    respond("human");
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent[1]).to.have.property("response", "human");
  });

  it("is not modal for what the captcha opens, but covers the page behind it", async () => {
    const behind = await fixture<HTMLElement>(
      html`<button style="position: fixed; inset: 0 auto auto 0">Behind</button>`,
    );
    const task = document.createElement("div");
    task.style.cssText = "position: fixed; z-index: 2000000000; inset: 40% 0 auto; height: 90px";
    await ui.make();
    element.loadCaptcha = () =>
      Promise.resolve({ render: () => void document.body.append(task), reset: () => undefined });
    await ui.begin(protectedRequest([Password, Recaptcha], params));
    const hit = (target: Element): Element | null => {
      const { left, top } = target.getBoundingClientRect();
      return document.elementFromPoint(left + 5, top + 5);
    };
    expect(ui.dialog()?.matches(":modal")).to.be.true;
    await ui.submit({ password: "right" });
    await waitFor(() => task.isConnected);
    expect(hit(task) === task).to.be.true;
    expect(hit(behind) === behind).to.be.false;
    expect(element.shadowRoot?.activeElement ?? document.activeElement).not.to.equal(document.body);
    let reason: unknown;
    element.addEventListener("uia-cancel", (event) => (reason = event.detail.reason));
    await sendKeys({ press: "Escape" });
    expect(reason).to.equal("dismissed");
    expect(await outcome).to.have.property("code", "cancelled");
    task.remove();
  });

  it("shows the homeserver's page instead of the captcha on request", async () => {
    await ui.make();
    element.client = { getFallbackAuthUrl: (stage) => `https://hs.example/${stage}` };
    element.loadCaptcha = () => Promise.resolve({ render: () => undefined });
    await ui.begin(protectedRequest([Recaptcha], params));
    ui.other("Use the homeserver’s page instead").click();
    await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"));
    expect(ui.dialog()?.matches(":modal")).to.be.true;
    expect(element.querySelector("form")).to.equal(null);
  });

  it("leaves the focus in what the captcha opens", async () => {
    const task = await fixture<HTMLElement>(html`<input aria-label="Pictures" />`);
    await ui.make();
    element.loadCaptcha = () => Promise.resolve({ render: () => undefined });
    await ui.begin(protectedRequest([Recaptcha], params));
    task.focus();
    element.requestUpdate();
    await element.updateComplete;
    expect(document.activeElement === task).to.be.true;
  });

  it("is not modal when the page has slotted a captcha of its own", async () => {
    await ui.make(html`<uia-dialog><p slot="m.login.recaptcha">Mine</p></uia-dialog>`);
    await ui.begin(protectedRequest([Recaptcha], params));
    expect(ui.dialog()?.matches("[open]:not(:modal)")).to.be.true;
  });

  it("resets the captcha when the homeserver refuses its response", async () => {
    await ui.make();
    let respond!: (response: string) => void;
    const resets: unknown[] = [];
    element.loadCaptcha = () =>
      Promise.resolve({
        render(_container, { callback }) {
          respond = callback;
          return 7;
        },
        reset: (widget) => void resets.push(widget),
      });
    await ui.begin(
      protectedRequest([Recaptcha], params, {
        [Recaptcha]: () => ({ errcode: "M_UNAUTHORIZED", error: "no" }),
      }),
    );
    await waitFor(() => respond !== undefined);
    respond("robot");
    await waitFor(() => resets.length > 0);
    expect(resets).to.deep.equal([7]);
    expect(ui.text()).to.contain("rejected this request");
  });

  it("resets the captcha when its response could not be sent", async () => {
    await ui.make();
    let respond!: (response: string) => void;
    let resets = 0;
    element.loadCaptcha = () =>
      Promise.resolve({
        render: (_container, { callback }) => (respond = callback),
        reset: () => (resets += 1),
      });
    const request = protectedRequest([Recaptcha], { [Recaptcha]: { public_key: "k" } });
    await ui.begin(request);
    await waitFor(() => respond !== undefined);
    request.failNext(new TypeError("Failed to fetch"));
    respond("human");
    await ui.inState("error");
    await ui.press("submit");
    await ui.asked();
    await element.updateComplete;
    expect(resets).to.equal(1);
  });

  for (const [room, size] of Object.entries({ "60rem": "normal", "18rem": "compact" })) {
    it(`renders the ${size} size of the captcha in ${room}`, async () => {
      await ui.make();
      element.style.setProperty("--uia-inline-size", room);
      let asked: unknown;
      element.loadCaptcha = () =>
        Promise.resolve({ render: (_container, parameters) => (asked = parameters.size) });
      await ui.begin(protectedRequest([Recaptcha], params));
      await waitFor(() => asked);
      expect(asked).to.equal(size);
    });
  }

  const unusable: Readonly<Record<string, unknown>> = {
    "cannot be loaded": () => Promise.reject(new Error("blocked")),
    "is not there": undefined,
    "throws at once": () => {
      throw new Error("at once");
    },
    "gives nothing": () => undefined,
    "is no function": "no function",
  };
  for (const [what, load] of Object.entries(unusable)) {
    it(`shows the homeserver's page when the captcha's script ${what}`, async () => {
      await ui.make();
      element.client = { baseUrl: "https://hs.example" };
      element.loadCaptcha = load as never;
      await ui.begin(protectedRequest([Recaptcha], params));
      await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"));
    });
  }

  it("renders no captcha when its script is loaded after cancel()", async () => {
    await ui.make();
    const { passed, open } = gate();
    let rendered = false;
    element.loadCaptcha = async () => {
      await passed;
      return { render: () => (rendered = true) };
    };
    await ui.begin(protectedRequest([Recaptcha], { [Recaptcha]: { public_key: "k" } }));
    element.cancel();
    await outcome;
    open();
    await aTimeout(0);
    expect(rendered).to.be.false;
  });
});
