import { pathOf } from "./focus.js";

/** How long a dialog may still be visible, in milliseconds; a browser that shows nothing now does not count. */
const CLOSING_MS = 200;

/** An environment for tests may have dialogs that neither open nor close by themselves; older browsers have no popovers. */
type MaybeDialog = Partial<HTMLDialogElement>;

/** Such an environment may not know which dialogs are above the page either. */
let canTell = true;

/** Whether each was last to be above everything. */
const wanted = new WeakMap<HTMLDialogElement, boolean>();

/**
 * Shows a dialog above the page: as a popover, not by `showModal()`, which would make the menus of
 * password managers inert: those are popovers of the page. It is modal only where it would
 * otherwise be inert, as if the page has its own modal, or not be seen, and in browsers without
 * popovers.
 *
 * @param onTop Whether it is above everything; otherwise what it opens, such as a captcha's window, is above it.
 * @param opening Called before, unless it is shown in this way already.
 * @param isInert Whether nothing in it can have the focus, once it is shown.
 * @returns Whether it was not.
 */
export function showDialog(
  dialog: HTMLDialogElement,
  onTop: boolean,
  opening: () => void,
  isInert: () => boolean,
): boolean {
  // Moving it in the document takes it down.
  const isShown = !canTell || isOnTop(dialog) || (!onTop && isSeenBeside(dialog));
  if (dialog.open && wanted.get(dialog) === onTop && isShown) return false;
  wanted.set(dialog, onTop);
  opening();
  // By the time its `close` event fires it is open again.
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
    if (isInert() || !(onTop || isSeenBeside(dialog))) {
      close(dialog);
      dialog.showModal();
    }
  }
  canTell &&= !onTop || isOnTop(dialog);
  return true;
}

function isOnTop(dialog: HTMLDialogElement): boolean {
  try {
    return dialog.matches(":modal, :popover-open");
  } catch {
    return false;
  }
}

/** A dialog that lets less of its color through cannot be read. */
const MIN_OPACITY = 0.1;

/** What the page does to what is around a dialog has no effect on one that is above everything. */
function isSeenBeside(dialog: HTMLDialogElement): boolean {
  const isFlat = [...dialog.getClientRects()].some(({ width, height }) => width * height < 1);
  const opacity = pathOf(dialog.parentNode)
    .map((place) => opacityIn(place, dialog.getBoundingClientRect()))
    .reduce((whole, part) => whole * part, 1);
  return !isFlat && opacity >= MIN_OPACITY;
}

/** How much of what lies in an element can be seen: nothing if that is clipped or masked. */
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

function close(dialog: HTMLDialogElement): void {
  if (!(dialog as MaybeDialog).close) dialog.open = false;
  else dialog.close();
  // That hides the popover.
  dialog.removeAttribute("popover");
}

/**
 * Closes a dialog now, which gives the focus back, and lets its looks follow: it keeps its size although its fields
 * are gone.
 *
 * @param gone Called when it stops being visible. Not called if it is not visible at first.
 * @returns Whether it is still visible.
 */
export function closeGently(dialog: HTMLDialogElement | null, gone: () => void): boolean {
  if (!dialog) return false;
  dialog.style.setProperty("block-size", `${dialog.offsetHeight}px`);
  dialog.classList.add("closing");
  close(dialog);
  const isVisible = ((dialog as MaybeDialog).getAnimations?.() ?? []).length > 0;
  if (isVisible) setTimeout(gone, CLOSING_MS);
  return isVisible;
}
