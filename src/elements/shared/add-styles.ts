import type { CSSResult } from "lit";

/** Adds to the styles of an element what it shows only later, once. */
export function addStyles({ shadowRoot }: Element, { styleSheet }: CSSResult): void {
  if (!shadowRoot || !styleSheet || shadowRoot.adoptedStyleSheets.includes(styleSheet)) return;
  shadowRoot.adoptedStyleSheets.push(styleSheet);
}
