import { css, type CSSResult } from "lit";

export const styles: CSSResult = css`
  :host {
    /* Buttons beside each other, or beside a text, have one baseline, whatever is said below them. */
    display: inline-flex;
    flex-direction: column;
    align-items: start;
    gap: var(--_gap);
    max-inline-size: 100%;
  }
  /* A row of the page's may not squeeze a word, but a word may not burst the page. */
  [part="label"] {
    min-inline-size: 0;
    overflow-wrap: break-word;
  }
`;
