import { expect, fixture, html } from "@open-wc/testing";
import type { UiaDialogElement } from "matrix-auth-elements";
import { protectedRequest } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";
import {
  Dummy,
  Email,
  PASSWORD_VALIDATOR,
  POLICIES,
  Password,
  Terms,
  element,
  endDialog,
  outcome,
  ui,
} from "./fixture.js";

describe("<uia-dialog> in a page", () => {
  afterEach(endDialog);

  it("shows the page's heading, description, buttons and text for an error's code, and the step", async () => {
    const odd = { errcode: "X_ODD", error: "odd" };
    await ui.open([Terms, Password, Dummy], {
      params: POLICIES,
      validators: { [Terms]: () => odd },
      template: html`
        <uia-dialog user-id="@a:b" heading="Really?">
          <p slot="description">This deletes everything.</p>
          <button slot="actions">Help</button>
          <span slot="error-X_ODD">As odd as can be.</span>
        </uia-dialog>
      `,
    });
    expect(ui.text()).to.match(/^Step 1 of 2 Really\? .*/);
    ui.checkAll();
    await ui.submit();
    const assigned = [...(element.shadowRoot?.querySelectorAll("slot") ?? [])]
      .flatMap((slot) => slot.assignedElements())
      .map(({ textContent }) => textContent);
    expect(assigned).to.include.members(["This deletes everything.", "Help", "As odd as can be."]);
  });

  it("accepts null for every property", async () => {
    const set = {
      client: null,
      doRequest: null,
      requestEmailToken: null,
      requestPhoneToken: null,
      loadCaptcha: null,
      inputs: null,
      supportedStages: null,
      userId: null,
      sessionId: null,
      clientSecret: null,
      emailSid: null,
      heading: null,
    } as object;
    await ui.open([Email], { set });
    expect(ui.field("email").value).to.equal("");
  });

  it("ignores empty attributes", async () => {
    const secrets: string[] = [];
    const request = await ui.open([Email], {
      template: html`<uia-dialog session-id="" client-secret="" email-sid=""></uia-dialog>`,
      set: {
        requestEmailToken: async (_email, secret) => {
          secrets.push(secret);
          return { sid: "sid" };
        },
      },
    });
    expect(request.sent).to.deep.equal([null]);
    await ui.submit({ email: "a@example.org" });
    expect(secrets[0]).not.to.equal("");
  });

  it("lets no submit event out into a form of the page", async () => {
    const submitted: Event[] = [];
    const form = await fixture<HTMLFormElement>(html`
      <form @submit=${(event: Event) => submitted.push(event)}>
        <uia-dialog user-id="@alice:hs.example"></uia-dialog>
      </form>
    `);
    ui.adopt(form.querySelector("uia-dialog") as UiaDialogElement);
    await ui.begin(protectedRequest([Password]));
    await ui.submit({ password: "right" });
    await ui.expectDone();
    expect(submitted).to.deep.equal([]);
  });

  it("renders its fields again when the page has removed them", async () => {
    await ui.open([Password]);
    element.replaceChildren();
    element.requestUpdate();
    await element.updateComplete;
    expect(ui.field("password").isConnected).to.be.true;
  });

  it("styles its fields when it is moved into a shadow tree", async () => {
    await ui.open([Password]);
    const place = await fixture<HTMLElement>(html`<div></div>`);
    place.attachShadow({ mode: "open" }).append(element);
    await waitFor(() => ui.dialog()?.matches(":popover-open"));
    await element.updateComplete;
    expect(getComputedStyle(element.querySelector("form") as Element).display).to.equal("grid");
  });

  it("works in a shadow tree in a dialog, beside another <uia-dialog>", async () => {
    const place = await fixture<HTMLDialogElement>(html`<dialog><div></div></dialog>`);
    place.showModal();
    const root = place.firstElementChild?.attachShadow({ mode: "open" });
    root?.append(document.createElement("uia-dialog"), document.createElement("uia-dialog"));
    const both = [...(root?.querySelectorAll("uia-dialog") ?? [])];
    const results: Promise<unknown>[] = [];
    for (const each of both) {
      each.userId = "@a:b";
      ui.adopt(each);
      await ui.begin(protectedRequest([Password], {}, PASSWORD_VALIDATOR));
      results.push(outcome);
      await ui.submit({ password: "wrong" });
      expect(root?.activeElement).to.equal(ui.field("password"));
    }
    const ids = [...(root?.querySelectorAll("[id]") ?? [])].map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const each of both.reverse()) {
      ui.adopt(each);
      await ui.press("cancel");
      await waitFor(() => each.state === "idle");
    }
    await Promise.all(results);
    expect(place.open).to.be.true;
    expect(root?.querySelector("form")).to.equal(null);
  });

  it("leaves no form, style sheet or dialog behind after three attempts", async () => {
    await ui.make();
    const sheets = document.adoptedStyleSheets.length;
    for (let times = 0; times < 3; times += 1) {
      await ui.begin(protectedRequest([Password]));
      await ui.submit({ password: "right" });
      await outcome;
    }
    expect(document.adoptedStyleSheets.length).to.be.at.most(sheets + 1);
    expect(element.childElementCount).to.equal(0);
    await waitFor(() => !ui.dialog(), "the dialog is not removed");
  });
});
