import { css, type CSSResult } from "lit";

/**
 * For the messages beside the button. Text for screen readers only must not wrap, or some run the words
 * together.
 */
export const messagesStyles: CSSResult = css`
  .visually-hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .note {
    margin-block-start: var(--_gap);
  }
  a {
    display: inline-block;
    padding-block: 0.25em;
    color: var(--_accent);
  }
`;
