import { css, type CSSResult } from "lit";

export const frameStyles: CSSResult = css`
  :host {
    display: block;
  }
  p {
    margin-block: 0 0.75em;
    line-height: 1.45;
  }
  p:empty {
    margin: 0;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: calc(1.5 * var(--_gap));
  }
  [part="link"] {
    display: inline-block;
    padding-block: 0.25em;
    color: var(--_accent);
    margin-block-end: 0.75em;
  }
  .quiet {
    background: none;
    color: inherit;
    border-color: color-mix(in srgb, currentcolor 55%, transparent);
  }
  iframe {
    box-sizing: border-box;
    inline-size: 100%;
    block-size: var(--uia-frame-block-size, 24em);
    margin-block-end: 0.75em;
    border: 1px solid color-mix(in srgb, currentcolor 20%, transparent);
    border-radius: var(--_radius);
    background: #fff;
  }
`;
