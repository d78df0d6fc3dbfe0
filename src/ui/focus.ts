/**
 * The focused element, in the innermost open shadow tree; the `<body>`, if nothing has the focus.
 *
 * @param near A place in the tree to look in first. A closed shadow root around it hides that tree from
 *   the document.
 */
export function focusedElement(near?: Node): Element | null {
  const { activeElement } = (near?.getRootNode() ?? document) as Partial<DocumentOrShadowRoot>;
  let place = activeElement ?? document.activeElement;
  while (place?.shadowRoot?.activeElement) place = place.shadowRoot.activeElement;
  return place;
}

/** Whether nothing has the focus, as after the focused element was removed. */
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
