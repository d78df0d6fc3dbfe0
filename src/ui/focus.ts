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
