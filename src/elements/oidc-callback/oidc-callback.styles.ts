import { css, type CSSResult } from "lit";

export const styles: CSSResult = css`
  :host {
    display: block;
  }
  [part="pending"] {
    display: flex;
    align-items: center;
    gap: var(--_gap);
  }
`;
