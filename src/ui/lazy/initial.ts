import { css, type CSSResult, html, type TemplateResult } from "lit";

/** The initial of a name, instead of a image, so it is not part of the text of the page. */
export function renderInitial(name: string): TemplateResult {
  const initial = String.fromCodePoint(name.codePointAt(0) ?? 0x20).toLocaleUpperCase();
  return html`<span part="initial" data-initial=${initial}></span>`;
}

/** The circle of an initial. */
export const initialStyles: CSSResult = css`
  [part="initial"]::before {
    content: attr(data-initial);
    content: attr(data-initial) / "";
  }
  [part="initial"] {
    flex: none;
    display: grid;
    place-content: center;
    box-sizing: border-box;
    /* Where the system sets the colors it is all that is seen of the circle. */
    border: 1px solid transparent;
    border-radius: 50%;
    background: color-mix(in srgb, var(--_accent) 18%, transparent);
    font-weight: 600;
  }
`;
