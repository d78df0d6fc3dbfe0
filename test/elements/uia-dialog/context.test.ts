import { expect, fixture, html } from "@open-wc/testing";
import {
  authClientContext,
  provideAuthClient,
  uiaSessionContext,
  type UiaDialogElement,
  type UiaSession,
} from "matrix-auth-elements";
import { protectedRequest } from "../support/protected-request.js";
import { Password, PASSWORD_JUDGE, element, endDialog, outcome, ui } from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> and contexts", () => {
  afterEach(endDialog);

  describe("the client", () => {
    it("uses the client of the context around it", async () => {
      const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
      provideAuthClient(place, { getUserId: () => "@erin:hs.example" });
      ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
      await ui.begin(protectedRequest([Password]));
      expect(ui.field("username").value).to.equal("@erin:hs.example");
    });

    it("has one subscription to the client at a time, and none when it is removed", async () => {
      let subscribed = 0;
      const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
      place.addEventListener("context-request", (event) => {
        const { callback } = event as unknown as {
          callback: (value: unknown, unsubscribe: () => void) => void;
        };
        subscribed += 1;
        callback({ getUserId: () => "@a:b" }, () => (subscribed -= 1));
      });
      ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
      for (let times = 0; times < 3; times += 1) {
        await ui.begin(protectedRequest([Password]));
        await ui.submit({ password: "right" });
        await outcome;
        expect(subscribed).to.equal(1);
      }
      place.remove();
      await waitFor(() => subscribed === 0);
    });

    it("requests the client's context once for several attempts", async () => {
      let asked = 0;
      const count = (event: Event): void => {
        if ((event as Event & { context?: unknown }).context === authClientContext) asked += 1;
      };
      document.addEventListener("context-request", count);
      await ui.make();
      for (let run = 0; run < 3; run += 1) await element.authenticate(() => Promise.resolve(1));
      document.removeEventListener("context-request", count);
      expect(asked).to.equal(1);
    });

    it("drops the client of a context that it was moved out of", async () => {
      const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
      provideAuthClient(place, { userId: "@a:hs.example" });
      ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
      await ui.begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
      expect(element.session?.userId).to.equal("@a:hs.example");
      await ui.submit({ password: "right" });
      await outcome;
      document.body.append(element);
      await ui.begin(protectedRequest([Password]));
      expect(element.session?.client).to.equal(undefined);
      expect(element.session?.userId).to.equal(undefined);
      element.cancel();
      await ui.inState("idle");
      element.remove();
    });
  });

  describe("the session", () => {
    it("provides the session to a slotted view, which submits with it", async () => {
      await ui.make(html`
        <uia-dialog user-id="@alice:hs.example">
          <form slot="m.login.password"><input name="mine" /></form>
        </uia-dialog>
      `);
      const request = protectedRequest([Password]);
      await ui.begin(request);
      expect(element.querySelector("[name=password]")).to.equal(null);
      expect(document.activeElement).to.equal(ui.field("mine"));
      let session: UiaSession | undefined;
      const event = Object.assign(new Event("context-request", { bubbles: true, composed: true }), {
        context: uiaSessionContext,
        callback: (value: UiaSession) => (session = value),
        subscribe: true,
      });
      ui.field("mine").dispatchEvent(event);
      expect(session?.stage).to.equal(Password);
      await session?.submit({ type: Password, password: "by hand" });
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent[1]).to.have.property("password", "by hand");
    });

    it("provides the session to a view that requested it before the attempt", async () => {
      await ui.make(html`
        <uia-dialog user-id="@a:b"><div slot="m.login.password"></div></uia-dialog>
      `);
      let session: UiaSession | undefined;
      element.firstElementChild?.dispatchEvent(
        Object.assign(new Event("context-request", { bubbles: true, composed: true }), {
          context: uiaSessionContext,
          contextTarget: element.firstElementChild,
          callback: (value: UiaSession) => (session = value),
          subscribe: true,
        }),
      );
      await ui.begin(protectedRequest([Password]));
      expect(session?.stage).to.equal(Password);
    });
  });
});
