import { css, type CSSResult } from "lit";

/** The box around an error, with a sign that needs no color. */
export const errorBox: CSSResult = css`
  .error:not([hidden]) {
    --_tint: color-mix(in srgb, var(--_error) 9%, transparent);
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0.625em;
    box-sizing: border-box;
    padding: 0.625em 0.75em;
    border: 1px solid color-mix(in srgb, var(--_error) 40%, transparent);
    border-radius: min(var(--_radius), 0.75em);
    background: var(--_tint);
    line-height: 1.4;
    text-align: start;
  }
  .error::before {
    /* A screen reader need not say it. */
    content: "!" / "";
    box-sizing: border-box;
    inline-size: 1.4em;
    block-size: 1.4em;
    border: 0.125em solid;
    border-radius: 50%;
    font-weight: 700;
    line-height: 1.15;
    text-align: center;
  }
`;
