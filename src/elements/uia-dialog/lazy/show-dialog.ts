import { pathOf } from "./focus.js";

/** The longest time that a closing dialog stays visible, in milliseconds. */
const CLOSING_MS = 200;

/** Test environments may lack the methods that open and close dialogs. Older browsers do not have popovers. */
type MaybeDialog = Partial<HTMLDialogElement>;

/** Whether a dialog is still shown. One that was moved in the document has left the top layer. */
export function isShown(dialog: HTMLDialogElement, onTop: boolean): boolean {
  // Without popovers, the browser can't tell which dialogs are above the page.
  const isOnTop = !(dialog as MaybeDialog).showPopover || dialog.matches(":modal, :popover-open");
  return dialog.open && (isOnTop || (!onTop && isSeenBeside(dialog)));
}

/**
 * Shows a dialog above the page. It is a popover, because `showModal()` would make password managers'
 * menus inert, which are popovers of the page. It is modal only if it would otherwise be inert (under
 * a modal of the page) or not visible, and in browsers without popovers.
 *
 * @param onTop Whether the dialog is above everything. Otherwise windows that it opens, such as a captcha's, are
 *   above it.
 * @param isInert Called after the dialog is shown. Returns whether nothing in it can have the focus.
 */
export function showDialog(
  dialog: HTMLDialogElement,
  onTop: boolean,
  isInert: () => boolean,
): void {
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
    if (isInert() || !(onTop || isSeenBeside(dialog))) {
      close(dialog);
      dialog.showModal();
    }
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

function close(dialog: HTMLDialogElement): void {
  if (!(dialog as MaybeDialog).close) dialog.open = false;
  else dialog.close();
  // Removing the attribute hides the popover.
  dialog.removeAttribute("popover");
}

/**
 * Closes a dialog immediately, which returns the focus, and lets it fade out. It keeps its size while it fades,
 * although its fields are gone.
 *
 * @param gone Called when the dialog is no longer visible.
 */
export function closeGently(dialog: HTMLDialogElement | null, gone: () => void): void {
  if (!dialog) return gone();
  dialog.style.setProperty("block-size", `${dialog.offsetHeight}px`);
  dialog.classList.add("closing");
  close(dialog);
  const isVisible = ((dialog as MaybeDialog).getAnimations?.() ?? []).length > 0;
  if (isVisible) setTimeout(gone, CLOSING_MS);
  else gone();
}
