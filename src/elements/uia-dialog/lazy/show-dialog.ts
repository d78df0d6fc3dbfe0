import { pathOf } from "./focus.js";
import type { StageView } from "./stages/stage-view.js";

/** The longest time that a closing dialog stays visible, in milliseconds. */
const CLOSING_MS = 200;

/** Test environments may lack the methods that open and close dialogs. Older browsers do not have popovers. */
type MaybeDialog = Partial<HTMLDialogElement>;

/** Whether the browser can tell which dialogs are above the page. Test environments may not. */
let canTell = true;

/** Whether a dialog is visible. One that was moved in the document has left the top layer. */
export const isShown = (dialog: HTMLDialogElement, nonModal: StageView["nonModal"]): boolean =>
  dialog.open && (!canTell || isOnTop(dialog) || isSeenBeside(dialog, nonModal) === true);

/**
 * Shows a dialog above the page. It is a popover, because `showModal()` would make password managers'
 * menus inert, which are popovers of the page. It is modal only if it would otherwise be inert (under
 * a modal of the page) or not visible, and in browsers without popovers.
 *
 * @param nonModal If given, windows that the dialog opens, such as a captcha's, are above it.
 * @param isInert Called after the dialog is shown. Returns whether nothing in it can have the focus.
 */
export function showDialog(
  dialog: HTMLDialogElement,
  nonModal: StageView["nonModal"],
  isInert: () => boolean,
): void {
  const onTop = !nonModal;
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
    if (isInert() || isSeenBeside(dialog, nonModal) === false) {
      close(dialog);
      dialog.showModal();
    }
  }
  canTell &&= !onTop || isOnTop(dialog);
}

const isSeenBeside = (
  dialog: HTMLDialogElement,
  nonModal: StageView["nonModal"],
): boolean | undefined => nonModal?.(dialog, pathOf(dialog.parentNode));

function isOnTop(dialog: HTMLDialogElement): boolean {
  try {
    return dialog.matches(":modal, :popover-open");
  } catch {
    return false;
  }
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
