/** How long a dialog may still be visible, in milliseconds; a browser that shows nothing now does not count. */
const CLOSING_MS = 200;

/** An environment for tests may have dialogs that neither open nor close by themselves; older browsers have no popovers. */
type MaybeDialog = Partial<HTMLDialogElement>;

/** Such an environment may not know which dialogs are above the page either. */
let canTell = true;

/**
 * Shows a dialog above the page: as a popover, not by `showModal()`, which would make the menus of password managers
 * inert: those are popovers of the page. If the page has a modal of its own, that would make the dialog inert: only
 * then, and in browsers without popovers, it is modal.
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
  if (dialog.open && (!canTell || isOnTop(dialog) === onTop)) return false;
  opening();
  // By the time its `close` event fires it is open again.
  if (dialog.open) close(dialog);
  dialog.style.removeProperty("block-size");
  dialog.classList.remove("closing");
  const { show, showModal, showPopover } = dialog as MaybeDialog;
  if (!show || !showModal) dialog.open = true;
  else if (!onTop) dialog.show();
  else if (showPopover) {
    dialog.popover = "manual";
    dialog.show();
    dialog.showPopover();
    if (isInert()) {
      close(dialog);
      dialog.showModal();
    }
  } else dialog.showModal();
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
 * @param gone Called when it is no longer visible, unless it is so at once.
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
