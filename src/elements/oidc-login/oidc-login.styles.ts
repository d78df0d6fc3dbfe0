import { css, type CSSResult } from "lit";

export const styles: CSSResult = css`
  :host {
    /* Keeps the button on the baseline of text or buttons next to it, whatever is shown below it. */
    display: inline-flex;
    flex-direction: column;
    align-items: start;
    gap: var(--_gap);
    max-inline-size: 100%;
  }
  /* It takes no space: what hides it is loaded with its texts. */
  .visually-hidden {
    position: absolute;
  }
  /* A narrow row must not break a word, but a long word must not overflow the page. */
  [part="label"] {
    min-inline-size: 0;
    overflow-wrap: break-word;
  }
`;
