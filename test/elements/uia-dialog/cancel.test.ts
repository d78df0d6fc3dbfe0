import { expect, oneEvent } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { UiaCancelEvent } from "matrix-auth-elements";
import { protectedRequest } from "../support/protected-request.js";
import {
  Email,
  Msisdn,
  Password,
  RegistrationToken,
  element,
  endDialog,
  gate,
  outcome,
  ui,
} from "./fixture.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

describe("<uia-dialog>, cancelled", () => {
  afterEach(endDialog);

  const cancelEvent = (): Promise<UiaCancelEvent> =>
    oneEvent(document, "uia-cancel") as Promise<UiaCancelEvent>;

  it("rejects with cancelled and reports dismissed when Escape is pressed", async () => {
    await ui.open([Password]);
    const told = cancelEvent();
    await sendKeys({ press: "Escape" });
    expect((await told).detail.reason).to.equal("dismissed");
    expect(await outcome).to.have.property("code", "cancelled");
    expect(element.open).to.be.false;
    expect(element.state).to.equal("idle");
  });

  it("rejects with cancelled on its button and on cancel(), whose reason is the cause", async () => {
    await ui.open([Password]);
    await ui.press("cancel");
    expect(await outcome).to.have.property("code", "cancelled");
    await ui.begin(protectedRequest([Password]));
    const told = cancelEvent();
    element.cancel("changed my mind");
    expect((await told).detail.reason).to.equal("changed my mind");
    expect(await outcome).to.have.property("cause", "changed my mind");
  });

  it("stays open, with what was typed and the focus, when a listener prevents uia-cancel", async () => {
    await ui.make();
    const object = (event: Event): void => event.preventDefault();
    element.addEventListener("uia-cancel", object);
    await ui.begin(protectedRequest([RegistrationToken]));
    ui.field("token").value = "half a tok";
    for (let times = 0; times < 3; times += 1) {
      await sendKeys({ press: "Escape" });
      // Browsers let a page prevent it once.
      await timeForMore();
      await waitFor(() => ui.dialog()?.open);
    }
    await element.updateComplete;
    expect(document.activeElement === ui.field("token")).to.be.true;
    expect(ui.dialog()?.open).to.be.true;
    expect(element.open).to.be.true;
    expect(ui.field("token").value).to.equal("half a tok");
    element.removeEventListener("uia-cancel", object);
  });

  it("rejects with cancelled when it is removed, but not when it is moved", async () => {
    await ui.open([Password]);
    const place = document.createElement("div");
    document.body.append(place);
    place.append(element);
    await timeForMore();
    expect(element.state).to.equal("awaiting-input");
    await waitFor(() => ui.dialog()?.matches(":modal"), "no longer modal");
    place.remove();
    expect(await outcome).to.have.property("code", "cancelled");
  });

  it("rejects with not_connected when it is not in the document", async () => {
    await ui.make();
    element.remove();
    const request = protectedRequest([Password]);
    const error = await element.authenticate(request.doRequest).catch((thrown: unknown) => thrown);
    expect(error).to.have.property("code", "not_connected");
  });

  it("rejects with cancelled when cancel() is called while its code is loaded", async () => {
    await ui.make();
    const attempt = element
      .authenticate(() => Promise.resolve(1))
      .catch((thrown: unknown) => thrown);
    element.cancel();
    expect(await attempt).to.have.property("code", "cancelled");
  });

  const MOMENTS = {
    "while it asks": () => ui.begin(protectedRequest([Password])),
    "while it is loading": () => {
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
  for (const [when, start] of Object.entries(MOMENTS)) {
    for (const [who, callOff] of Object.entries(REPEATS)) {
      it(`reports uia-cancel once when it is cancelled several times ${who}, ${when}`, async () => {
        await ui.make();
        let told = 0;
        element.addEventListener("uia-cancel", () => (told += 1));
        await start();
        callOff();
        expect(await outcome).to.have.property("code", "cancelled");
        await timeForMore();
        expect(told).to.equal(1);
      });
    }
  }

  it("continues when uia-cancel is prevented while its code is loaded", async () => {
    await ui.make();
    element.addEventListener("uia-cancel", (event) => event.preventDefault(), { once: true });
    const attempt = element.authenticate(() => Promise.resolve(1));
    element.cancel();
    expect(await attempt).to.equal(1);
  });

  it("rejects with cancelled at once, whatever request is in flight", async () => {
    for (const stage of [Email, Msisdn, RegistrationToken]) {
      await ui.make();
      const { passed, open } = gate();
      element.requestEmailToken = async () => {
        await passed;
        return { sid: "sid" };
      };
      element.requestPhoneToken = async () => {
        await passed;
        return { sid: "sid" };
      };
      const request = protectedRequest([stage]);
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
      if (stage === Email) void element.session?.requestEmailToken("a@b.example");
      else if (stage === Msisdn) void element.session?.requestPhoneToken("GB", "07700900123");
      else void element.session?.submit({ type: stage, token: "x" });
      await ui.inState("busy");
      element.cancel();
      expect(await outcome).to.have.property("code", "cancelled");
      open();
      await timeForMore();
      expect(element.state).to.equal("idle");
      expect(element.childElementCount).to.equal(0);
      expect(element.shadowRoot?.childElementCount).to.equal(0);
    }
  });
});
