import type { CSSResult } from "lit";
import { css } from "../shared/css.js";

export const styles: CSSResult = css`
  :host {
    display: inline-block;
    max-inline-size: 100%;
  }
  .error,
  .note {
    margin-block-start: var(--_gap);
  }
`;
