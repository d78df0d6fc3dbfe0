import { css, type CSSResult } from "lit";

/** A success message, with a check mark. */
export const doneStyles: CSSResult = css`
  .done {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0.625em;
    align-items: start;
  }
  .done::before {
    content: "✓" / "";
    box-sizing: border-box;
    inline-size: 1.4em;
    block-size: 1.4em;
    border: 0.125em solid var(--_accent);
    border-radius: 50%;
    color: var(--_accent);
    font-weight: 700;
    line-height: 1.15;
    text-align: center;
  }
  /* What is painted behind texts would cover the ring. */
  @media (forced-colors: active) {
    .done::before {
      forced-color-adjust: none;
      border-color: CanvasText;
      color: CanvasText;
    }
  }
`;
