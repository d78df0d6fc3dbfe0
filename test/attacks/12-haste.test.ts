// Rule 12 and the user's haste: keys and clicks that were meant for the page do nothing in a dialog that has just opened.
import { expect, fixture, html } from "@open-wc/testing";
import { sendKeys, sendMouse } from "@web/test-runner-commands";
import { breathe, Clock } from "../support/clock.js";
import { stub } from "../support/stub.js";
import {
  PASSWORD_VALIDATOR,
  Password,
  POLICIES,
  RegistrationToken,
  Sso,
  Terms,
  element,
  endDialog,
  gate,
  outcome,
  ui,
} from "../elements/uia-dialog/fixture.js";
import { protectedRequest, type ProtectedRequest } from "../elements/support/protected-request.js";
import { waitFor } from "../elements/support/wait-for.js";

/** Longer than any moment in which keys and clicks count as meant for the page. */
const A_MOMENT_MS = 1000;

const FIELDS: Readonly<Record<string, () => Promise<HTMLElement>>> = {
  "an input": () => fixture(html`<input />`),
  "a textarea": () => fixture(html`<textarea></textarea>`),
  "an editor": () => fixture(html`<div contenteditable="true"></div>`),
  "a field in a shadow tree": async () => {
    const place = await fixture<HTMLElement>(html`<div></div>`);
    place.attachShadow({ mode: "open" }).innerHTML = "<input>";
    return place.shadowRoot?.firstElementChild as HTMLElement;
  },
};

const textOf = (field: HTMLElement): string =>
  (field as Partial<HTMLInputElement>).value ?? field.innerText;

const openButton = (): HTMLElement | null | undefined =>
  element.shadowRoot
    ?.querySelector("uia-fallback-frame")
    ?.shadowRoot?.querySelector<HTMLElement>("[part=open]");

const DIALOG = html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`;
const CHALLENGE = { [Sso]: {} };

/** The deepest element with the focus. */
function focused(): Element | null {
  let place = document.activeElement;
  while (place?.shadowRoot?.activeElement) place = place.shadowRoot.activeElement;
  return place;
}

describe("Rule 12: input that was meant for the page when the dialog opens", () => {
  let opened: string[];
  beforeEach(() => {
    opened = [];
    stub(window, "open", {
      value: (url: string) => {
        opened.push(url);
        return null;
      },
    });
  });
  afterEach(endDialog);

  const start = async (stages: readonly string[] = [Password]): Promise<ProtectedRequest> => {
    const request = protectedRequest(stages, { ...POLICIES, ...CHALLENGE }, PASSWORD_VALIDATOR);
    await ui.begin(request);
    return request;
  };

  /** Types on after the first dialog has closed: nothing of it reaches the second one. */
  const expectNothingTyped = async (
    first: ProtectedRequest,
    second: ProtectedRequest,
    clock: Clock,
  ): Promise<void> => {
    await ui.asked();
    await sendKeys({ type: "word" });
    await sendKeys({ press: "Enter" });
    await breathe();
    expect([first.sent, second.sent]).to.deep.equal([[null], [null]]);
    expect(ui.field("password").value).to.equal("");
    await clock.pass(A_MOMENT_MS);
    expect(document.activeElement).to.equal(ui.field("password"));
  };

  for (const [name, makeField] of Object.entries(FIELDS)) {
    describe(`while the user types in ${name}`, () => {
      let clock: Clock;
      let field: HTMLElement;
      let request: ProtectedRequest;

      const openWhileTyping = async (): Promise<void> => {
        await ui.make(DIALOG);
        field = await makeField();
        field.focus();
        clock = new Clock();
        await sendKeys({ type: "Meet me" });
        request = await start();
      };

      it("leaves the text there, and submits none of it", async () => {
        await openWhileTyping();
        await sendKeys({ type: " at noon" });
        await sendKeys({ press: "Enter" });
        await breathe();
        expect(textOf(field).trim()).to.equal("Meet me at noon");
        expect(ui.field("password").value).to.equal("");
        expect(request.sent).to.deep.equal([null]);
      });

      it("keeps the focus there until the user stops typing", async () => {
        await openWhileTyping();
        for (const each of " at noon") {
          await sendKeys({ press: each });
          await clock.pass(300);
          element.requestUpdate();
          await element.updateComplete;
        }
        expect(textOf(field)).to.match(/Meet.me.at.noon/);
        expect(ui.field("password").value).to.equal("");
      });

      it("moves the focus to the password field after a pause in typing, and is then submitted", async () => {
        await openWhileTyping();
        await clock.pass(A_MOMENT_MS);
        expect(document.activeElement).to.equal(ui.field("password"));
        await sendKeys({ type: "right" });
        await sendKeys({ press: "Enter" });
        await ui.expectDone();
      });
    });
  }

  it("briefly keeps the focus of a field in which the user hasn't typed for a while", async () => {
    await ui.make(DIALOG);
    const clock = new Clock();
    const field = await fixture<HTMLInputElement>(html`<input />`);
    field.focus();
    await clock.pass(10 * A_MOMENT_MS);
    const request = await start();
    await sendKeys({ type: "noon" });
    await sendKeys({ press: "Enter" });
    expect(field.value).to.equal("noon");
    expect(request.sent).to.deep.equal([null]);
    await clock.pass(A_MOMENT_MS);
    expect(document.activeElement).to.equal(ui.field("password"));
  });

  it("moves the focus from there to the password field if the homeserver requests it only later", async () => {
    await ui.make(DIALOG);
    const field = await fixture<HTMLInputElement>(html`<input />`);
    field.focus();
    const clock = new Clock();
    await sendKeys({ type: "Meet me" });
    const { passed, open: respond } = gate();
    const request = protectedRequest([Password], {}, PASSWORD_VALIDATOR);
    const call = element.authenticate((...sent) => passed.then(() => request.doRequest(...sent)));
    call.catch(() => undefined);
    await clock.pass(10 * A_MOMENT_MS);
    expect([ui.dialog()?.open, element.state]).to.deep.equal([true, "busy"]);
    respond();
    await ui.asked();
    expect(document.activeElement === ui.field("password")).to.be.true;
  });

  it("keeps the focus of a field in which the user has just clicked", async () => {
    await ui.make(DIALOG);
    const clock = new Clock();
    const field = await fixture<HTMLInputElement>(html`<input />`);
    field.focus();
    const { left, top } = field.getBoundingClientRect();
    await sendMouse({ type: "click", position: [Math.round(left + 20), Math.round(top + 8)] });
    const request = await start();
    await sendKeys({ type: "noon" });
    await sendKeys({ press: "Enter" });
    expect(field.value).to.equal("noon");
    expect(request.sent).to.deep.equal([null]);
    await clock.pass(A_MOMENT_MS);
    expect(document.activeElement).to.equal(ui.field("password"));
  });

  it("does not move typing into the password field if the page has removed the field in which the user is typing", async () => {
    await ui.make(DIALOG);
    const field = await fixture<HTMLInputElement>(html`<input />`);
    field.focus();
    const clock = new Clock();
    await sendKeys({ type: "Meet me" });
    field.remove();
    const request = await start();
    await sendKeys({ type: " at noon" });
    await sendKeys({ press: "Enter" });
    await breathe();
    expect(ui.field("password").value).to.equal("");
    expect(request.sent).to.deep.equal([null]);
    await clock.pass(A_MOMENT_MS);
    expect(document.activeElement).to.equal(ui.field("password"));
  });

  it("does not go into the dialog of the waiting call if the first call aborts", async () => {
    await ui.make(DIALOG);
    const clock = new Clock();
    const controller = new AbortController();
    const first = protectedRequest([Password]);
    const { signal } = controller;
    ui.follow(element.authenticate(first.doRequest, { signal }).catch(String));
    await ui.asked();
    await sendKeys({ type: "alice's pass" });
    const second = protectedRequest([Password]);
    const next = element.authenticate(second.doRequest).catch(String);
    controller.abort();
    await outcome;
    ui.follow(next);
    await expectNothingTyped(first, second, clock);
  });

  it("does not go into the dialog of the call that follows a cancelled one", async () => {
    await ui.make(DIALOG);
    const clock = new Clock();
    const first = await start();
    await sendKeys({ type: "alice's pass" });
    element.cancel();
    await outcome;
    const second = protectedRequest([Password]);
    ui.follow(element.authenticate(second.doRequest).catch(String));
    await expectNothingTyped(first, second, clock);
  });

  describe("with the keyboard", () => {
    /** A button of the page that needs the homeserver's page. */
    const makeButton = async (stages: readonly string[]): Promise<HTMLButtonElement> => {
      await ui.make(DIALOG);
      element.client = { baseUrl: "https://hs.example" };
      const { doRequest } = protectedRequest(stages, POLICIES);
      const press = (): void =>
        ui.follow(element.authenticate(doRequest, { key: 1 }).catch(String));
      const button = await fixture<HTMLButtonElement>(html`<button @click=${press}>Go</button>`);
      button.focus();
      return button;
    };

    for (const [how, again] of [
      ["twice", () => sendKeys({ press: "Enter" })],
      ["and held", () => sendKeys({ down: "Enter" })],
    ] as const) {
      it(`does not open the homeserver's page if Enter is pressed ${how} on the page's button`, async () => {
        await makeButton([Sso]);
        const clock = new Clock();
        await sendKeys({ down: "Enter" });
        if (how === "twice") await sendKeys({ up: "Enter" });
        await waitFor(openButton);
        await breathe();
        await again();
        await again();
        if (how === "and held") {
          await clock.pass(A_MOMENT_MS);
          await again();
        }
        expect(opened).to.deep.equal([]);
        await sendKeys({ up: "Enter" });
        await clock.pass(A_MOMENT_MS);
        expect(focused()).to.equal(openButton());
        await sendKeys({ press: "Enter" });
        expect(opened).to.have.length(1);
      });
    }

    it("does not open the homeserver's page if Space is held until its button has the focus", async () => {
      const button = await makeButton([Sso]);
      button.addEventListener("keydown", ({ repeat }) => !repeat && button.click());
      const clock = new Clock();
      await sendKeys({ down: " " });
      await waitFor(openButton);
      await clock.pass(A_MOMENT_MS);
      expect(focused()).to.equal(openButton());
      await sendKeys({ down: " " });
      await sendKeys({ up: " " });
      expect(opened).to.deep.equal([]);
      await sendKeys({ press: " " });
      expect(opened).to.have.length(1);
    });

    it("does not submit the next step if Enter is pressed twice", async () => {
      await ui.make(DIALOG);
      const clock = new Clock();
      const request = await start([Terms, RegistrationToken]);
      ui.checkAll();
      ui.part("submit")?.focus();
      await sendKeys({ press: "Enter" });
      await waitFor(() => element.querySelector("[name=token]"));
      await ui.asked();
      await sendKeys({ press: "Enter" });
      await element.updateComplete;
      expect(element.querySelector(".error")).to.equal(null);
      expect(request.sent).to.have.length(2);
      await clock.pass(A_MOMENT_MS);
      expect(document.activeElement).to.equal(ui.field("token"));
    });

    it("leaves the focus where the user has moved it in the meantime", async () => {
      const button = await makeButton([Password]);
      const clock = new Clock();
      await sendKeys({ press: "Enter" });
      await ui.asked();
      expect(document.activeElement).not.to.equal(button);
      ui.part("cancel")?.focus();
      await clock.pass(A_MOMENT_MS);
      expect(focused()).to.equal(ui.part("cancel"));
    });

    it("moves the focus into the dialog immediately, and announces the dialog", async () => {
      await makeButton([Password]);
      const clock = new Clock();
      await sendKeys({ press: "Enter" });
      await ui.asked();
      expect(focused()).to.equal(ui.part("heading"));
      await clock.pass(A_MOMENT_MS);
      expect(focused()).to.equal(ui.field("password"));
    });
  });

  describe("with a mouse", () => {
    type Point = [number, number];
    const centerOf = (button: Element | null | undefined): Point => {
      const { left = 0, top = 0, width = 0, height = 0 } = button?.getBoundingClientRect() ?? {};
      return [Math.round(left + width / 2), Math.round(top + height / 2)];
    };

    /** WebKit counts clicks in one place by the real time, until the user clicks elsewhere. */
    const clickLater = async (position: Point, clock: Clock): Promise<void> => {
      await clock.pass(A_MOMENT_MS);
      await sendMouse({ type: "click", position: centerOf(ui.part("heading")) });
      await sendMouse({ type: "click", position });
    };

    /** The place of the dialog's button. A button of the page, which opens the dialog, is put under it. */
    const overlap = async (): Promise<Point> => {
      await ui.make(DIALOG);
      element.client = { baseUrl: "https://hs.example" };
      const { doRequest } = protectedRequest([Sso]);
      const press = (): void =>
        ui.follow(element.authenticate(doRequest, { key: 1 }).catch(String));
      press();
      await waitFor(openButton);
      await Promise.all((ui.dialog()?.getAnimations() ?? []).map(({ finished }) => finished));
      const point = centerOf(openButton());
      element.cancel();
      await outcome;
      await waitFor(() => !ui.dialog());
      const [x, y] = point;
      await fixture(html`
        <button
          style="position: fixed; left: ${x - 40}px; top: ${y - 40}px; inline-size: 80px; block-size: 80px"
          @click=${press}
        ></button>
      `);
      return point;
    };
    const shown = async (): Promise<void> => {
      await waitFor(openButton);
      await Promise.all((ui.dialog()?.getAnimations() ?? []).map(({ finished }) => finished));
    };

    it("does not open the homeserver's page with the second click of a double click on the page's button", async () => {
      const position = await overlap();
      const clock = new Clock();
      await sendMouse({ type: "click", position });
      await shown();
      await sendMouse({ type: "click", position });
      expect(opened).to.deep.equal([]);
      await clickLater(position, clock);
      expect(opened).to.have.length(1);
    });

    it("does not open the homeserver's page if the dialog opens under a resting mouse that then clicks", async () => {
      const position = await overlap();
      const { doRequest } = protectedRequest([Sso]);
      await sendMouse({ type: "move", position });
      const clock = new Clock();
      ui.follow(element.authenticate(doRequest).catch(String));
      await shown();
      await sendMouse({ type: "click", position });
      expect(opened).to.deep.equal([]);
      await clickLater(position, clock);
      expect(opened).to.have.length(1);
    });

    it("can press another button of the dialog immediately", async () => {
      const position = await overlap();
      new Clock();
      await sendMouse({ type: "click", position });
      await shown();
      await sendMouse({ type: "click", position: centerOf(ui.part("cancel")) });
      expect(await outcome).to.match(/cancelled/);
    });

    for (const [what, pauseMs] of [
      ["ignores a click if it opens while the mouse moves", 0],
      ["takes a click at once if the mouse rested elsewhere when it opened", 150],
    ] as const) {
      it(what, async () => {
        const position = await overlap();
        const { doRequest } = protectedRequest([Sso]);
        const clock = new Clock();
        await sendMouse({ type: "move", position: [1, 1] });
        await sendMouse({ type: "move", position: [5, 5] });
        await clock.pass(pauseMs);
        ui.follow(element.authenticate(doRequest).catch(String));
        await shown();
        await sendMouse({ type: "click", position });
        expect(opened).to.have.length(pauseMs ? 1 : 0);
      });
    }

    it("passes the second click of a double click on to the page's own content in the dialog", async () => {
      let clicks = 0;
      await ui.make(html`
        <uia-dialog user-id="@alice:hs.example">
          <button slot="actions" type="button" @click=${() => (clicks += 1)}>More</button>
        </uia-dialog>
      `);
      await start();
      const more = element.querySelector("button");
      for (const detail of [1, 2, 3])
        more?.dispatchEvent(new MouseEvent("click", { detail, bubbles: true, composed: true }));
      expect(clicks).to.equal(3);
    });
  });

  describe("without input before the dialog opens", () => {
    it("focuses the password field immediately, and can be submitted immediately", async () => {
      await ui.make(DIALOG);
      new Clock();
      await start();
      expect(document.activeElement).to.equal(ui.field("password"));
      await sendKeys({ type: "right" });
      await sendKeys({ press: "Enter" });
      await ui.expectDone();
    });

    it("can be submitted immediately by a password manager, even while the user types", async () => {
      await ui.make(DIALOG);
      const field = await fixture<HTMLInputElement>(html`<input />`);
      field.focus();
      new Clock();
      await sendKeys({ type: "Meet me" });
      await start();
      ui.fill({ password: "right" });
      element.querySelector("form")?.requestSubmit();
      await ui.expectDone();
    });

    it("can be filled in immediately by a script that focuses the field, as automatic tests do", async () => {
      await ui.make(DIALOG);
      const field = await fixture<HTMLInputElement>(html`<input />`);
      field.focus();
      await sendKeys({ press: "Enter" });
      const clock = new Clock();
      await start();
      ui.field("password").focus();
      await sendKeys({ type: "right" });
      await clock.pass(A_MOMENT_MS);
      expect(document.activeElement).to.equal(ui.field("password"));
      await sendKeys({ press: "Enter" });
      await ui.expectDone();
    });

    for (const [when, isLongAgo] of [
      ["takes the focus at once if the user has just clicked", false],
      ["keeps the focus of a field for a moment if the user clicked long ago", true],
    ] as const)
      it(`${when} a button of the page after typing`, async () => {
        await ui.make(DIALOG);
        const place = await fixture<HTMLElement>(html`
          <div>
            <input /><button @mousedown=${(event: Event) => event.preventDefault()}>Go</button>
          </div>
        `);
        const [field, button] = [place.querySelector("input"), place.querySelector("button")];
        field?.focus();
        await sendKeys({ type: "LAPTOP" });
        const clock = new Clock();
        const { left, top } = button?.getBoundingClientRect() ?? { left: 0, top: 0 };
        await sendMouse({ type: "click", position: [Math.round(left + 4), Math.round(top + 4)] });
        expect(document.activeElement).to.equal(field);
        if (isLongAgo) await clock.pass(A_MOMENT_MS);
        await start();
        expect(document.activeElement).to.equal(isLongAgo ? field : ui.field("password"));
        await clock.pass(A_MOMENT_MS);
        expect(document.activeElement).to.equal(ui.field("password"));
      });
  });
});
