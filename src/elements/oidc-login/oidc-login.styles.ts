import { css, type CSSResult } from "lit";

export const styles: CSSResult = css`
  :host {
    display: inline-block;
    max-inline-size: 100%;
  }
  /* A row of the page's may not squeeze a word, but a word may not burst the page. */
  [part="label"] {
    min-inline-size: 0;
    overflow-wrap: break-word;
  }
  .error {
    margin-block-start: var(--_gap);
  }
`;
