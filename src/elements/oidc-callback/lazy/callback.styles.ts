import { css, type CSSResult } from "lit";

/** Styles for what the controller shows. */
export const callbackStyles: CSSResult = css`
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_gap) calc(2 * var(--_gap));
    margin-block-start: calc(1.5 * var(--_gap));
  }
  a {
    padding-block: 0.25em;
    color: var(--_accent);
  }
`;
