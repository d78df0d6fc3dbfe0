/** Where the focus is and goes while a dialog is open. */
export class DialogFocus {
  readonly #host: HTMLElement;
  readonly #opener: Element | null;
  /** Where the focus was when the dialog opened, from the inside out. */
  #path: readonly HTMLElement[] | undefined;
  /** What the focus was last set for, so that it is not moved without need. */
  #reasons: readonly unknown[] = [];

  /** @param opener What had the focus before the request, in case it was lost since: a button that was disabled. */
  constructor(host: HTMLElement, opener: Element | null) {
    this.#host = host;
    this.#opener = opener;
  }

  /** Whether the dialog has it. Chromium's `:focus-within` does not work for a modal dialog in a shadow root. */
  get inside(): boolean {
    const { activeElement } = this.#host.getRootNode() as Document | ShadowRoot;
    return this.#host.contains(activeElement);
  }

  /** Call it before the dialog opens. */
  opening(): void {
    const { activeElement } = document;
    this.#path ??= pathFrom(activeElement === document.body ? this.#opener : activeElement);
    this.#reasons = [];
  }

  /** Whether it has to be set: for other reasons than the last time, or because it is lost. */
  isDue(reasons: readonly unknown[], lost: boolean): boolean {
    const same = reasons.every((reason, index) => reason === this.#reasons[index]);
    if (lost || !same) this.#reasons = reasons;
    return lost || !same;
  }

  /**
   * Makes sure that the focus is somewhere when the dialog has closed. The browser restores it; if the
   * element is gone, such as the button of a deleted device, it goes to the nearest ancestor that is left.
   */
  restore(): void {
    for (const place of this.#path ?? []) {
      if (document.activeElement !== document.body) return;
      if (place === document.body || !isVisible(place) || place.matches(":disabled")) continue;
      if (!place.hasAttribute("tabindex")) {
        place.tabIndex = -1;
        place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
      }
      place.focus({ preventScroll: true });
    }
  }
}

/** Without a layout, as in an environment for tests, everything is. */
const isVisible = (place: Partial<Element>): boolean => place.checkVisibility?.() ?? true;

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

/** Where a user begins: a field of the dialog's own form, or what the page shows for a stage. */
export function firstField(
  host: Element,
  form: Element | undefined,
  stage: string,
): HTMLElement | null {
  const own = [...host.children].filter(({ slot }) => slot === stage);
  return (
    form?.querySelector<HTMLElement>("input:not([readonly], [type=submit])") ??
    own
      .flatMap((each) => [each, ...each.querySelectorAll("*")] as HTMLElement[])
      .find((each) => each.matches("[autofocus], input, select, textarea, button, a")) ??
    null
  );
}
