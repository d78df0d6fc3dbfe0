import { focusedElement } from "./focus.js";

/** Whether nothing has the focus, for example after the focused element was removed. */
export function isFocusLost(): boolean {
  const place = focusedElement();
  return !place || place === document.body;
}

/** Whether the focus is in an element's shadow tree, or in its content. */
export const hasFocus = (place: Element): boolean =>
  pathOf(focusedElement(place)).some((each) => each === place);

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

/** Without a layout, as in test environments, every element counts as visible. */
export const isVisible = (place: Partial<Element>): boolean => place.checkVisibility?.() ?? true;
