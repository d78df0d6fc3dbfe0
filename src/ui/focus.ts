/**
 * The focused element, in the innermost open shadow tree; the `<body>`, if nothing has the focus.
 *
 * @param near A node of the tree to look in first. If a closed shadow root surrounds it, the
 *   document can't see that tree.
 */
export function focusedElement(near?: Node): Element | null {
  const { activeElement } = (near?.getRootNode() ?? document) as Partial<DocumentOrShadowRoot>;
  let place = activeElement ?? document.activeElement;
  while (place?.shadowRoot?.activeElement) place = place.shadowRoot.activeElement;
  return place;
}
