import { expect, fixture, html } from "@open-wc/testing";
import {
  authClientContext,
  provideAuthClient,
  uiaSessionContext,
  type UiaDialogElement,
  type UiaSession,
} from "matrix-auth-elements";
import { protectedRequest } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";
import { Password, element, endDialog, outcome, ui } from "./fixture.js";

describe("<uia-dialog> and contexts", () => {
  afterEach(endDialog);

  /** A dialog in an element that may provide a client. */
  const makeInside = async (): Promise<HTMLElement> => {
    const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
    ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
    return place;
  };

  it("requests the client once for several requests, and unsubscribes when it is removed", async () => {
    const place = await makeInside();
    let asked = 0;
    let subscribed = 0;
    place.addEventListener("context-request", (event) => {
      const { context, callback } = event as unknown as {
        context: unknown;
        callback: (value: unknown, unsubscribe: () => void) => void;
      };
      if (context !== authClientContext) return;
      asked += 1;
      subscribed += 1;
      callback({ getUserId: () => "@a:b" }, () => (subscribed -= 1));
    });
    for (let times = 0; times < 3; times += 1) {
      await ui.begin(protectedRequest([Password]));
      await ui.submit({ password: "right" });
      await outcome;
      expect([asked, subscribed]).to.deep.equal([1, 1]);
    }
    place.remove();
    await waitFor(() => subscribed === 0);
  });

  it("uses the client of the surrounding context, and drops it when the dialog moves elsewhere", async () => {
    provideAuthClient(await makeInside(), { getUserId: () => "@erin:hs.example" });
    await ui.begin(protectedRequest([Password]));
    expect(ui.field("username").value).to.equal("@erin:hs.example");
    await ui.submit({ password: "right" });
    await outcome;
    document.body.append(element);
    await ui.begin(protectedRequest([Password]));
    expect(element.session?.client).to.equal(undefined);
    expect(element.session?.userId).to.equal(undefined);
    element.remove();
  });

  for (const when of ["before the attempt", "at a stage"]) {
    it(`provides the session to a slotted view that requests it ${when}, which submits with it`, async () => {
      await ui.make(html`
        <uia-dialog user-id="@alice:hs.example">
          <form slot="m.login.password"><input name="mine" /></form>
        </uia-dialog>
      `);
      let session: UiaSession | undefined;
      const requestSession = (): void => {
        const contextTarget = ui.field("mine");
        const callback = (value: UiaSession): void => void (session = value);
        const event = new Event("context-request", { bubbles: true, composed: true });
        const context = { context: uiaSessionContext, contextTarget, callback, subscribe: true };
        contextTarget.dispatchEvent(Object.assign(event, context));
      };
      if (when === "before the attempt") requestSession();
      const request = protectedRequest([Password]);
      await ui.begin(request);
      expect(element.querySelector("[name=password]")).to.equal(null);
      expect(document.activeElement).to.equal(ui.field("mine"));
      if (when === "at a stage") requestSession();
      expect(session?.stage).to.equal(Password);
      await session?.submit({ type: Password, password: "by hand" });
      await ui.expectDone();
      expect(request.sent[1]).to.have.property("password", "by hand");
    });
  }
});
