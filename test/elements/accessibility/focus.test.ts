// The focus is always on an element that a user can see and continue from.
import { expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import "matrix-auth-elements/define";
import { AuthType, type UiaDialogElement } from "matrix-auth-elements";
import { MODES, enter, leaveModes, nameOf } from "./modes.js";
import {
  DIALOG_STATES,
  MATRIX_STATES,
  STATES,
  begin,
  callback,
  dialog,
  end,
  frame,
  found,
  succeedNow,
  withPopup,
} from "../matrix/states.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";

const { Password, Email } = AuthType;

/** The focused element, in any shadow root. */
function focused(): Element {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element ?? document.body;
}

/** A field is named by its name, a button by its part. */
const focusName = (): string => {
  const element = focused();
  const { localName, id } = element;
  return (
    element.getAttribute("name") ??
    element.getAttribute("part") ??
    element.getAttribute("role") ??
    (id || localName)
  );
};

/** Presses the key until the focus is back at its start, and yields each focused element. */
async function* byKey(): AsyncGenerator<Element> {
  const seen = new Set<Element>();
  // The element may have moved out of sight since it was focused.
  focused().scrollIntoView({ block: "nearest" });
  for (;;) {
    const element = focused();
    if (seen.has(element)) return;
    seen.add(element);
    if (!element.matches("html, body")) yield element;
    await sendKeys({ press: "Tab" });
  }
}

describe("The focus", () => {
  beforeEach(begin);
  afterEach(async () => {
    await leaveModes();
    await end();
  });

  describe("when <uia-dialog> opens", () => {
    // The dialog's state when it opens, and the element that gets the focus.
    for (const [state, name] of Object.entries({
      password: "password",
      "password without a user ID": "username",
      "email, form": "email",
      "phone, form": "phone",
      token: "token",
      terms: "uia",
      "sign-in elsewhere": "open",
      "the page's stage": "pin",
      "the page's stage, without a field": "heading",
    })) {
      it(`goes to ${name} when <uia-dialog> opens: ${state}`, async () => {
        await DIALOG_STATES.find((each) => each.name === state)?.show();
        await waitFor(
          () => focusName().startsWith(name),
          () => `${focusName()}, not ${name}`,
        );
      });
    }
  });

  describe("when <uia-dialog> closes", () => {
    const openFrom = async (opener: HTMLElement): Promise<UiaDialogElement> => {
      opener.focus();
      return dialog([Password]);
    };
    const close = async (element: UiaDialogElement): Promise<void> => {
      element.cancel();
      await waitFor(() => !element.open);
    };

    it("returns to the nearest remaining element, without a tabindex, if the button has been removed", async () => {
      const list = await fixture(html`
        <ul>
          <li><button>Delete</button></li>
          <li><button id="next">Delete</button></li>
        </ul>
      `);
      const opener = list.querySelector("button") as HTMLElement;
      const element = await openFrom(opener);
      opener.closest("li")?.remove();
      await close(element);
      expect(focused() === list, nameOf(focused())).to.be.true;
      await sendKeys({ press: "Tab" });
      expect(focused().id).to.equal("next");
      expect(list.hasAttribute("tabindex")).to.be.false;
    });

    for (const [what, change] of [
      ["that was disabled", (opener: HTMLButtonElement) => (opener.disabled = true)],
      ["its shadow tree was removed", (_: HTMLButtonElement, host: HTMLElement) => host.remove()],
    ] as const) {
      it(`returns to the button's container when ${what}`, async () => {
        const group = await fixture<HTMLElement>(html`<section><div></div></section>`);
        const host = group.querySelector("div") as HTMLElement;
        const opener = document.createElement("button");
        host.attachShadow({ mode: "open", delegatesFocus: true }).append(opener);
        const element = await openFrom(opener);
        change(opener, host);
        await close(element);
        expect(focused() === group, nameOf(focused())).to.be.true;
        expect(opener.hasAttribute("tabindex")).to.be.false;
      });
    }

    it("stays where the page has moved it", async () => {
      const page = await fixture(html`<div><button>Delete</button><input name="other" /></div>`);
      const [opener, other] = page.children as unknown as HTMLElement[];
      const element = await openFrom(opener as HTMLElement);
      opener?.remove();
      element.addEventListener("uia-cancel", () => {
        queueMicrotask(
          () => (element.shadowRoot?.querySelector("dialog")?.close(), other?.focus()),
        );
      });
      await close(element);
      expect(focused() === other, nameOf(focused())).to.be.true;
    });
  });

  describe("when something is sent", () => {
    it("stays in the field while an email is requested, and then moves to the submit button", async () => {
      let send!: (response: { sid: string }) => void;
      const requestEmailToken = (): Promise<{ sid: string }> =>
        new Promise((resolve) => (send = resolve));
      const element = await dialog([Email], { set: { requestEmailToken } });
      await sendKeys({ type: "alice@example.org" });
      await sendKeys({ press: "Enter" });
      await waitFor(() => element.state === "busy");
      await element.updateComplete;
      expect(document.activeElement?.getAttribute("name")).to.equal("email");
      send({ sid: "sid" });
      await waitFor(() => focusName() === "submit");
    });

    it("moves to the next control of <uia-fallback-frame> when its buttons are pressed, and to the text at the end", async () => {
      const element = await withPopup(frame());
      element.focus();
      for (const state of ["open", "open"]) {
        await sendKeys({ press: "Enter" });
        await waitFor(() => element.state === state);
        await element.updateComplete;
        expect(focusName()).to.equal("finished");
        await sendKeys({ down: "Shift" });
        await sendKeys({ press: "Tab" });
        await sendKeys({ up: "Shift" });
        expect(focusName()).to.equal("open");
      }
      await sendKeys({ press: "Tab" });
      await sendKeys({ press: "Enter" });
      await waitFor(() => element.state === "done");
      await element.updateComplete;
      expect(focusName()).to.equal("text");
    });

    it("moves to the password field of <matrix-login> when the password was wrong", async () => {
      await MATRIX_STATES.find(({ name }) => name === "error: a wrong password")?.show();
      await waitFor(() => focusName() === "password", focusName);
    });

    it("moves to the retry button of <oidc-callback> when a retry has failed", async () => {
      const element = await callback("error");
      const [retry] = await found(element, "[part=retry]");
      retry.focus();
      await sendKeys({ press: "Enter" });
      await waitFor(() => focusName() === "retry" && focused() !== retry, "not at the way on");
      expect(element.state).to.equal("error");
    });

    it("moves to the status of <oidc-callback> when a retry succeeds", async () => {
      const element = await callback("error");
      const [retry] = await found(element, "[part=retry]");
      retry.focus();
      succeedNow();
      await sendKeys({ press: "Enter" });
      await waitFor(() => element.state === "success");
      await element.updateComplete;
      expect(focusName()).to.equal("status");
      expect(focused().textContent).to.contain("You’re signed in.");
    });

    it("is not taken by <oidc-callback> when the user has moved it during a retry", async () => {
      const element = await callback("error");
      const elsewhere = await fixture<HTMLElement>(html`<button>Elsewhere</button>`);
      const [retry] = await found(element, "[part=retry]");
      retry.click();
      await element.updateComplete;
      elsewhere.focus();
      await waitFor(() => element.state === "error");
      await untilQuiet();
      expect(focused() === elsewhere, nameOf(focused())).to.be.true;
    });
  });

  describe("with the Tab key", () => {
    const states = Object.values(STATES).flat();
    const names = [
      "ready",
      "error: no network, to be tried again",
      "ready, two providers and a password",
      "registration, the username is taken",
      "reset of a password",
      "everything that a homeserver offers",
      "a device selected, and one being renamed",
      "at a provider",
      "password without a user ID",
      "email, sent",
      "terms",
      "sign-in elsewhere, blocked",
      "with the page's texts and its own button",
      "blocked",
    ];
    const narrow = MODES.find(({ name }) => name === "320 px and 200 % text");
    for (const { name, show } of states.filter(({ name }) => names.includes(name))) {
      it(`is visible and not covered at every Tab stop: ${name}`, async () => {
        if (!narrow) throw new Error("no such mode");
        await enter({ ...narrow, height: 480 });
        await show();
        const problems: string[] = [];
        let count = 0;
        for await (const element of byKey()) {
          count += 1;
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 1) {
            problems.push(`the focus of ${nameOf(element)} is not visible`);
          }
          if (!isInSight(element)) problems.push(`${nameOf(element)} is covered`);
        }
        expect(problems).to.deep.equal([]);
        expect(count).to.be.greaterThan(0);
      });
    }
  });
});

/** Whether part of the element is in the window and uncovered (WCAG 2.2, 2.4.11). */
function isInSight(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  const root = element.getRootNode() as Document | ShadowRoot;
  return [0.1, 0.5, 0.9].some((part) => {
    const there = root.elementFromPoint(left + width / 2, top + height * part);
    return there !== null && (element.contains(there) || there.contains(element));
  });
}
