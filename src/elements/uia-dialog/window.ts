import type { LitElement } from "lit";
import { focusedElement } from "../../ui/focus.js";
import { hasFocus, isFocusLost, isVisible, pathOf } from "../../ui/focus-path.js";
import { PageBehind } from "./page-behind.js";

/** The longest time that a closing dialog stays visible, in milliseconds. */
const CLOSING_MS = 200;

/** What the page has made inert, and not another dialog. */
const INERT = "[inert]:not([inert=uia-dialog])";

/** Test environments may lack the methods that open and close dialogs. */
type MaybeDialog = Partial<HTMLDialogElement>;

/** The native dialog of one run, the page behind it, and the focus while it is open. */
export class DialogWindow {
  readonly #host: LitElement;
  readonly #opener: Element | null;
  readonly #page: PageBehind;
  /** Whether the dialog was last shown above everything. */
  #onTop: boolean | undefined;
  /**
   * The focused elements at the time that the dialog opened, from the innermost to the outermost.
   */
  #path: readonly HTMLElement[] | undefined;

  /** Reports what the page disables, such as everything outside of another modal. */
  readonly #changes = new MutationObserver(() => this.#pageChanged());

  /**
   * @param opener The focused element before the request. It may have lost the focus since then,
   *   for example because it is a disabled button.
   */
  constructor(host: LitElement, opener: Element | null) {
    this.#host = host;
    this.#opener = opener;
    this.#page = new PageBehind(host);
  }

  get dialog(): HTMLDialogElement | null {
    return (this.#host.renderRoot as ParentNode | undefined)?.querySelector("dialog") ?? null;
  }

  get heading(): HTMLElement | null {
    return this.#host.renderRoot.querySelector("h2");
  }

  get hasFocus(): boolean {
    return hasFocus(this.#host);
  }

  /**
   * Shows the dialog above the page, which becomes inert. The dialog is a popover, because
   * `showModal()` would also make password managers' menus inert. It is modal only if it would
   * otherwise be inert (next to a modal of the page) or invisible.
   *
   * @param onTop Whether the dialog is above everything. Otherwise windows that it opens, such as a
   *   captcha's, are above it.
   * @returns False if it is already shown in this way.
   */
  show(dialog: HTMLDialogElement, onTop: boolean): boolean {
    if (this.#onTop === onTop && dialog.open) return false;
    this.#onTop = onTop;
    this.#path ??= pathOf(isFocusLost() ? this.#opener : focusedElement(this.#host));
    for (const place of pathOf(this.#host)) {
      this.#changes.observe(place, { attributeFilter: ["inert", "aria-hidden"] });
    }
    // The dialog might already be open in another way. Its `close` event fires after this.
    close(dialog);
    dialog.style.removeProperty("block-size");
    dialog.classList.remove("closing");
    if (!(dialog as MaybeDialog).showPopover) {
      dialog.open = true;
      return true;
    }
    // A modal of the page that keeps the focus inside can't take the focus back.
    this.block();
    if (onTop) dialog.popover = "manual";
    dialog.show();
    if (onTop) dialog.showPopover();
    this.heading?.focus();
    // An inert dialog can't have the focus.
    if (!this.hasFocus || !(onTop || isSeenBeside(dialog))) {
      close(dialog);
      dialog.showModal();
    }
    return true;
  }

  /**
   * Keeps the dialog usable. Users see it above everything, except above a native modal of the page.
   * An inert dialog is shown again, as a modal.
   */
  #pageChanged(): void {
    const path = pathOf(this.#host);
    if (path.some(({ ariaHidden }) => ariaHidden === "true")) this.#page.moved();
    const isInert = path.some((each) => each.matches(INERT));
    if (!isInert || pathOf(focusedElement()).some((each) => each.matches(":modal"))) return;
    this.#onTop = undefined;
    this.#host.requestUpdate();
  }

  /** Makes the page behind the dialog inert, if it isn't. */
  block(): void {
    if (this.#onTop !== undefined && (this.dialog as MaybeDialog | null)?.showPopover) {
      this.#page.block();
    }
  }

  /** Makes the page usable, for example for a user who is still typing there. */
  unblock(): void {
    this.#page.unblock();
  }

  /**
   * Called when the dialog has left its place in the document. It is shown again at its new place,
   * unless the page has moved it with `moveBefore()`, which keeps it open.
   */
  moved(): void {
    if (this.#host.isConnected && (this.hasFocus || isOnTop(this.dialog)))
      return this.#page.moved();
    this.#onTop = undefined;
    this.unblock();
  }

  /**
   * Closes the dialog immediately, which returns the focus, and lets it fade out. The dialog keeps
   * its size while it fades, although it no longer contains the fields.
   *
   * @param onHidden Called once the dialog is not visible.
   */
  close(onHidden: () => void): void {
    this.unblock();
    this.#changes.disconnect();
    const { dialog } = this;
    if (!dialog) return onHidden();
    dialog.style.setProperty("block-size", `${dialog.offsetHeight}px`);
    dialog.classList.add("closing");
    close(dialog);
    const isFading = ((dialog as MaybeDialog).getAnimations?.() ?? []).length > 0;
    if (isFading) setTimeout(onHidden, CLOSING_MS);
    else onHidden();
  }

  /**
   * Restores the focus after the dialog has closed, if the browser has not done so. If the element
   * was removed, such as the button of a deleted device, the nearest ancestor that still exists
   * gets the focus.
   */
  restoreFocus(): void {
    for (const place of this.#path ?? []) {
      // A removed element of the dialog can keep the focus until the next render.
      if (place === document.body || (!isFocusLost() && !this.hasFocus)) return;
      if (!isVisible(place) || place.matches(":disabled")) continue;
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

/** A dialog keeps its attributes even after it has left the page. */
const isOnTop = (dialog: HTMLDialogElement | null): boolean =>
  dialog?.matches(dialog.popover ? ":popover-open" : ":modal") ?? false;

/**
 * Whether a dialog that is not in the top layer is visible. The elements around it might hide or
 * clip it.
 */
function isSeenBeside(dialog: HTMLDialogElement): boolean {
  const { left, top, width } = dialog.getBoundingClientRect();
  const root = dialog.getRootNode() as ShadowRoot;
  const hit = pathOf(root.elementFromPoint(left + width / 2, top + 4));
  return hit.includes(dialog) && !pathOf(dialog.parentNode).some(isTransparent);
}

function isTransparent(place: Element): boolean {
  const { opacity, filter, maskImage } = getComputedStyle(place);
  return opacity === "0" || filter.includes("opacity(0)") || !/^(none)?$/.test(maskImage);
}

/**
 * Whether the page has an open popover, except around the dialog, that Escape closes. Test
 * environments might not support popovers.
 */
export function hasOpenMenu(host: Element): boolean {
  try {
    const menus = document.querySelectorAll<HTMLElement>(":popover-open:not([popover=manual])");
    return [...menus].some((menu) => !pathOf(host).includes(menu));
  } catch {
    return false;
  }
}
