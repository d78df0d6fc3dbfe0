import { css, type CSSResult } from "lit";

/** Styles for what the controller shows. */
export const callbackStyles: CSSResult = css`
  [role="status"]:focus {
    outline: none;
  }
  .actions {
    display: grid;
    gap: var(--_gap);
  }
  .button {
    display: flex;
    align-items: center;
    justify-content: center;
    box-sizing: border-box;
    min-block-size: 2.75em;
    padding: var(--oidc-button-padding, 0.5em 1.25em);
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: var(--_accent);
    color: var(--_on-accent);
    font-weight: var(--oidc-button-font-weight, 600);
    text-align: center;
    text-decoration: none;
  }
  .button:hover {
    filter: brightness(0.9);
  }
  .secondary {
    background: none;
    border-color: var(--_line);
    color: inherit;
  }
`;
