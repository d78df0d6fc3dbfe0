import { expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { untilRestored } from "../../support/stub.js";
import { nextEvent, recordEvents } from "../support/element.js";
import { protectedRequest } from "../support/protected-request.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  Email,
  Msisdn,
  OFFLINE,
  Password,
  RegistrationToken,
  Sso,
  element,
  endDialog,
  gate,
  outcome,
  refusing,
  ui,
} from "./fixture.js";

describe("A cancelled <uia-dialog>", () => {
  afterEach(endDialog);

  for (const [how, cancel, reason] of [
    ["Escape is pressed", () => sendKeys({ press: "Escape" }), "dismissed"],
    ["its button is pressed", () => ui.press("cancel"), "dismissed"],
    ["cancel() is called", () => element.cancel("changed my mind"), "changed my mind"],
  ] as const) {
    it(`rejects with cancelled and reports ${reason} when ${how}`, async () => {
      await ui.open([Password]);
      const cancelled = nextEvent(document, "uia-cancel");
      await cancel();
      expect((await cancelled).detail.reason).to.equal(reason);
      expect(await outcome).to.include({ code: "cancelled" });
      if (reason !== "dismissed") expect(await outcome).to.have.property("cause", reason);
      expect(element.open).to.be.false;
      expect(element.state).to.equal("idle");
    });
  }

  for (const isObjected of [false, true]) {
    it(`${isObjected ? "stays open" : "is dismissed"} when Android's back button, which isn't a key, is pressed`, async function () {
      // Only Chromium has such requests.
      if (!("CloseWatcher" in window)) this.skip();
      const hide = (event: Event): void => event.stopImmediatePropagation();
      window.addEventListener("keydown", hide, true);
      untilRestored(() => window.removeEventListener("keydown", hide, true));
      await ui.open([Password]);
      const object = (event: Event): void => event.preventDefault();
      if (isObjected) element.addEventListener("uia-cancel", object);
      for (let times = 0; times < 3; times += 1) {
        const cancelled = nextEvent(document, "uia-cancel");
        if (element.open) await sendKeys({ press: "Escape" });
        if (element.open) expect((await cancelled).detail.reason).to.equal("dismissed");
        // The browser might have closed the dialog even so.
        await untilQuiet();
        if (isObjected) await waitFor(() => ui.dialog()?.open);
      }
      element.removeEventListener("uia-cancel", object);
      expect(element.open).to.equal(isObjected);
      if (isObjected) expect(document.activeElement === ui.field("password")).to.be.true;
    });
  }

  it("stays open, with the user's input and the focus, when a listener prevents uia-cancel", async () => {
    const object = (event: Event): void => event.preventDefault();
    await ui.open([RegistrationToken]);
    element.addEventListener("uia-cancel", object);
    ui.field("token").value = "half a tok";
    for (let times = 0; times < 3; times += 1) {
      await sendKeys({ press: "Escape" });
      // Browsers let a page prevent this once.
      await untilQuiet();
      await waitFor(() => ui.dialog()?.open);
    }
    await element.updateComplete;
    expect(document.activeElement === ui.field("token")).to.be.true;
    expect(element.open).to.be.true;
    expect(ui.field("token").value).to.equal("half a tok");
    element.removeEventListener("uia-cancel", object);
  });

  it("rejects with cancelled when it is removed, but stays open with the focus when it is moved", async () => {
    await ui.open([Password]);
    const place = await ui.move();
    expect(element.state).to.equal("awaiting-input");
    expect(document.activeElement === ui.field("password")).to.be.true;
    place.remove();
    await ui.expectCancelled();
  });

  it("rejects with not_connected when it is not in the document", async () => {
    await ui.make();
    element.remove();
    const { doRequest } = protectedRequest([Password]);
    const error = await element.authenticate(doRequest).catch((thrown: unknown) => thrown);
    expect(error).to.have.property("code", "not_connected");
  });

  const MOMENTS = {
    "at a stage": () => ui.begin(protectedRequest([Password])),
    "while its code is loaded": () => {
      ui.follow(element.authenticate(() => Promise.resolve(1)).catch((error: unknown) => error));
    },
  };
  const REPEATS = {
    "by the page": () => {
      element.open = false;
      element.cancel();
      element.cancel();
    },
    "by a listener": () => {
      let times = 0;
      element.addEventListener("uia-cancel", () => {
        times += 1;
        if (times < 5) element.cancel();
      });
      element.cancel();
    },
  };
  for (const [moment, start] of Object.entries(MOMENTS)) {
    for (const [who, cancel] of Object.entries(REPEATS)) {
      it(`reports uia-cancel once when it is cancelled several times ${who}, ${moment}`, async () => {
        await ui.make();
        const events = recordEvents(element, "uia-cancel");
        await start();
        cancel();
        await ui.expectCancelled();
        await untilQuiet();
        expect(events).to.have.length(1);
      });
    }
  }

  const ENDS = {
    "is cancelled": () => element.cancel(),
    "leaves the page": () => element.remove(),
  };
  for (const [what, end] of Object.entries(ENDS)) {
    it(`sends no request when it ${what} while its code is loaded`, async () => {
      const place = await fixture<HTMLElement>(html`<div></div>`);
      ui.adopt(document.createElement("uia-dialog"));
      place.append(element);
      const request = protectedRequest([Password]);
      ui.follow(element.authenticate(request.doRequest).catch((error: unknown) => error));
      end();
      await ui.expectCancelled();
      expect(request.sent).to.deep.equal([]);
    });
  }

  it("continues when uia-cancel is prevented while its code is loaded", async () => {
    await ui.make();
    element.addEventListener("uia-cancel", (event) => event.preventDefault(), { once: true });
    const attempt = element.authenticate(() => Promise.resolve(1));
    element.cancel();
    expect(await attempt).to.equal(1);
  });

  const requests = {
    [Email]: () => element.session?.requestEmailToken("a@b.example"),
    [Msisdn]: () => element.session?.requestPhoneToken("GB", "07700900123"),
    [RegistrationToken]: () => element.session?.submit({ type: RegistrationToken, token: "x" }),
  };
  for (const [stage, send] of Object.entries(requests)) {
    it(`rejects with cancelled immediately while a request of ${stage} is in flight, and is no longer busy`, async () => {
      const { passed, open } = gate();
      const request = protectedRequest([stage]);
      const late = async (): Promise<{ sid: string }> => {
        await passed;
        return { sid: "sid" };
      };
      await ui.make();
      Object.assign(element, { requestEmailToken: late, requestPhoneToken: late });
      ui.follow(
        element
          .authenticate(async (auth, background) => {
            if (auth) await passed;
            return request.doRequest(auth, background);
          })
          .catch((error: unknown) => error),
      );
      await ui.asked();
      if (stage === Msisdn) await ui.numberAsked();
      const busy: boolean[] = [];
      element.addEventListener("uia-busy-changed", ({ detail }) => busy.push(detail.busy));
      void send();
      await ui.inState("busy");
      element.cancel();
      await ui.expectCancelled();
      open();
      await untilQuiet();
      expect(busy).to.deep.equal([true, false]);
      expect(element.state).to.equal("idle");
      expect(element.childElementCount).to.equal(0);
      await waitFor(() => element.shadowRoot?.childElementCount === 0, "the dialog is not removed");
    });
  }

  const late = {
    [Email]: () => element.session?.requestEmailToken("a@b.example"),
    [Msisdn]: () => element.session?.requestPhoneToken("GB", "07700900123"),
    [Sso]: () => element.session?.finish(),
  };
  for (const [stage, send] of Object.entries(late)) {
    for (const [how, end] of [
      ["succeeds", Promise.resolve({ sid: "late", submit_url: "https://hs.example/submit" })],
      ["fails", () => refusing(OFFLINE)],
    ] as const) {
      it(`doesn't affect the next attempt when the previous attempt's request at ${stage} ${how} late`, async () => {
        const { passed, open } = gate();
        const respond = () => passed.then(() => (typeof end === "function" ? end() : end));
        const request = protectedRequest([stage]);
        await ui.make();
        Object.assign(element, { requestEmailToken: respond, requestPhoneToken: respond });
        let isFirst = true;
        const doRequest: typeof request.doRequest = async (auth, background) => {
          if (auth && isFirst) await respond();
          return request.doRequest(auth, background);
        };
        await ui.begin({ ...request, doRequest });
        const sent = send();
        await ui.inState("busy");
        element.cancel();
        await ui.expectCancelled();
        isFirst = false;
        await ui.begin(protectedRequest([stage]));
        const { status, phone, unfinished } = element.session ?? {};
        open();
        await sent;
        expect(element.session).to.deep.include({ status, phone, unfinished });
      });
    }
  }
});
