import { expect, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { Clock } from "../../support/clock.js";
import { rejectionOf } from "../../support/rejection.js";
import { stub } from "../../support/stub.js";
import { recordEvents } from "../support/element.js";
import { protectedRequest } from "../support/protected-request.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import { Password, element, endDialog, gate, limit, outcome, ui } from "./fixture.js";

/** The delay after which the dialog shows that it is busy. */
const PENDING_MS = 400;

describe("<uia-dialog> before the homeserver's first response", () => {
  afterEach(endDialog);

  const pending = (): Promise<unknown> => waitFor(() => ui.dialog()?.open, "not open");

  it("opens, busy, with its description, and shows the stage in the same dialog", async () => {
    await ui.make();
    const { passed, open } = gate();
    const { doRequest } = protectedRequest([Password]);
    ui.follow(
      element.authenticate((...request) => passed.then(() => doRequest(...request)), {
        heading: "Sign out the laptop",
        description: "It has to sign in again.",
      }),
    );
    expect([element.state, element.open]).to.deep.equal(["busy", false]);
    await pending();
    const first = ui.dialog();
    expect(ui.text()).to.equal(
      "Sign out the laptop It has to sign in again. @alice:hs.example Please wait… Cancel",
    );
    expect([element.state, element.open, first?.matches(":popover-open")]).to.deep.equal([
      "busy",
      true,
      true,
    ]);
    expect(ui.part("spinner")?.checkVisibility()).to.be.true;
    expect(element.shadowRoot?.activeElement === ui.part("heading"), "the focus").to.be.true;
    open();
    await ui.asked();
    expect(ui.dialog() === first, "the same dialog").to.be.true;
    expect(ui.text()).to.contain("Sign out the laptop It has to sign in again.");
    expect(document.activeElement === ui.field("password"), "the field's focus").to.be.true;
    await ui.finish();
  });

  it("never opens when the response arrives immediately, and leaves no timer", async () => {
    let opened = false;
    const { showPopover } = HTMLElement.prototype;
    stub(HTMLElement.prototype, "showPopover", {
      value(this: HTMLElement) {
        opened = true;
        showPopover.call(this);
      },
    });
    await ui.make();
    const clock = new Clock();
    await element.authenticate(() => Promise.resolve("fine"));
    expect(clock.pending).to.be.empty;
    await clock.pass(PENDING_MS + 100);
    await untilQuiet();
    expect([opened, element.open]).to.deep.equal([false, false]);
  });

  it("shows the wait, without the homeserver's message, if the first request is rate-limited", async () => {
    await ui.make();
    const { doRequest, failNext } = protectedRequest([Password]);
    failNext(limit(1500, "Slow down"));
    const clock = new Clock();
    ui.follow(element.authenticate(doRequest));
    await clock.pass(PENDING_MS);
    await ui.reads("Trying again in 2 seconds.");
    expect(ui.text()).not.to.contain("Slow down");
    await clock.pass(1500);
    await ui.asked();
    await ui.finish();
  });

  it("closes when the request succeeds without a stage", async () => {
    await ui.make();
    const { passed, open } = gate();
    ui.follow(element.authenticate(() => passed.then(() => "fine")));
    await pending();
    open();
    expect(await outcome).to.equal("fine");
    expect([element.open, element.state, ui.dialog()?.open ?? false]).to.deep.equal([
      false,
      "idle",
      false,
    ]);
  });

  for (const [how, cancel] of [
    ["Escape is pressed", () => sendKeys({ press: "Escape" })],
    ["its button is pressed", () => ui.press("cancel")],
    ["open is removed", async () => void (element.open = false)],
  ] as const) {
    it(`is cancelled when ${how}`, async () => {
      await ui.make();
      const events = recordEvents(element, "uia-cancel", "uia-error", "uia-success");
      ui.follow(
        element.authenticate(() => new Promise(() => undefined)).catch((error: unknown) => error),
      );
      await pending();
      await cancel();
      await ui.expectCancelled();
      expect(events).to.deep.equal(["uia-cancel"]);
    });
  }

  it("stays open when uia-cancel is prevented", async () => {
    await ui.make();
    element.addEventListener("uia-cancel", (event) => event.preventDefault(), { once: true });
    const { passed, open } = gate();
    ui.follow(element.authenticate(() => passed));
    await pending();
    element.open = false;
    await element.updateComplete;
    expect([element.open, ui.dialog()?.open]).to.deep.equal([true, true]);
    open();
    await outcome;
  });
});

describe("<uia-dialog> with two calls of the same operation", () => {
  afterEach(endDialog);

  it("sends one request, and returns one promise, until the first has ended", async () => {
    await ui.make();
    const request = protectedRequest([Password]);
    const first = element.authenticate(request.doRequest, { key: "LAPTOP" });
    expect(element.authenticate(request.doRequest, { key: "LAPTOP" })).to.equal(first);
    await ui.asked();
    expect(element.authenticate(request.doRequest, { key: "LAPTOP" })).to.equal(first);
    await ui.submit({ password: "right" });
    expect(await first).to.deep.equal({ done: true });
    expect(request.sent).to.have.length(2);
  });

  it("joins a request that is waiting for another one", async () => {
    await ui.make();
    const { passed, open } = gate();
    const first = element.authenticate(() => passed.then(() => 1), { key: 1 });
    const second = element.authenticate(() => Promise.resolve(2), { key: 2 });
    expect(element.authenticate(() => Promise.resolve(3), { key: 2 })).to.equal(second);
    open();
    expect(await Promise.all([first, second])).to.deep.equal([1, 2]);
  });

  for (const [others, theirs] of [
    ["a caller without a signal", undefined],
    ["another caller's signal", new AbortController().signal],
  ] as const) {
    it(`cancels only the caller whose signal aborts, next to ${others}`, async () => {
      await ui.make();
      const request = protectedRequest([Password]);
      const mine = new AbortController();
      const [first = Promise.resolve(), second] = [mine.signal, theirs].map((signal) =>
        element.authenticate(request.doRequest, { key: "LAPTOP", signal }),
      );
      await ui.asked();
      const reason = new Error("The list was closed");
      mine.abort(reason);

      expect(await rejectionOf(first)).to.include({ code: "cancelled", cause: reason });
      expect(ui.dialog()?.open).to.be.true;
      await ui.submit({ password: "right" });
      expect(await second).to.deep.equal({ done: true });
      expect(request.sent).to.have.length(2);
    });
  }

  it("cancels the request once the signals of all callers have aborted", async () => {
    await ui.make();
    const request = protectedRequest([Password]);
    const callers = [new AbortController(), new AbortController()];
    const calls = callers.map(({ signal }) =>
      element.authenticate(request.doRequest, { key: "LAPTOP", signal }),
    );
    await ui.asked();
    for (const caller of callers) caller.abort();

    for (const call of calls) expect(await rejectionOf(call)).to.include({ code: "cancelled" });
    await ui.inState("idle");
    expect(ui.dialog()?.open).not.to.be.true;
  });

  it("sends nothing for a caller whose signal has already aborted", async () => {
    await ui.make();
    const request = protectedRequest([Password]);
    const call = element.authenticate(request.doRequest, { signal: AbortSignal.abort() });

    expect(await rejectionOf(call)).to.include({ code: "cancelled" });
    expect(request.sent).to.be.empty;
  });

  it("sends a new request once the first has ended, even in a listener for its end", async () => {
    await ui.make();
    let next: Promise<unknown> | undefined;
    element.addEventListener("uia-error", () => {
      next = element.authenticate(() => Promise.resolve("second"), { key: "LAPTOP" });
    });
    const failure = new Error("no");
    const first = element.authenticate(() => Promise.reject(failure), { key: "LAPTOP" });
    expect(await first.catch((error: unknown) => error)).to.equal(failure);
    expect(await next).to.equal("second");
  });

  for (const options of [undefined, {}, { key: undefined }]) {
    it(`sends each request with the options ${JSON.stringify(options)}`, async () => {
      await ui.make();
      const calls = [1, 2].map((each) =>
        element.authenticate(() => Promise.resolve(each), options),
      );
      expect(await Promise.all(calls)).to.deep.equal([1, 2]);
    });
  }

  it("shows the texts of each call instead of the page's, and then the page's again", async () => {
    await ui.make(
      html`<uia-dialog user-id="@alice:hs.example" heading="The page’s">
        <p slot="description">The page’s words.</p>
      </uia-dialog>`,
    );
    const words = { heading: "The call’s", description: "Its words." };
    for (const [options, expected] of [
      [words, "The call’s Its words."],
      [undefined, "The page’s The page’s words."],
    ] as const) {
      ui.follow(element.authenticate(protectedRequest([Password]).doRequest, options));
      await ui.asked();
      const shown = ["heading", "description"].map((name) => {
        const slot = ui.part(name)?.querySelector("slot");
        const [slotted] = slot?.assignedElements() ?? [];
        return (slotted ?? ui.part(name))?.textContent?.trim();
      });
      expect(shown.join(" ")).to.equal(expected);
      await ui.submit({ password: "right" });
      await outcome;
    }
  });
});
