import { css, type CSSResult } from "lit";

/** Text for screen readers only. It must not wrap, or some run the words together. */
export const visuallyHidden: CSSResult = css`
  .visually-hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;
