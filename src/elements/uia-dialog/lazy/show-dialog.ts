/** How long a dialog may still be visible, in milliseconds; a browser that shows nothing now does not count. */
const CLOSING_MS = 200;

/** An environment for tests may have dialogs that neither open nor close by themselves. */
type MaybeDialog = Partial<HTMLDialogElement>;

/** Such an environment may not know which dialogs are modal either. */
let knowsModal = true;

/**
 * Shows a dialog.
 *
 * @param opening Called before, unless it is shown in this way already.
 * @returns Whether it was not.
 */
export function showDialog(
  dialog: HTMLDialogElement,
  modal: boolean,
  opening: () => void,
): boolean {
  const canShow = (dialog as MaybeDialog).showModal !== undefined;
  // Moving it in the document makes it non-modal.
  const isAsWanted = !canShow || !knowsModal || dialog.matches(":modal") === modal;
  if (dialog.open && isAsWanted) return false;
  opening();
  // By the time its `close` event fires it is open again.
  if (dialog.open) dialog.close();
  dialog.style.removeProperty("block-size");
  dialog.classList.remove("closing");
  if (canShow) dialog[modal ? "showModal" : "show"]();
  else dialog.open = true;
  if (canShow && modal) knowsModal = dialog.matches(":modal");
  return true;
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
  if ((dialog as MaybeDialog).close) dialog.close();
  else dialog.open = false;
  const isVisible = ((dialog as MaybeDialog).getAnimations?.() ?? []).length > 0;
  if (isVisible) setTimeout(gone, CLOSING_MS);
  return isVisible;
}
