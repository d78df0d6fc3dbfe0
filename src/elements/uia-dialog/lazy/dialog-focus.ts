/** Remembers where the focus was when the dialog opened, to restore it when the dialog closes. */
export class FocusReturn {
  /** From the inside out. */
  readonly #path: readonly HTMLElement[];

  /** @param before What had the focus before, in case it was lost since: a button that was disabled. */
  constructor(before: Element | null) {
    const { activeElement } = document;
    this.#path = pathFrom(activeElement === document.body ? before : activeElement);
  }

  /**
   * Makes sure that the focus is somewhere. The browser restores it; if the element is gone, such as the
   * button of a deleted device, the focus goes to the nearest ancestor that is left.
   */
  focus(): void {
    for (const place of this.#path) {
      if (document.activeElement !== document.body) return;
      if (place === document.body || !place.checkVisibility() || place.matches(":disabled"))
        continue;
      if (!place.hasAttribute("tabindex")) {
        place.tabIndex = -1;
        place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
      }
      place.focus({ preventScroll: true });
    }
  }
}

function pathFrom(place: Element | null): HTMLElement[] {
  const path: HTMLElement[] = [];
  while (place?.shadowRoot?.activeElement) place = place.shadowRoot.activeElement;
  while (place) {
    if (place instanceof HTMLElement) path.push(place);
    const root = place.getRootNode();
    place = place.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return path;
}
