import { css, type CSSResult } from "lit";

/** The box around an error's text. */
export const errorBoxLook: CSSResult = css`
  & {
    position: relative;
    box-sizing: border-box;
    padding: 0.625em 0.75em;
    padding-inline-start: 2.75em;
    border: 1px solid color-mix(in srgb, var(--_error) 40%, transparent);
    border-radius: min(var(--_radius), 0.75em);
    background: color-mix(in srgb, var(--_error) 9%, transparent);
    color: var(--_error);
    line-height: 1.4;
    text-align: start;
  }
  /* The server's own words. */
  & bdi {
    display: block;
  }
  /* A sign that needs no color; a screen reader need not say it. */
  &::before {
    content: "!" / "";
    position: absolute;
    inset-block-start: 0.625em;
    inset-inline-start: 0.75em;
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

/** The box around errors in a shadow tree. */
export const errorBox: CSSResult = css`
  .error:not([hidden]) {
    ${errorBoxLook}
  }
`;
