import type { LitElement } from "lit";
import { focusedElement, hasFocus, isFocusLost, pathOf } from "../../../ui/focus.js";

/** The longest time that a closing dialog stays visible, in milliseconds. */
const CLOSING_MS = 200;

/** Test environments may lack the methods that open and close dialogs. Older browsers do not have popovers. */
type MaybeDialog = Partial<HTMLDialogElement>;

/** The native dialog of one run, and the focus while it is open. */
export class DialogWindow {
  readonly #host: LitElement;
  readonly #opener: Element | null;
  /** How the dialog was shown last. */
  #onTop: boolean | undefined;
  /** Whether the browser can tell which dialogs are above the page. Test environments may not. */
  #canTell = true;
  /** The focused elements when the dialog opened, from the inside out. */
  #path: readonly HTMLElement[] | undefined;
  /** The direction while Tab is pressed. */
  #isBackward: boolean | undefined;
  /** The reason for the last focus change, to avoid unnecessary changes. */
  #reasons: readonly unknown[] = [];

  /**
   * @param opener The focused element before the request. It may have lost the focus since, like a
   *   disabled button.
   */
  constructor(host: LitElement, opener: Element | null) {
    this.#host = host;
    this.#opener = opener;
  }

  get dialog(): HTMLDialogElement | null {
    return (this.#host.renderRoot as ParentNode | undefined)?.querySelector("dialog") ?? null;
  }

  get heading(): HTMLElement | null {
    return this.#host.renderRoot.querySelector("h2");
  }

  /**
   * Whether the dialog has the focus. In Chromium `:focus-within`
   * (https://drafts.csswg.org/selectors/#focus-within-pseudo) does not match for a modal dialog in
   * a shadow root; use it once test/elements/uia-dialog/focus.test.ts passes with it.
   */
  get hasFocus(): boolean {
    return hasFocus(this.#host);
  }

  /**
   * Shows the dialog above the page. It is a popover, because `showModal()` would make password
   * managers' menus inert, which are popovers of the page. It is modal only if it would otherwise be
   * inert (under a modal of the page) or not visible, and in browsers without popovers.
   *
   * @param onTop Whether the dialog is above everything. Otherwise windows that it opens, such as a
   *   captcha's, are above it.
   * @returns False if it is already shown in this way.
   */
  show(dialog: HTMLDialogElement, onTop: boolean): boolean {
    if (this.#onTop === onTop && this.#isShown(dialog, onTop)) return false;
    this.#onTop = onTop;
    this.#path ??= pathOf(isFocusLost() ? this.#opener : focusedElement(this.#host));
    this.#reasons = [];
    // The dialog is open again before its `close` event fires.
    if (dialog.open) close(dialog);
    dialog.style.removeProperty("block-size");
    dialog.classList.remove("closing");
    const { show, showModal, showPopover } = dialog as MaybeDialog;
    if (!show || !showModal) dialog.open = true;
    else if (onTop && !showPopover) dialog.showModal();
    else {
      if (onTop) dialog.popover = "manual";
      dialog.show();
      if (onTop) dialog.showPopover();
      this.heading?.focus();
      // An inert dialog can't have the focus.
      if (!this.hasFocus || !(onTop || isSeenBeside(dialog))) {
        close(dialog);
        dialog.showModal();
      }
    }
    this.#canTell &&= !onTop || isOnTop(dialog);
    return true;
  }

  /** Whether the dialog is still shown. One that was moved in the document has left the top layer. */
  #isShown(dialog: HTMLDialogElement, onTop: boolean): boolean {
    const isSeen = !this.#canTell || isOnTop(dialog) || (!onTop && isSeenBeside(dialog));
    return dialog.open && isSeen;
  }

  /**
   * Closes the dialog immediately, which returns the focus, and lets it fade out. It keeps its size
   * while it fades, although it has no fields then.
   *
   * @param onHidden Called once the dialog is not visible.
   */
  close(onHidden: () => void): void {
    const { dialog } = this;
    if (!dialog) return onHidden();
    dialog.style.setProperty("block-size", `${dialog.offsetHeight}px`);
    dialog.classList.add("closing");
    close(dialog);
    const isFading = ((dialog as MaybeDialog).getAnimations?.() ?? []).length > 0;
    if (isFading) setTimeout(onHidden, CLOSING_MS);
    else onHidden();
  }

  /** Whether the focus must be set, because the reason has changed or the focus is lost. */
  isFocusDue(reasons: readonly unknown[], lost: boolean): boolean {
    return lost || reasons.some((reason, index) => reason !== this.#reasons[index]);
  }

  /** Call it when the focus was set for these reasons. */
  focusIsSet(reasons: readonly unknown[]): void {
    this.#reasons = reasons;
  }

  tabbing(isBackward: boolean): void {
    this.#isBackward = isBackward;
    setTimeout(() => (this.#isBackward = undefined));
  }

  /**
   * Called when the focus leaves the dialog. If Tab has moved it to the page behind the dialog, it
   * continues at the dialog's other end. It may move to a popover, such as a password manager's menu.
   */
  leaving(dialog: Element, to: EventTarget | null): void {
    const isOutside = to instanceof Element && !this.#host.contains(to) && !dialog.contains(to);
    if (!isOutside || this.#isBackward === undefined || to.closest("[popover]")) return;
    const controls = [...controlsIn(dialog)];
    if (this.#isBackward) controls.reverse();
    // The browser must have moved the focus before.
    setTimeout(() => controls.find(takesFocus));
  }

  /**
   * Restores the focus after the dialog has closed, if the browser has not. If the element was removed,
   * such as the button of a deleted device, the nearest ancestor that still exists gets the focus.
   */
  restoreFocus(): void {
    for (const place of this.#path ?? []) {
      // A removed element of the dialog can keep the focus until the next render.
      if (!isFocusLost() && !this.hasFocus) return;
      if (place === document.body || !isVisible(place) || place.matches(":disabled")) continue;
      if (!place.hasAttribute("tabindex")) {
        place.tabIndex = -1;
        place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
      }
      place.focus({ preventScroll: true });
    }
  }
}

function close(dialog: HTMLDialogElement): void {
  if (!(dialog as MaybeDialog).close) dialog.open = false;
  else dialog.close();
  // Removing the attribute hides the popover.
  dialog.removeAttribute("popover");
}

function isOnTop(dialog: HTMLDialogElement): boolean {
  try {
    return dialog.matches(":modal, :popover-open");
  } catch {
    return false;
  }
}

/** A dialog with less opacity cannot be read. */
const MIN_OPACITY = 0.1;

/** Whether a dialog is visible that is not above everything. The styles of its ancestors affect it. */
function isSeenBeside(dialog: HTMLDialogElement): boolean {
  const isFlat = [...dialog.getClientRects()].some(({ width, height }) => width * height < 1);
  const opacity = pathOf(dialog.parentNode)
    .map((place) => opacityIn(place, dialog.getBoundingClientRect()))
    .reduce((whole, part) => whole * part, 1);
  return !isFlat && opacity >= MIN_OPACITY;
}

/** The opacity of an element's content: 0 if the content is clipped or masked. */
function opacityIn(place: Element, dialog: DOMRect): number {
  const { opacity, filter, clipPath, maskImage, contain } = getComputedStyle(place);
  const [, filtered] = /opacity\(([\d.]+)\)/.exec(filter) ?? [];
  const { left, right, top, bottom } = place.getBoundingClientRect();
  const width = Math.min(right, dialog.right) - Math.max(left, dialog.left);
  const height = Math.min(bottom, dialog.bottom) - Math.max(top, dialog.top);
  const isHalf = width > dialog.width / 2 && height > dialog.height / 2;
  const isClipped = /paint|strict|content/.test(contain) && !isHalf;
  const isCut = [clipPath, maskImage].some((shape) => shape && shape !== "none");
  return isClipped || isCut ? 0 : Number(opacity) * Number(filtered ?? 1);
}

/** The elements that Tab can reach, in visual order. */
function* controlsIn(parent: Element): Generator<HTMLElement> {
  const assigned = parent instanceof HTMLSlotElement ? parent.assignedElements() : [];
  const children = assigned.length > 0 ? assigned : (parent.shadowRoot ?? parent).children;
  for (const child of children) {
    if (child instanceof HTMLElement && child.matches(CONTROLS) && child.tabIndex >= 0) yield child;
    yield* controlsIn(child);
  }
}

const CONTROLS = "a[href], button, input, select, textarea, iframe, [tabindex]";

function takesFocus(control: HTMLElement): boolean {
  control.focus();
  return focusedElement(control) === control;
}

/** Without a layout, as in test environments, every element counts as visible. */
export const isVisible = (place: Partial<Element>): boolean => place.checkVisibility?.() ?? true;
