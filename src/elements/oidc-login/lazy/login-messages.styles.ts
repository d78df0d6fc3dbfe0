import { css, type CSSResult } from "lit";

/** For the messages beside the button. */
export const messagesStyles: CSSResult = css`
  /* Announces later; until then it takes no room. */
  [role="status"]:not(:has(*)) {
    position: absolute;
  }
  .note {
    margin-block-start: var(--_gap);
    line-height: 1.45;
  }
  [part="cancel"] {
    align-self: start;
    background: none;
    border-color: color-mix(in srgb, currentcolor 55%, transparent);
    color: inherit;
  }
  a {
    /* A larger target; its line stays as high as the others. */
    padding-block: 0.25em;
    color: var(--_accent);
  }
`;
