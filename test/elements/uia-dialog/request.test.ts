import { aTimeout, expect } from "@open-wc/testing";
import {
  CrossSigningUploadError,
  HomeserverClient,
  uiaSessionContext,
  type UiaDoRequestEvent,
  type UiaRequestEmailTokenEvent,
  type UiaSession,
  type UiaStateUpdatedEvent,
} from "matrix-auth-elements";
import { everyTextIn, rejectionOf } from "../../support/rejection.js";
import { inSequence, json, networkFailure, ScriptedFetch } from "../../support/scripted-fetch.js";
import { nextEvent, recordEvents } from "../support/element.js";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  Email,
  PASSWORD_VALIDATOR,
  POLICIES,
  Password,
  Terms,
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
    const events = recordEvents(element, "uia-state-updated", "uia-success", "uia-error");
    expect(await element.authenticate(() => Promise.resolve("fine"))).to.equal("fine");
    expect(events).to.deep.equal(["uia-success"]);
    expect(element.open).to.be.false;
    expect(element.result).to.equal("fine");
  });

  it("shows the stage within one task of the response", async () => {
    await ui.make();
    await element.authenticate(() => Promise.resolve());
    const sent = gate();
    const { passed, open: respond } = gate();
    const { doRequest } = protectedRequest([Password]);
    const request: typeof doRequest = async (...parameters) => {
      sent.open();
      await passed;
      return doRequest(...parameters);
    };
    ui.follow(element.authenticate(request).catch(String));
    await sent.passed;
    expect(element.open).to.be.false;
    await untilQuiet();
    respond();
    await aTimeout(0);
    expect(ui.dialog()?.open).to.be.true;
    expect(ui.field("password")).to.equal(document.activeElement);
  });

  it("reports stages, busy and success through events and properties", async () => {
    await ui.make();
    const reports: unknown[] = [];
    element.addEventListener("uia-state-updated", (event: UiaStateUpdatedEvent) => {
      reports.push(event.detail.nextStage, event.bubbles);
      expect(element.session?.stage).to.equal(event.detail.nextStage);
    });
    element.addEventListener("uia-busy-changed", ({ detail }) => reports.push(detail.busy));
    const success = nextEvent(document, "uia-success");
    await ui.begin(protectedRequest([Password]));
    expect(element.getSessionId()).to.equal("the-session");
    await ui.submit({ password: "right" });
    expect((await success).detail.result).to.deep.equal({ done: true });
    expect(reports).to.deep.equal([true, Password, false, false, true, false]);
  });

  it("resolves with its own result when a listener of uia-success starts another request", async () => {
    await ui.make();
    let next: Promise<unknown> | undefined;
    element.addEventListener("uia-success", () => {
      next ??= element.authenticate(() => Promise.resolve("second"));
    });
    expect(await element.authenticate(() => Promise.resolve("first"))).to.equal("first");
    expect(await next).to.equal("second");
  });

  it("resolves a request without stages when it is not in the document", async () => {
    ui.adopt(document.createElement("uia-dialog"));
    expect(await element.authenticate(() => Promise.resolve("fine"))).to.equal("fine");
    expect(element.state).to.equal("idle");
  });

  it("resolves when a view throws at the end, and reports its error to the window", async () => {
    const errors: unknown[] = [];
    // The test runner's listener would report it as a failed test.
    const { onerror } = window;
    window.onerror = (message) => errors.push(message) > 0;
    try {
      let stage: string | undefined;
      await ui.open([Password], { validators: PASSWORD_VALIDATOR });
      const view = document.createElement("p");
      element.append(view);
      view.dispatchEvent(
        Object.assign(new Event("context-request", { bubbles: true, composed: true }), {
          context: uiaSessionContext,
          contextTarget: view,
          subscribe: true,
          // The session seems to last forever.
          callback: (session: UiaSession) => (stage = session.stage),
        }),
      );
      expect(stage).to.equal(Password);
      await ui.finish();
      expect(element.state).to.equal("idle");
    } finally {
      window.onerror = onerror;
    }
    expect(errors).to.have.length(1);
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

  for (const [who, cancel] of [
    ["the user", () => ui.press("cancel")],
    ["the page", () => Promise.resolve(element.cancel())],
  ] as const) {
    it(`cancels waiting requests, too, when ${who} cancels, and runs later ones`, async () => {
      await ui.make();
      const waiting = [1, 2].map(() => protectedRequest([Password]));
      const calls = [protectedRequest([Password]), ...waiting].map(({ doRequest }) =>
        element.authenticate(doRequest).catch((error: unknown) => error),
      );
      await ui.asked();
      await cancel();
      for (const outcome of await Promise.all(calls))
        expect(outcome).to.have.property("code", "cancelled");
      expect(waiting.flatMap(({ sent }) => sent)).to.deep.equal([]);
      expect(element.open).to.be.false;
      ui.follow(element.authenticate(protectedRequest([Password]).doRequest));
      await ui.asked();
      await ui.finish();
    });
  }

  it("runs the next request when the signal of the first aborts", async () => {
    await ui.make();
    const controller = new AbortController();
    const { signal } = controller;
    const first = element.authenticate(protectedRequest([Password]).doRequest, { signal });
    ui.follow(element.authenticate(protectedRequest([Password]).doRequest));
    await ui.asked();
    controller.abort();
    expect(await first.catch((error: unknown) => error)).to.have.property("code", "cancelled");
    await ui.asked();
    await ui.finish();
  });

  it("uses a call's options only for that call", async () => {
    await ui.make();
    const client = { baseUrl: "https://other.example", userId: "@bob:other.example" };
    const emails: string[] = [];
    const options = {
      client,
      userId: client.userId,
      sessionId: "resumed",
      inputs: { emailAddress: "bob@other.example" },
      supportedStages: [Email],
      pollInterval: Infinity,
      requestEmailToken: async (address: string) => {
        emails.push(address);
        return { sid: "sid" };
      },
    };
    const first = protectedRequest([Email]);
    const call = element.authenticate(first.doRequest, options).catch(String);
    ui.follow(call);
    await waitFor(() => emails.length > 0);
    expect(emails).to.deep.equal(["bob@other.example"]);
    expect(first.sent).to.deep.equal([{ session: "resumed" }]);
    expect(element.session?.client).to.equal(client);
    expect(element.session?.userId).to.equal(client.userId);
    element.cancel();
    await call;
    const second = protectedRequest([Password]);
    await ui.begin(second);
    expect(second.sent).to.deep.equal([null]);
    expect(element.session?.client).to.be.undefined;
    expect(element.session?.userId).to.equal("@alice:hs.example");
    expect(element.session?.inputs).to.deep.equal({});
    expect(ui.field("password")).to.exist;
  });

  for (const [what, error, code] of [
    ["its errcode", { errcode: "M_WEAK_PASSWORD", httpStatus: 400 }, "M_WEAK_PASSWORD"],
    ["its own code", { code: "cancelled" }, "cancelled"],
  ] as const) {
    it(`rejects with the request's error, and reports uia-error with ${what}`, async () => {
      const thrown = Object.assign(new Error("not mine"), error);
      await ui.make();
      const reported = nextEvent(document, "uia-error");
      const attempt = element.authenticate(() => Promise.reject(thrown));
      expect(await attempt.catch((caught: unknown) => caught)).to.equal(thrown);
      expect((await reported).detail).to.deep.equal({ error: thrown, code });
      expect(element.error).to.equal(thrown);
    });
  }

  it("closes and rejects when the homeserver rejects the request at a stage", async () => {
    const request = await ui.open([Password]);
    request.failNext(refusal(400, { errcode: "M_WEAK_PASSWORD", error: "weak" }));
    await ui.submit({ password: "x" });
    expect(await outcome).to.have.property("httpStatus", 400);
    expect(element.open).to.be.false;
  });

  it("has authUploadDeviceSigningKeys(), which works without a `this` value", async () => {
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

  it("leaves the new cross-signing keys to the caller if the user cancels after a lost upload", async () => {
    const challenge = { session: "s", flows: [{ stages: [Password] }] };
    const { fetch } = new ScriptedFetch({
      "POST https://hs.example/_matrix/client/v3/keys/device_signing/upload": inSequence(
        json(challenge, 401),
        networkFailure,
      ),
    });
    const userId = "@alice:hs.example";
    const client = new HomeserverClient({ baseUrl: "https://hs.example", userId, fetch });
    await ui.make();
    element.client = client;
    const events: string[] = [];
    for (const type of ["uia-error", "uia-cancel", "uia-state-updated"]) {
      element.addEventListener(type, (event) =>
        events.push(everyTextIn((event as CustomEvent).detail)),
      );
    }
    const { authUploadDeviceSigningKeys } = element;
    const rejected = rejectionOf(client.bootstrapCrossSigning({ authUploadDeviceSigningKeys }));
    await ui.asked();
    await ui.submit({ password: "right" });
    await ui.inState("error");
    element.cancel();

    const error = (await rejected) as CrossSigningUploadError;
    expect(error).to.be.instanceOf(CrossSigningUploadError);
    expect(events).not.to.be.empty;
    expect(events.join()).not.to.contain(error.newKeys.masterKey);
  });

  describe("with doRequest", () => {
    it("starts once when attemptAuth() is called twice", async () => {
      await ui.make();
      const request = protectedRequest([Password]);
      element.doRequest = request.doRequest;
      const first = element.attemptAuth();
      expect(element.attemptAuth()).to.equal(first);
      first.catch(() => undefined);
      await ui.asked();
      expect(request.sent).to.deep.equal([null]);
    });

    it("starts when open is set, with its :state() immediately, and is cancelled when it is removed", async () => {
      await ui.make();
      element.doRequest = protectedRequest([Password]).doRequest;
      element.open = true;
      await element.updateComplete;
      expect(element.state).to.equal("busy");
      expect(element.matches(":state(busy)")).to.be.true;
      await ui.asked();
      const cancelled = nextEvent(element, "uia-cancel");
      element.open = false;
      await cancelled;
      await ui.inState("idle");
      expect(ui.dialog()?.open ?? false).to.be.false;
    });

    it("doesn't affect the next call when open is removed in markup after the call that it started", async () => {
      await ui.make();
      const { doRequest } = protectedRequest([Password], {}, PASSWORD_VALIDATOR);
      element.doRequest = doRequest;
      element.open = true;
      await ui.asked();
      ui.follow(
        element
          .authenticate(protectedRequest([Terms], POLICIES).doRequest)
          .catch((error: unknown) => error),
      );
      await ui.submit({ password: "right" });
      await waitFor(() => element.session?.stage === Terms);
      await ui.asked();
      element.removeAttribute("open");
      await untilQuiet();
      expect(element.state).to.equal("awaiting-input");
    });

    it("does not open when open is removed before the response", async () => {
      await ui.make();
      const { passed, open } = gate();
      const { doRequest } = protectedRequest([Password]);
      element.doRequest = (...request) => passed.then(() => doRequest(...request));
      element.open = true;
      await untilQuiet();
      element.open = false;
      await untilQuiet();
      open();
      await untilQuiet();
      expect(element.open).to.be.false;
      expect(element.state).to.equal("idle");
    });
  });

  describe("without doRequest", () => {
    it("rejects with no_handler when nothing responds to uia-do-request", async () => {
      await ui.make();
      const error = await element.attemptAuth().catch((thrown: unknown) => thrown);
      expect(error).to.have.property("code", "no_handler");
    });

    it("accepts one respondWith(), and only during the event", async () => {
      await ui.make();
      // Preact writes an empty text for `null`.
      element.doRequest = "" as never;
      let late!: UiaDoRequestEvent;
      element.addEventListener("uia-do-request", (event: UiaDoRequestEvent) => {
        late = event;
        event.respondWith("first");
        expect(() => event.respondWith("second")).to.throw(DOMException);
      });
      expect(await element.attemptAuth()).to.equal("first");
      expect(() => late.respondWith("late"))
        .to.throw(DOMException)
        .with.property("name", "InvalidStateError");
    });

    it("requests the email with the listener of uia-request-email-token", async () => {
      const details: unknown[] = [];
      await ui.open([Email], { set: { clientSecret: "secret" } });
      element.addEventListener("uia-request-email-token", (event: UiaRequestEmailTokenEvent) => {
        details.push(event.detail);
        event.respondWith({ sid: "sid" });
      });
      await ui.submit({ email: "alice@example.org" });
      expect(details).to.deep.equal([
        { email: "alice@example.org", secret: "secret", attempt: 1, session: "the-session" },
      ]);
    });
  });
});
