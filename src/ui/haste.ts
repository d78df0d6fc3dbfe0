/**
 * What the user was doing on the page before something opens over it. Keys and clicks that were on
 * their way to the page must not act there. A fixed pause for everything would be simpler, but a page's
 * automatic tests and screen readers act at once, and on purpose, in what has just opened. So this
 * watches for signs that the user is busy with something else:
 *
 * - keys that keep coming, or a text field that has the focus: the user types there, or still presses
 *   the key that has opened it;
 * - the mouse that rests or moves where something opens under it: the user is about to click what was
 *   there before. A user who has seen it has to move the mouse first.
 *
 * The focus that a script sets, and events that a script dispatches, don't count.
 */

import { focusedElement } from "./focus.js";

/** The time without keys after which they count as finished, and in which clicks can be late. */
export const MOMENT_MS = 500;

/** The time without moves after which the mouse rests. */
const REST_MS = 100;

interface Pointer {
  readonly x: number;
  readonly y: number;
  readonly isMoving: boolean;
}

let isWatching = false;
let typingTimer: ReturnType<typeof setTimeout> | undefined;
let typedAt = 0;
let movingTimer: ReturnType<typeof setTimeout> | undefined;
/** When the last event was a press elsewhere that has not moved the focus, as on a button in Safari. */
let pressedAt = -Infinity;
let pointer: Pointer | undefined;
const waiting = new Set<() => void>();

/** Starts to watch the page's keys and pointers. Call it before anything opens. */
export function watchHaste(): void {
  if (isWatching) return;
  isWatching = true;
  for (const type of ["keydown", "pointerdown", "pointermove", "focusin"] as const) {
    window.addEventListener(type, onInput, { capture: true, passive: true });
  }
}

function onInput(event: Event): void {
  if (!event.isTrusted) return;
  // Test environments may lack `PointerEvent`.
  if (event instanceof MouseEvent) {
    const isMoving = event.type === "pointermove";
    pointer = { x: event.clientX, y: event.clientY, isMoving };
    clearTimeout(movingTimer);
    if (isMoving) movingTimer = setTimeout(stopMoving, REST_MS);
    else {
      const focused = focusedElement();
      const isThere = focused && event.composedPath().includes(focused);
      pressedAt = isThere ? -Infinity : performance.now();
      stopTyping();
    }
  } else {
    pressedAt = -Infinity;
    // Escape types nothing.
    if (event instanceof KeyboardEvent && event.key !== "Escape") startTyping();
  }
}

function stopMoving(): void {
  if (pointer) pointer = { ...pointer, isMoving: false };
}

function startTyping(): void {
  clearTimeout(typingTimer);
  typedAt = performance.now();
  typingTimer = setTimeout(stopTyping, MOMENT_MS);
}

function stopTyping(): void {
  clearTimeout(typingTimer);
  typingTimer = undefined;
  const callbacks = [...waiting];
  waiting.clear();
  for (const callback of callbacks) callback();
}

/** Whether keys have come a moment ago. */
export const isTyping = (): boolean =>
  typingTimer !== undefined && performance.now() - typedAt < MOMENT_MS;

/** Calls a function once keys have stopped coming. The same function is called once. */
export const onceQuiet = (callback: () => void): void => void waiting.add(callback);

/** Call it when something opens while a text field of the page has the focus. */
export const expectTyping = startTyping;

/**
 * Whether the user has pressed something, and is not in a text field that has the focus.
 *
 * @param time When what opens now was asked for.
 */
export const hasPressedFor = (time: number): boolean => pressedAt > time - MOMENT_MS;

/** The mouse or finger, when something opens. */
export const lastPointer = (): Pointer | undefined => pointer;

const NO_TEXT = [
  "button",
  "checkbox",
  "color",
  "file",
  "image",
  "radio",
  "range",
  "reset",
  "submit",
];

/** Whether the user types there. A frame might contain a text field. */
export function isTextField(place: Element | null | undefined): place is HTMLElement {
  if (place instanceof HTMLInputElement) return !NO_TEXT.includes(place.type);
  return (
    place instanceof HTMLElement && (place.isContentEditable || place.matches("textarea, iframe"))
  );
}
