import { css, type CSSResult } from "lit";

export const styles: CSSResult = css`
  :host {
    display: block;
  }
  .panel {
    max-inline-size: var(--oidc-callback-inline-size, 24em);
  }
  /* What announces something stays in the page while it is empty, but takes no room. */
  [role]:empty {
    position: absolute;
  }
  [part="pending"] {
    display: flex;
    align-items: center;
    gap: var(--_gap);
  }
`;
