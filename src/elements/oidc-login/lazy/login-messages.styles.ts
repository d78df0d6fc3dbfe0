import { css, type CSSResult } from "lit";
import { visuallyHidden } from "../../shared/lazy/visually-hidden.styles.js";

/** For the messages beside the button. */
export const messagesStyles: CSSResult = css`
  ${visuallyHidden}
  .note {
    margin-block-start: var(--_gap);
  }
  a {
    display: inline-block;
    padding-block: 0.25em;
    color: var(--_accent);
  }
`;
