import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { CaptchaApi, LoadCaptcha, UiaDialogElement } from "matrix-auth-elements";
import { recordEvents } from "../support/element.js";
import { protectedRequest } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";
import {
  NOT_YET,
  OFFLINE,
  POLICIES,
  Password,
  Recaptcha,
  Terms,
  element,
  endDialog,
  gate,
  outcome,
  ui,
} from "./fixture.js";

describe("<uia-dialog> at m.login.recaptcha", () => {
  afterEach(endDialog);

  const params = { [Recaptcha]: { public_key: "the-key" } };
  const fallback = (): Element | null | undefined =>
    element.shadowRoot?.querySelector("uia-fallback-frame");

  /** The options that the dialog renders, and the widgets that it resets. */
  let rendered: Parameters<CaptchaApi["render"]>[1] | undefined;
  let container: HTMLElement | undefined;
  let resets: unknown[];
  let onRender: () => void;
  let loadCaptcha: LoadCaptcha;
  beforeEach(() => {
    rendered = container = undefined;
    resets = [];
    onRender = () => undefined;
    // Each test has a new loader, because a failed one is not called again.
    loadCaptcha = async () => ({
      render(place, parameters) {
        [container, rendered] = [place, parameters];
        onRender();
        return 7;
      },
      reset: (widget) => void resets.push(widget),
    });
  });

  const open = (stages: readonly string[] = [Recaptcha], options: object = {}) =>
    ui.open(stages, { params, set: { loadCaptcha }, ...options });
  /** Completes the captcha as a user does. */
  const respond = async (response: string): Promise<void> => {
    await waitFor(() => rendered);
    rendered?.callback(response);
  };

  it("renders the captcha in the light DOM with the page's script, and submits its response", async () => {
    const request = await open();
    await respond("human");
    expect([rendered?.sitekey, container?.getRootNode()]).to.deep.equal(["the-key", document]);
    await ui.expectDone();
    expect(request.sent[1]).to.have.property("response", "human");
  });

  it("submits a response once when the script reports it twice", async () => {
    const request = await open([Recaptcha, Terms], { params: { ...params, ...POLICIES } });
    await respond("human");
    await respond("human");
    await waitFor(() => element.session?.stage === Terms && !element.session.busy);
    expect(request.sent).to.have.length(2);
  });

  it("is not modal, so that the captcha's window can be used, but covers the page behind it", async () => {
    const behind = await fixture<HTMLElement>(
      html`<button style="position: fixed; inset: 0 auto auto 0">Behind</button>`,
    );
    const task = document.createElement("div");
    task.style.cssText = "position: fixed; z-index: 2000000000; inset: 40% 0 auto; height: 90px";
    onRender = () => document.body.append(task);
    await open([Password, Recaptcha]);
    const hit = (target: Element): Element | null => {
      const { left, top } = target.getBoundingClientRect();
      return document.elementFromPoint(left + 5, top + 5);
    };
    expect(ui.dialog()?.matches(":popover-open")).to.be.true;
    await ui.submit({ password: "right" });
    await waitFor(() => task.isConnected);
    expect(hit(task) === task).to.be.true;
    expect(hit(behind) === behind).to.be.false;
    expect(element.shadowRoot?.activeElement ?? document.activeElement).not.to.equal(document.body);
    const events = recordEvents(element, "uia-cancel");
    await sendKeys({ press: "Escape" });
    expect(events).to.have.length(1);
    await ui.expectCancelled();
    task.remove();
  });

  for (const around of [
    'style="opacity: 0"',
    'style="filter: opacity(0)"',
    'style="transform: scale(0)"',
    'style="clip-path: inset(50%)"',
    'style="mask-image: linear-gradient(transparent, transparent)"',
    'style="contain: strict; block-size: 0"',
    "inert",
  ]) {
    it(`is modal, and can be seen and cancelled, inside a container that is ${around}`, async () => {
      const place = await fixture<HTMLElement>(html`<div></div>`);
      // If the dialog is slotted, the elements around its slot count too.
      place.attachShadow({ mode: "open" }).innerHTML = `<div ${around}><slot></slot></div>`;
      place.innerHTML = "<uia-dialog></uia-dialog>";
      ui.adopt(
        Object.assign(place.querySelector("uia-dialog") as UiaDialogElement, { loadCaptcha }),
      );
      await ui.begin(protectedRequest([Recaptcha], params));
      const shown = ui.dialog();
      expect(shown?.matches(":modal")).to.be.true;
      element.requestUpdate();
      await element.updateComplete;
      expect(ui.dialog() === shown && shown?.matches(":modal")).to.be.true;
      const { left = 0, top = 0 } = ui.part("cancel")?.getBoundingClientRect() ?? {};
      const hit = element.shadowRoot?.elementFromPoint(left + 5, top + 5);
      expect(hit === ui.part("cancel")).to.be.true;
      await ui.press("cancel");
      await ui.expectCancelled();
    });
  }

  it("isn't modal if its container doesn't hide its content", async () => {
    const style = "opacity: 0.9; filter: opacity(0.9); contain: paint; block-size: 100vh";
    const place = await fixture<HTMLElement>(html`<div style=${style}></div>`);
    const dialog = document.createElement("uia-dialog");
    place.append(Object.assign(dialog, { loadCaptcha }));
    ui.adopt(dialog);
    await ui.begin(protectedRequest([Recaptcha], params));
    expect(ui.dialog()?.matches("[open]:not(:modal, :popover-open)")).to.be.true;
  });

  it("shows the homeserver's page instead of the captcha on request", async () => {
    const client = { getFallbackAuthUrl: (stage: string) => `https://hs.example/${stage}` };
    await open([Recaptcha], { set: { client, loadCaptcha } });
    ui.other("Use the homeserver’s page instead").click();
    await waitFor(fallback);
    expect(ui.dialog()?.matches(":popover-open")).to.be.true;
    expect(element.querySelector("form")).to.equal(null);
  });

  it("leaves the focus in the captcha's window", async () => {
    await open();
    const task = await fixture<HTMLElement>(html`<input aria-label="Pictures" />`);
    task.focus();
    element.requestUpdate();
    await element.updateComplete;
    expect(document.activeElement === task).to.be.true;
  });

  it("is not modal when the page has put its own captcha into the slot", async () => {
    const template = html`<uia-dialog><p slot="m.login.recaptcha">Mine</p></uia-dialog>`;
    await ui.open([Recaptcha], { params, template });
    expect(ui.dialog()?.matches("[open]:not(:popover-open)")).to.be.true;
  });

  it("resets the captcha when the homeserver rejects its response", async () => {
    await open([Recaptcha], { validators: { [Recaptcha]: () => NOT_YET } });
    await respond("robot");
    await waitFor(() => resets.length > 0);
    expect(resets).to.deep.equal([7]);
    expect(ui.text()).to.contain("rejected this request");
  });

  it("resets the captcha when its response could not be sent", async () => {
    const request = await open();
    request.failNext(OFFLINE);
    await respond("human");
    await ui.inState("error");
    await ui.press("submit");
    await ui.asked();
    await element.updateComplete;
    expect(resets).to.deep.equal([7]);
  });

  for (const [room, size] of Object.entries({ "60rem": "normal", "18rem": "compact" })) {
    it(`renders the captcha in ${size} size in ${room}`, async () => {
      document.documentElement.style.setProperty("--uia-inline-size", room);
      await open();
      await waitFor(() => rendered);
      document.documentElement.removeAttribute("style");
      expect(rendered?.size).to.equal(size);
    });
  }

  const unusable: Readonly<Record<string, unknown>> = {
    "cannot be loaded": () => Promise.reject(new Error("blocked")),
    "is not there": undefined,
    "throws immediately": () => {
      throw new Error("at once");
    },
    "gives nothing": () => undefined,
    "is not a function": "no function",
  };
  for (const [what, load] of Object.entries(unusable)) {
    it(`shows the homeserver's page when the captcha's script ${what}`, async () => {
      await open([Recaptcha], { set: { loadCaptcha: load } });
      await waitFor(fallback);
    });
  }

  it("shows the homeserver's page when it has no key", async () => {
    await open([Recaptcha], { params: { [Recaptcha]: { public_key: "" } } });
    await waitFor(fallback);
  });

  it("renders no captcha when its script is loaded after cancel()", async () => {
    const { passed, open: load } = gate();
    const late = () => passed.then(() => loadCaptcha());
    await open([Recaptcha], { set: { loadCaptcha: late } });
    element.cancel();
    await outcome;
    load();
    await aTimeout(0);
    expect(rendered).to.be.undefined;
  });
});
