import { css, type CSSResult } from "lit";

/** For the messages beside the button. */
export const messagesStyles: CSSResult = css`
  .note {
    margin-block-start: var(--_gap);
  }
  a {
    display: inline-block;
    padding-block: 0.25em;
    color: var(--_accent);
  }
`;
