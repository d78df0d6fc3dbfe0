import { aTimeout, expect, oneEvent } from "@open-wc/testing";
import {
  uiaSessionContext,
  type UiaDoRequestEvent,
  type UiaErrorEvent,
  type UiaRequestEmailTokenEvent,
  type UiaSession,
  type UiaStateUpdatedEvent,
  type UiaSuccessEvent,
} from "matrix-auth-elements";
import { timeForMore } from "../support/wait-for.js";
import { protectedRequest, refusal } from "../support/protected-request.js";
import {
  Dummy,
  Email,
  Password,
  RegistrationToken,
  PASSWORD_JUDGE,
  element,
  endDialog,
  gate,
  outcome,
  ui,
} from "./fixture.js";

describe("<uia-dialog>", () => {
  afterEach(endDialog);

  it("stays closed and resolves when the request needs no stage", async () => {
    await ui.make();
    const events: string[] = [];
    for (const type of ["uia-state-updated", "uia-success", "uia-error"]) {
      element.addEventListener(type, () => events.push(type));
    }
    expect(await element.authenticate(() => Promise.resolve("fine"))).to.equal("fine");
    expect(events).to.deep.equal(["uia-success"]);
    expect(element.open).to.be.false;
    expect(element.result).to.equal("fine");
  });

  it("opens at the first stage, and closes with the result after n + 1 requests for n stages", async () => {
    const request = await ui.open([Password, RegistrationToken, Dummy], {}, PASSWORD_JUDGE);
    expect(element.open).to.be.true;
    expect(element.matches("[open]:state(awaiting-input)")).to.be.true;
    await ui.submit({ password: "right" });
    await ui.submit({ token: "abc" });
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent).to.have.length(4);
    expect(element.open).to.be.false;
    expect(ui.dialog()).to.equal(null);
    expect(element.querySelector("form")).to.equal(null);
  });

  it("shows the stage within one task of the response", async () => {
    await ui.make();
    await element.authenticate(() => Promise.resolve());
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const request = protectedRequest([Password]);
    ui.follow(
      element
        .authenticate(async (auth, background) => {
          await answered;
          return request.doRequest(auth, background);
        })
        .catch(() => undefined),
    );
    await timeForMore();
    expect(element.open).to.be.false;
    answer();
    await aTimeout(0);
    expect(ui.dialog()?.open).to.be.true;
    expect(ui.field("password")).to.equal(document.activeElement);
  });

  it("reports stages, busy and success by events and properties", async () => {
    await ui.make();
    const told: unknown[] = [];
    element.addEventListener("uia-state-updated", (event: UiaStateUpdatedEvent) => {
      told.push(event.detail.nextStage, event.bubbles);
      expect(element.session?.stage).to.equal(event.detail.nextStage);
    });
    element.addEventListener("uia-busy-changed", ({ detail }) => told.push(detail.busy));
    const success = oneEvent(document, "uia-success") as Promise<UiaSuccessEvent>;
    await ui.begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
    expect(element.getSessionId()).to.equal("the-session");
    await ui.submit({ password: "right" });
    expect((await success).detail.result).to.deep.equal({ done: true });
    expect(told).to.deep.equal([true, Password, false, false, true, false]);
  });

  it("returns the same promise from attemptAuth() while an attempt is running", async () => {
    await ui.make();
    const request = protectedRequest([Password]);
    element.doRequest = request.doRequest;
    const first = element.attemptAuth();
    expect(element.attemptAuth()).to.equal(first);
    first.catch(() => undefined);
    await ui.asked();
    expect(request.sent).to.deep.equal([null]);
  });

  it("resolves with its own result when a listener of uia-success starts another request", async () => {
    await ui.make();
    let next: Promise<unknown> | undefined;
    const begins = (): void => {
      next ??= element.authenticate(() => Promise.resolve("second"));
    };
    element.addEventListener("uia-success", begins);
    expect(await element.authenticate(() => Promise.resolve("first"))).to.equal("first");
    expect(await next).to.equal("second");
  });

  it("resolves a request without stages when it is not in the document", async () => {
    ui.adopt(document.createElement("uia-dialog"));
    expect(await element.authenticate(() => Promise.resolve("fine"))).to.equal("fine");
    expect(element.state).to.equal("idle");
  });

  it("resolves when a view throws at the end, and reports its error to the window", async () => {
    await ui.make();
    const reported: unknown[] = [];
    const hear = (event: ErrorEvent): void => {
      reported.push(event.message);
      event.preventDefault();
    };
    window.addEventListener("error", hear, { once: true });
    // The test runner's own would take it for a failure of the test.
    const { onerror } = window;
    window.onerror = null;
    try {
      let stage: string | undefined;
      const view = document.createElement("p");
      element.append(view);
      await ui.begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
      view.dispatchEvent(
        Object.assign(new Event("context-request", { bubbles: true, composed: true }), {
          context: uiaSessionContext,
          contextTarget: view,
          subscribe: true,
          // As if there were a session for ever.
          callback: (session: UiaSession) => (stage = session.stage),
        }),
      );
      expect(stage).to.equal(Password);
      await ui.submit({ password: "right" });
      expect(await outcome).to.deep.equal({ done: true });
      expect(element.state).to.equal("idle");
    } finally {
      window.onerror = onerror;
    }
    expect(reported).to.have.length(1);
  });

  it("runs two requests one after the other", async () => {
    await ui.make();
    const [first, second] = [protectedRequest([Password]), protectedRequest([Password])];
    const both = [first, second].map(({ doRequest }) => element.authenticate(doRequest));
    await ui.asked();
    expect(second.sent).to.deep.equal([]);
    await ui.submit({ password: "right" });
    await ui.asked();
    expect(second.sent).to.deep.equal([null]);
    await ui.submit({ password: "right" });
    await Promise.all(both);
  });

  it("rejects with the request's error, and reports its errcode as code", async () => {
    await ui.make();
    const told = oneEvent(document, "uia-error") as Promise<UiaErrorEvent>;
    const error = Object.assign(refusal(400, {}), { errcode: "M_WEAK_PASSWORD" });
    const caught = await element
      .authenticate(() => Promise.reject(error))
      .catch((thrown: unknown) => thrown);
    expect(caught).to.equal(error);
    expect((await told).detail).to.deep.equal({ error, code: "M_WEAK_PASSWORD" });
    expect(element.error).to.equal(error);
  });

  it("reports a request's own error when its code is cancelled", async () => {
    await ui.make();
    const told = oneEvent(element, "uia-error") as Promise<UiaErrorEvent>;
    const error = Object.assign(new Error("not mine"), { code: "cancelled" });
    await element.authenticate(() => Promise.reject(error)).catch(() => undefined);
    expect((await told).detail.error).to.equal(error);
  });

  it("closes and rejects when the homeserver refuses the request at a stage", async () => {
    const request = await ui.open([Password]);
    request.failNext(refusal(400, { errcode: "M_WEAK_PASSWORD", error: "weak" }));
    await ui.submit({ password: "x" });
    expect(await outcome).to.have.property("httpStatus", 400);
    expect(element.open).to.be.false;
  });

  it("has authUploadDeviceSigningKeys, which works without its this", async () => {
    await ui.make();
    const { authUploadDeviceSigningKeys } = element;
    const request = protectedRequest([Password]);
    const uploading = authUploadDeviceSigningKeys(async (auth) => {
      await request.doRequest(auth, false);
    });
    await ui.asked();
    await ui.submit({ password: "right" });
    await uploading;
    expect(request.sent).to.have.length(2);
  });

  it("starts when open is set, and is cancelled when it is removed", async () => {
    await ui.make();
    const request = protectedRequest([Password]);
    element.doRequest = request.doRequest;
    element.open = true;
    await ui.asked();
    const cancelled = oneEvent(element, "uia-cancel");
    element.open = false;
    await cancelled;
    await ui.inState("idle");
    expect(ui.dialog()).to.equal(null);
  });

  it("has its :state() at once when open is set", async () => {
    await ui.make();
    element.doRequest = () => new Promise(() => undefined);
    element.open = true;
    await element.updateComplete;
    expect(element.state).to.equal("busy");
    expect(element.matches(":state(busy)")).to.be.true;
    ui.follow(Promise.resolve());
  });

  it("does not open when open is removed before the response", async () => {
    await ui.make();
    const { passed, open } = gate();
    const request = protectedRequest([Password]);
    element.doRequest = async (auth, background) => {
      await passed;
      return request.doRequest(auth, background);
    };
    element.open = true;
    await timeForMore();
    element.open = false;
    await timeForMore();
    open();
    await timeForMore();
    expect(element.open).to.be.false;
    expect(element.state).to.equal("idle");
  });

  describe("without doRequest", () => {
    it("sends each request with the listener of uia-do-request", async () => {
      await ui.make();
      const request = protectedRequest([Password], {}, PASSWORD_JUDGE);
      element.addEventListener("uia-do-request", (event: UiaDoRequestEvent) => {
        const { authData, background } = event.detail;
        event.respondWith(request.doRequest(authData, background));
      });
      ui.follow(element.attemptAuth());
      await ui.asked();
      await ui.submit({ password: "right" });
      expect(await outcome).to.deep.equal({ done: true });
    });

    it("rejects with no_handler when nothing responds to uia-do-request", async () => {
      await ui.make();
      const error = await element.attemptAuth().catch((thrown: unknown) => thrown);
      expect(error).to.have.property("code", "no_handler");
    });

    it("accepts one respondWith(), and only during the event", async () => {
      await ui.make();
      let late!: UiaDoRequestEvent;
      const errors: string[] = [];
      element.addEventListener("uia-do-request", (event: UiaDoRequestEvent) => {
        late = event;
        event.respondWith("first");
        try {
          event.respondWith("second");
        } catch (error) {
          errors.push((error as DOMException).name);
        }
      });
      expect(await element.attemptAuth()).to.equal("first");
      expect(() => late.respondWith("late")).to.throw(DOMException);
      expect(errors).to.deep.equal(["InvalidStateError"]);
    });

    it("requests the email with the listener of uia-request-email-token", async () => {
      await ui.make();
      const asks: unknown[] = [];
      element.addEventListener("uia-request-email-token", (event: UiaRequestEmailTokenEvent) => {
        asks.push(event.detail);
        event.respondWith({ sid: "sid" });
      });
      element.clientSecret = "secret";
      await ui.begin(protectedRequest([Email]));
      await ui.submit({ email: "alice@example.org" });
      expect(asks).to.deep.equal([
        { email: "alice@example.org", secret: "secret", attempt: 1, session: "the-session" },
      ]);
    });
  });
});
