import { css, type CSSResult } from "lit";

export const styles: CSSResult = css`
  :host {
    display: inline-block;
    max-inline-size: 100%;
  }
  .error {
    margin-block-start: var(--_gap);
  }
`;
