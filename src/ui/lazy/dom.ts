import type { CSSResult } from "lit";

/** Adds styles that an element needs only later, once. */
export const addStyles = ({ shadowRoot }: Element, styles: CSSResult): void =>
  adoptStyles(shadowRoot, styles);

/** Adds styles to a document or a shadow tree, once. */
export function adoptStyles(root: Node | null, { styleSheet }: CSSResult): void {
  const tree = root instanceof Document || root instanceof ShadowRoot ? root : undefined;
  // Another document takes no styles of this one.
  const isHere = tree instanceof Document ? tree === document : tree?.ownerDocument === document;
  if (!tree || !styleSheet || !isHere || tree.adoptedStyleSheets.includes(styleSheet)) return;
  tree.adoptedStyleSheets.push(styleSheet);
}

/** Moves an element into sight, as far as it is not: on a small screen it may be below the keyboard. */
export const scrollIntoView = (element: Element | null | undefined): void =>
  // An environment for tests that has no layout has nothing to scroll.
  (element as Partial<Element> | undefined)?.scrollIntoView?.({ block: "nearest" });
