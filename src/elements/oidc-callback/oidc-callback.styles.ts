import type { CSSResult } from "lit";
import { css } from "../shared/css.js";

export const styles: CSSResult = css`
  :host {
    display: block;
  }
  .view,
  .ways {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_gap);
  }
  .ways {
    gap: calc(2 * var(--_gap));
    margin-block-start: calc(1.5 * var(--_gap));
  }
`;
