import { expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { UiaDialogElement } from "matrix-auth-elements";
import { breathe } from "../../support/clock.js";
import { untilRestored } from "../../support/stub.js";
import { protectedRequest } from "../support/protected-request.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import { Password, Recaptcha, element, endDialog, outcome, ui } from "./fixture.js";

describe("<uia-dialog> and the page behind it", () => {
  afterEach(endDialog);

  /** Whether a button can have the focus. */
  const isUsable = (button: HTMLElement | null | undefined): boolean => {
    if (!button) throw new Error("no button");
    const before = document.activeElement as HTMLElement;
    button.focus();
    const isFocused = (button.getRootNode() as Document | ShadowRoot).activeElement === button;
    before.focus();
    return isFocused;
  };
  const usable = (...buttons: (HTMLElement | null | undefined)[]): boolean[] =>
    buttons.map(isUsable);
  const all = (place: ParentNode): HTMLElement[] =>
    [...place.querySelectorAll("button")].filter((each) => !each.closest("uia-dialog"));
  const hasFocus = (): boolean => document.activeElement === ui.field("password");
  const inertIn = (root: ParentNode = document): Element[] => [...root.querySelectorAll("[inert]")];

  const PAGE = html`
    <div>
      <main>
        <button>Before</button>
        <section><uia-dialog user-id="@alice:hs.example"></uia-dialog></section>
        <div><button>After</button></div>
      </main>
    </div>
  `;
  const makeIn = async (template = PAGE): Promise<HTMLElement> => {
    const page = await fixture<HTMLElement>(template);
    ui.adopt(page.querySelector("uia-dialog") as UiaDialogElement);
    return page;
  };
  const begin = (): Promise<void> => ui.begin(protectedRequest([Password]));
  const openIn = async (template?: typeof PAGE): Promise<HTMLElement> => {
    const page = await makeIn(template);
    await begin();
    return page;
  };
  const cancel = async (): Promise<void> => {
    element.cancel();
    await outcome;
  };
  /** Opens a dialog above another one. The user might still type in the field below. */
  const openTwo = async () => {
    const page = await openIn(html`
      <div>
        <button>Page</button>
        <div><uia-dialog user-id="@alice:hs.example"></uia-dialog></div>
        <div><uia-dialog user-id="@bob:hs.example"></uia-dialog></div>
      </div>
    `);
    const [below, above] = [...page.querySelectorAll("uia-dialog")] as UiaDialogElement[];
    const fieldBelow = ui.field("password");
    const first = outcome;
    ui.adopt(above as UiaDialogElement);
    await begin();
    await waitFor(hasFocus);
    const cancelBelow = async (): Promise<void> => {
      below?.cancel();
      await first;
    };
    return { button: page.querySelector("button"), fieldBelow, cancelBelow };
  };

  it("makes the page inert, and restores it", async () => {
    const other = await fixture<HTMLElement>(html`<button>Elsewhere</button>`);
    const page = await openIn();
    expect(usable(other, ...all(page))).to.deep.equal([false, false, false]);
    expect(hasFocus()).to.be.true;
    await cancel();
    expect(usable(other, ...all(page))).to.deep.equal([true, true, true]);
    expect(inertIn()).to.deep.equal([]);
  });

  it("makes the page around slots and shadow trees inert", async () => {
    const page = await makeIn(html`
      <div>
        <button slot="other">In another slot</button><button>In the same slot</button>
        <uia-dialog user-id="@alice:hs.example"></uia-dialog>
      </div>
    `);
    const root = page.attachShadow({ mode: "open" });
    root.innerHTML = `<button>In the shadow tree</button><p><slot name="other"></slot></p>
      <div><slot></slot><button>Next to the slot</button></div>`;
    const buttons = [...all(page), ...all(root)];
    await begin();
    expect(usable(...buttons)).to.deep.equal([false, false, false, false]);
    await cancel();
    expect(usable(...buttons)).to.deep.equal([true, true, true, true]);
    expect([...inertIn(), ...inertIn(root)]).to.deep.equal([]);
  });

  it("leaves elements inert that the page has made inert, before and during the dialog", async () => {
    const page = await openIn(html`
      <div>
        <p inert>Before</p>
        <p>Made inert again</p>
        <p><button>Used</button></p>
        <uia-dialog user-id="@alice:hs.example"></uia-dialog>
      </div>
    `);
    const [before, again, used] = page.querySelectorAll("p");
    if (again) again.inert = true;
    if (used) used.inert = false;
    await breathe();
    expect(isUsable(page.querySelector("button"))).to.be.true;
    await cancel();
    expect(inertIn()).to.deep.equal([before, again]);
  });

  /** Places of a page that a library fills with messages later, or shows then. */
  const LATER = {
    "hidden content": html`<div hidden><button>Undo</button></div>`,
    "invisible content": html`<div style="visibility: hidden"><button>Undo</button></div>`,
    "a popover": html`<div popover="manual"><button>Undo</button></div>`,
    "an empty place": html`<div></div>`,
    "empty places in one another": html`<div><ol></ol></div>`,
    "an empty place over the window": html`
      <div style="position: fixed; inset: 16px; pointer-events: none"><div></div></div>
    `,
    "a place with a hidden message": html`<div>
      <p hidden>Sent. <button>Undo</button></p>
    </div>`,
    "a live region": html`<div aria-live="polite">Sent.</div>`,
    "a live region by its role, which a script focuses": html`
      <div role="status" tabindex="-1">Sent.</div>
    `,
    "live regions in a place": html`
      <div>
        <p role="alert">Sent.</p>
        <p aria-live="polite"></p>
      </div>
    `,
  };

  for (const [name, place] of Object.entries(LATER)) {
    it(`doesn't affect what appears later: ${name}`, async () => {
      const page = await openIn(html`
        <div>${place}<uia-dialog user-id="@alice:hs.example"></uia-dialog></div>
      `);
      const [first] = page.children as unknown as HTMLElement[];
      if (!first?.querySelector("button")) first?.append(document.createElement("button"));
      for (const each of page.querySelectorAll<HTMLElement>("[hidden]")) each.hidden = false;
      first?.style.removeProperty("visibility");
      if (first?.popover) first.showPopover();
      expect(usable(...all(page))).to.deep.equal([true]);
    });
  }

  for (const [name, content] of [
    ["a live region with a button", html`<div role="status">Sent. <button>Undo</button></div>`],
    ["a text", html`<p>A row</p>`],
    ["an image", html`<div><svg width="9" height="9"></svg></div>`],
    ["a button without text", html`<div><button></button></div>`],
    ["an empty editor", html`<div><div contenteditable></div></div>`],
    ["an element that Tab reaches", html`<div><div role="button" tabindex="0"></div></div>`],
    ["a canvas", html`<div><canvas></canvas></div>`],
  ] as const) {
    it(`makes what can be used now inert: ${name}`, async () => {
      const page = await openIn(html`
        <div>${content}<uia-dialog user-id="@alice:hs.example"></uia-dialog></div>
      `);
      expect(inertIn()).to.include(page.firstElementChild);
    });
  }

  it("doesn't affect what is added to the page later", async () => {
    await openIn();
    const menu = document.createElement("button");
    document.body.append(menu);
    untilRestored(() => menu.remove());
    element.requestUpdate();
    await element.updateComplete;
    expect(isUsable(menu)).to.be.true;
  });

  it("doesn't affect a modal dialog of the page that opens above it", async () => {
    const modal = await fixture<HTMLDialogElement>(html`<dialog><button>OK</button></dialog>`);
    await openIn();
    modal.showModal();
    expect(isUsable(modal.querySelector("button"))).to.be.true;
    modal.close();
    expect(isUsable(ui.field("password"))).to.be.true;
  });

  it("stays usable if a modal of the page makes it inert, because it is still above everything", async () => {
    const page = await openIn();
    const modal = await fixture<HTMLElement>(html`<div role="dialog"><button>OK</button></div>`);
    modal.querySelector("button")?.focus();
    page.inert = true;
    await waitFor(hasFocus, "the dialog is inert");
    expect(isUsable(modal.querySelector("button"))).to.be.false;
    page.inert = false;
    await cancel();
    expect(isUsable(modal.querySelector("button"))).to.be.true;
  });

  it("stays inert below a native modal of the page", async () => {
    const modal = await fixture<HTMLDialogElement>(html`<dialog><button>OK</button></dialog>`);
    const page = await openIn();
    modal.showModal();
    page.inert = true;
    await untilQuiet();
    expect(isUsable(modal.querySelector("button"))).to.be.true;
    page.inert = false;
    modal.close();
    expect(isUsable(ui.field("password"))).to.be.true;
  });

  it("restores the page when it is removed, and when it moves into an inert part", async () => {
    const page = await openIn();
    const [before, after] = all(page);
    after?.parentElement?.append(element);
    expect(inertIn()).to.deep.equal([]);
    await waitFor(() => ui.dialog()?.matches(":popover-open"));
    expect(usable(before, after)).to.deep.equal([false, false]);
    expect(hasFocus()).to.be.true;
    element.remove();
    expect(inertIn()).to.deep.equal([]);
    await ui.expectCancelled();
  });

  for (const [how, copyOf] of [
    ["a clone", (page: HTMLElement) => page.cloneNode(true) as HTMLElement],
    [
      "its markup",
      (page: HTMLElement) => document.createRange().createContextualFragment(page.outerHTML),
    ],
  ] as const) {
    it(`restores a page that a page cache has copied with the open dialog: ${how}`, async () => {
      const page = await openIn();
      const copy = copyOf(page);
      await cancel();
      const place = await fixture<HTMLElement>(html`<div></div>`);
      page.remove();
      place.append(copy);
      await waitFor(() => inertIn().length === 0);
      expect(usable(...all(place))).to.deep.equal([true, true]);
    });
  }

  it("restores the page if the dialog can no longer be rendered", async () => {
    await openIn();
    Object.defineProperty(element, "heading", {
      get: () => {
        throw new Error("a fault of the page");
      },
    });
    element.requestUpdate();
    const { applyProperties } = element as unknown as { applyProperties: () => void };
    expect(() => applyProperties.call(element)).to.throw("a fault of the page");
    await cancel();
    expect(inertIn()).to.deep.equal([]);
  });

  it("keeps the top dialog usable, and then the one below", async () => {
    const { button, fieldBelow, cancelBelow } = await openTwo();
    expect(ui.dialog()?.matches(":popover-open")).to.be.true;
    expect(usable(button, fieldBelow)).to.deep.equal([false, false]);
    await cancel();
    expect(usable(button, fieldBelow)).to.deep.equal([false, true]);
    await cancelBelow();
    expect(inertIn()).to.deep.equal([]);
  });

  it("keeps the top dialog usable if the one below moves with its state", async () => {
    const { button } = await openTwo();
    const place: HTMLElement & { moveBefore?(node: Node, child: null): void } =
      document.createElement("section");
    element.parentElement?.before(place);
    const below = document.querySelector("uia-dialog") as UiaDialogElement;
    place.moveBefore?.(below, null);
    await breathe();
    expect(usable(ui.field("password"), button)).to.deep.equal([true, false]);
    await cancel();
    below.cancel();
    await waitFor(() => below.state === "idle");
    expect(usable(button)).to.deep.equal([true]);
    expect(inertIn()).to.deep.equal([]);
  });

  it("keeps the page inert for the dialog on top if the one below closes first", async () => {
    const { button, cancelBelow } = await openTwo();
    await cancelBelow();
    expect(usable(button)).to.deep.equal([false]);
    expect(hasFocus()).to.be.true;
    await cancel();
    expect(inertIn()).to.deep.equal([]);
  });

  for (const [when, delay] of [
    ["at once", (act: () => void) => act()],
    ["a moment later", (act: () => void) => void setTimeout(act)],
  ] as const) {
    it(`keeps the focus if a focus-trapping modal of the page acts ${when}`, async () => {
      await makeIn();
      const modal = await fixture<HTMLElement>(
        html`<div role="dialog" aria-modal="true"><button>OK</button></div>`,
      );
      const keep = ({ target }: FocusEvent): void => {
        if (!modal.contains(target as Node)) delay(() => modal.querySelector("button")?.focus());
      };
      document.addEventListener("focusin", keep);
      untilRestored(() => document.removeEventListener("focusin", keep));
      modal.querySelector("button")?.focus();
      await begin();
      await untilQuiet();
      expect(hasFocus()).to.be.true;
      expect(ui.dialog()?.matches(":popover-open")).to.be.true;
      await sendKeys({ type: "right" });
      await sendKeys({ press: "Enter" });
      await ui.expectDone();
    });
  }

  it("is not hidden from screen readers by a modal of the page, and afterwards restores what the modal hides", async () => {
    const page = await makeIn(html`
      <div aria-hidden="true">
        <div aria-hidden="true"><uia-dialog user-id="@alice:hs.example"></uia-dialog></div>
      </div>
    `);
    await begin();
    expect(element.closest("[aria-hidden=true]")).to.be.null;
    // The modal closes.
    page.removeAttribute("aria-hidden");
    await cancel();
    expect(page.ariaHidden).to.be.null;
    expect(page.firstElementChild?.ariaHidden).to.equal("true");
  });

  it("is not hidden from screen readers by a modal of the page that opens later", async () => {
    const page = await openIn();
    page.ariaHidden = "true";
    await waitFor(() => page.ariaHidden === "false", "the dialog is hidden");
    await cancel();
    expect(page.ariaHidden).to.equal("true");
  });

  it("can be filled in inside a disabled fieldset, which is disabled again afterwards", async () => {
    const page = await makeIn(html`
      <fieldset disabled>
        <fieldset disabled><uia-dialog user-id="@alice:hs.example"></uia-dialog></fieldset>
      </fieldset>
    `);
    await begin();
    expect(element.querySelectorAll("input:disabled")).to.have.length(0);
    await cancel();
    expect(page.matches("[disabled]")).to.be.true;
    expect(page.firstElementChild?.matches("[disabled]")).to.be.true;
  });

  /** A listener of the page at the document, until the test ends. */
  const prevent = (type: string, capture: boolean): void => {
    const listener = (event: Event): void => event.preventDefault();
    const options = { capture, passive: false };
    document.addEventListener(type, listener, options);
    untilRestored(() => document.removeEventListener(type, listener, options));
  };

  it("keeps Tab from a focus trap of the page", async () => {
    await openIn();
    prevent("keydown", true);
    ui.field("password").focus();
    await sendKeys({ press: "Tab" });
    expect(document.activeElement === ui.field("password")).to.be.false;
    expect(element.contains(document.activeElement)).to.be.true;
  });

  it("scrolls although the page has locked its own scrolling", async () => {
    await openIn();
    for (const type of ["wheel", "touchmove"]) {
      prevent(type, false);
      const event = new Event(type, { bubbles: true, composed: true, cancelable: true });
      expect(ui.dialog()?.dispatchEvent(event), type).to.be.true;
    }
  });

  it("is inert behind a captcha, too", async () => {
    const page = await makeIn();
    const loadCaptcha = async (): Promise<{ render: () => number }> => ({ render: () => 1 });
    Object.assign(element, { loadCaptcha });
    await ui.begin(protectedRequest([Recaptcha], { [Recaptcha]: { public_key: "the-key" } }));
    expect(ui.dialog()?.matches("[open]:not(:modal, :popover-open)")).to.be.true;
    expect(usable(...all(page))).to.deep.equal([false, false]);
  });

  describe("when Escape is pressed", () => {
    it("closes only the dialog, not the page's modal around it", async () => {
      const modal = await makeIn(html`
        <dialog><uia-dialog user-id="@alice:hs.example"></uia-dialog></dialog>
      `);
      (modal as HTMLDialogElement).showModal();
      await begin();
      await sendKeys({ press: "Escape" });
      await ui.expectCancelled();
      await untilQuiet();
      expect((modal as HTMLDialogElement).open).to.be.true;
    });

    for (const capture of [true, false]) {
      it(`hides it from listeners of the page ${capture ? "before" : "after"} the dialog`, async () => {
        const page = await makeIn();
        const pressed: string[] = [];
        const listen = ({ key }: KeyboardEvent): unknown => pressed.push(key);
        for (const place of [document, page]) {
          place.addEventListener("keydown", listen as EventListener, { capture });
          untilRestored(() =>
            place.removeEventListener("keydown", listen as EventListener, { capture }),
          );
        }
        await begin();
        await sendKeys({ press: "Escape" });
        await ui.expectCancelled();
        expect(pressed).to.deep.equal([]);
      });
    }

    for (const mode of ["open", "closed"] as const) {
      for (const capture of [true, false]) {
        it(`hides it from listeners of the page ${capture ? "before" : "after"} the dialog, in a shadow root that is ${mode}`, async () => {
          const page = await fixture<HTMLElement>(html`<div></div>`);
          const root = page.attachShadow({ mode });
          const dialog = document.createElement("uia-dialog");
          dialog.userId = "@alice:hs.example";
          root.append(dialog);
          ui.adopt(dialog);
          const pressed: string[] = [];
          const listen = ({ key }: KeyboardEvent): unknown => pressed.push(key);
          document.addEventListener("keydown", listen, { capture });
          untilRestored(() => document.removeEventListener("keydown", listen, { capture }));
          await begin();
          await waitFor(() => root.activeElement === dialog || root.activeElement?.closest("form"));
          await sendKeys({ press: "Escape" });
          await ui.expectCancelled();
          expect(pressed).to.deep.equal([]);
        });
      }
    }

    it("closes a menu of the page in the dialog first", async () => {
      await openIn(html`
        <div>
          <uia-dialog user-id="@alice:hs.example">
            <div slot="description" popover>A menu</div>
          </uia-dialog>
        </div>
      `);
      const menu = element.querySelector<HTMLElement>("[popover]");
      menu?.showPopover();
      ui.field("password").focus();
      await sendKeys({ press: "Escape" });
      await untilQuiet();
      expect([menu?.matches(":popover-open"), element.open]).to.deep.equal([false, true]);
      await sendKeys({ press: "Escape" });
      await ui.expectCancelled();
    });

    it("closes only the dialog, not a menu of the page around it", async () => {
      const menu = await makeIn(html`
        <div popover><uia-dialog user-id="@alice:hs.example"></uia-dialog></div>
      `);
      menu.showPopover();
      await begin();
      // Not a trusted key: Chromium itself might close the dialog first.
      const key = { key: "Escape", bubbles: true, composed: true, cancelable: true };
      ui.field("password").dispatchEvent(new KeyboardEvent("keydown", key));
      await ui.expectCancelled();
      expect(menu.matches(":popover-open")).to.equal(true);
    });

    it("lets the page's content in the dialog handle it first", async () => {
      let isListOpen = true;
      const close = (event: Event): void => {
        if (isListOpen) event.preventDefault();
        isListOpen = false;
      };
      await openIn(html`
        <div>
          <uia-dialog user-id="@alice:hs.example">
            <button slot="actions" @keydown=${close}>A list</button>
          </uia-dialog>
        </div>
      `);
      element.querySelector("button")?.focus();
      await sendKeys({ press: "Escape" });
      await breathe();
      expect([isListOpen, element.open]).to.deep.equal([false, true]);
      await sendKeys({ press: "Escape" });
      await ui.expectCancelled();
    });
  });
});
