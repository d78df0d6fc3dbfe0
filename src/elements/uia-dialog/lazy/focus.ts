export class DialogFocus {
  readonly #host: HTMLElement;
  readonly #opener: Element | null;
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
  constructor(host: HTMLElement, opener: Element | null) {
    this.#host = host;
    this.#opener = opener;
  }

  /**
   * Whether the dialog has the focus. In Chromium `:focus-within`
   * (https://drafts.csswg.org/selectors/#focus-within-pseudo) does not match for a modal dialog in
   * a shadow root; use it once test/elements/uia-dialog/focus.test.ts passes with it.
   */
  get inside(): boolean {
    const { activeElement } = this.#host.getRootNode() as Document | ShadowRoot;
    return this.#host.contains(activeElement);
  }

  opening(): void {
    const { activeElement } = document;
    this.#path ??= pathFrom(activeElement === document.body ? this.#opener : activeElement);
    this.#reasons = [];
  }

  /** Whether the focus must be set, because the reason has changed or the focus is lost. */
  isDue(reasons: readonly unknown[], lost: boolean): boolean {
    const isDue = lost || reasons.some((reason, index) => reason !== this.#reasons[index]);
    if (isDue) this.#reasons = reasons;
    return isDue;
  }

  tabbing(isBackward: boolean): void {
    this.#isBackward = isBackward;
    setTimeout(() => (this.#isBackward = undefined));
  }

  /**
   * Called when the focus leaves the dialog. If Tab has moved it to the page behind the dialog, it
   * continues at the dialog's other end. It may move to a popover, such as a password manager's menu.
   */
  leaving(dialog: HTMLDialogElement, to: EventTarget | null): void {
    const isOutside = to instanceof Element && !this.#host.contains(to) && !dialog.contains(to);
    if (!isOutside || this.#isBackward === undefined || to.closest("[popover]")) return;
    const controls = [...controlsIn(dialog)];
    if (this.#isBackward) controls.reverse();
    // The browser must have moved the focus before.
    setTimeout(() => controls.find(takesFocus));
  }

  /**
   * Restores the focus after the dialog has closed, if the browser has not. If the element is gone,
   * such as the button of a deleted device, the nearest ancestor that still exists gets the focus.
   */
  restore(): void {
    for (const place of this.#path ?? []) {
      // A removed element of the dialog can keep the focus until the next render.
      if (document.activeElement !== document.body && !this.inside) return;
      if (place === document.body || !isVisible(place) || place.matches(":disabled")) continue;
      if (!place.hasAttribute("tabindex")) {
        place.tabIndex = -1;
        place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
      }
      place.focus({ preventScroll: true });
    }
  }
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
  return (control.getRootNode() as Document | ShadowRoot).activeElement === control;
}

/** Without a layout, as in test environments, every element counts as visible. */
export const isVisible = (place: Partial<Element>): boolean => place.checkVisibility?.() ?? true;

function pathFrom(place: Element | null): HTMLElement[] {
  while (place?.shadowRoot?.activeElement) place = place.shadowRoot.activeElement;
  return pathOf(place);
}

/** An element and its ancestors in the flat tree. */
export function pathOf(place: Node | null): HTMLElement[] {
  const path: HTMLElement[] = [];
  while (place) {
    if (place instanceof HTMLElement) path.push(place);
    const { assignedSlot } = place as Partial<Element>;
    place = assignedSlot ?? (place instanceof ShadowRoot ? place.host : place.parentNode);
  }
  return path;
}

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
