import { css, type CSSResult } from "lit";

/**
 * For what is there for screen readers alone. Its words stand in one line, or some read them as one.
 * The dialog has its own: what two chunks share would be loaded before the first paint.
 */
export const saidStyles: CSSResult = css`
  .said {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;
