/**
 * Detects what the user is doing on the page when something opens over it. Keys and clicks that
 * were meant for the page must not act there. A fixed pause would be simpler, but automatic tests
 * and screen readers intentionally act at once in the newly opened content. Therefore this watches
 * for signs that the user is busy with something else:
 *
 * - keys that keep coming, or a focused text field: the user is typing there, or is still pressing
 *   the key that has opened the content;
 * - the mouse, if the content opens under it: the user may be about to click what was there before.
 *   A user who has seen the new content moves the mouse first.
 *
 * Focus that a script sets and events that a script dispatches don't count.
 */

import { focusedElement } from "./focus.js";

/** After this time without keys, typing counts as finished. Clicks can be late by the same time. */
export const MOMENT_MS = 500;

/** After this time without moves, the mouse counts as resting. */
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
/**
 * The time of the last press elsewhere that has not moved the focus, such as a press on a button in
 * Safari.
 */
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

/** Whether the user was typing a moment ago. */
export const isTyping = (): boolean =>
  typingTimer !== undefined && performance.now() - typedAt < MOMENT_MS;

/** Calls a function once the user has stopped typing. The same function is called only once. */
export const onceQuiet = (callback: () => void): void => void waiting.add(callback);

/** Call it when something opens while a text field of the page has the focus. */
export const expectTyping = startTyping;

/**
 * Whether the user has pressed something, and no text field has the focus.
 *
 * @param time The time at which the opening content was requested.
 */
export const hasPressedFor = (time: number): boolean => pressedAt > time - MOMENT_MS;

/** The mouse or finger at the time that something opens. */
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

/** Whether the user can type there. A frame might contain a text field. */
export function isTextField(place: Element | null | undefined): place is HTMLElement {
  if (place instanceof HTMLInputElement) return !NO_TEXT.includes(place.type);
  return (
    place instanceof HTMLElement && (place.isContentEditable || place.matches("textarea, iframe"))
  );
}
