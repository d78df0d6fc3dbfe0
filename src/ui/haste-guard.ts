import { isSecond } from "./form/buttons.js";
import { isTextField, lastPointer, MOMENT_MS } from "./haste.js";

/** Two clicks of a double click are at most this far apart, in CSS pixels. */
const DOUBLE_CLICK_PX = 5;

/**
 * Protects everything in a dialog, including the views of its stages and the page's own content,
 * from clicks and keys that were meant for something else. Keys that come while the dialog opens
 * don't reach it: see `haste.ts`.
 */
export class HasteGuard {
  readonly #host: Element;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The mouse or finger at the time that the dialog opened. Kept only for a moment. */
  #pointer: ReturnType<typeof lastPointer>;
  #clicked: EventTarget | undefined;

  /**
   * @param host The element. Its children are the page's content, except for the element's own
   * form.
   */
  constructor(host: Element) {
    this.#host = host;
  }

  /** Call it when the dialog opens. */
  opened(dialog: HTMLDialogElement): void {
    dialog.addEventListener("click", this.#onClick, true);
    dialog.addEventListener("keydown", this.#onKeydown, true);
    this.#pointer = lastPointer();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#pointer = undefined), MOMENT_MS);
  }

  readonly #onClick = (event: MouseEvent): void => {
    const [target] = event.composedPath();
    const isSame = target === this.#clicked;
    this.#clicked = target;
    if (isTextField(target as Element)) return;
    const isMeant = isSame && isOfPage(event.composedPath(), this.#host);
    if ((isSecond(event) && !isMeant) || this.#isLate(event)) ignore(event);
  };

  /** Whether a click was meant for content that was in this place before the dialog opened. */
  #isLate({ isTrusted, detail, clientX, clientY }: MouseEvent): boolean {
    // Clicks from keys and scripts have no position.
    if (!this.#pointer || !isTrusted || detail === 0) return false;
    const { x, y, isMoving } = this.#pointer;
    return isMoving || Math.max(Math.abs(clientX - x), Math.abs(clientY - y)) <= DOUBLE_CLICK_PX;
  }

  /** A key that is held down was pressed for something else, or for an earlier step. */
  readonly #onKeydown = (event: KeyboardEvent): void => {
    const [target] = event.composedPath();
    const hasLines =
      target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea"));
    const presses =
      event.key === "Enter" ? !hasLines : event.key === " " && !isTextField(target as Element);
    if (event.repeat && presses) ignore(event);
  };
}

/** Whether the path of an event is in the page's content in an element, rather than in its own form. */
export const isOfPage = (path: readonly EventTarget[], host: Element): boolean =>
  path.some((each) => each instanceof Element && each.parentNode === host && !isOwnForm(each));

const isOwnForm = (element: Element): boolean => element.matches("form.uia-fields");

function ignore(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Lets a dialog scroll on a page that has locked scrolling with listeners on the document. */
export function ignoreScrollLocks(dialog: HTMLElement): void {
  for (const type of ["wheel", "touchmove"])
    dialog.addEventListener(type, stopPropagation, { passive: true });
}

const stopPropagation = (event: Event): void => event.stopPropagation();
