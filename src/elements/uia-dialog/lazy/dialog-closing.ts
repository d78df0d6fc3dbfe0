/** How long a dialog may still be visible, in milliseconds; a browser that shows nothing now does not count. */
const CLOSING_MS = 200;

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
  dialog.close();
  const isVisible = dialog.getAnimations().length > 0;
  if (isVisible) setTimeout(gone, CLOSING_MS);
  return isVisible;
}

/** A dialog may be opened again before it is gone. */
export function endClosing(dialog: HTMLDialogElement): void {
  dialog.style.removeProperty("block-size");
  dialog.classList.remove("closing");
}
