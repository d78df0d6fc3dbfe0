import type { CSSResult } from "lit";

/** Adds styles that an element needs only later, once. */
export function addStyles({ shadowRoot }: Element, { styleSheet }: CSSResult): void {
  if (!shadowRoot || !styleSheet || shadowRoot.adoptedStyleSheets.includes(styleSheet)) return;
  shadowRoot.adoptedStyleSheets.push(styleSheet);
}
