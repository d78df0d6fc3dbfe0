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
    /* If they do not fit side by side, the last is above the others. */
    flex-wrap: wrap-reverse;
    align-items: center;
    gap: calc(1.5 * var(--_gap));
  }
  button:not(.quiet) {
    min-inline-size: min(8em, 100%);
  }
  [part="host"] {
    /* It is left to right, and begins where the page's texts do. */
    unicode-bidi: normal;
    font-weight: 600;
  }
  /* A window that opens beside this one. */
  [part="host"]::after {
    content: " ↗" / "";
    opacity: 0.7;
  }
  :host(:dir(rtl)) [part="host"]::after {
    content: " ↖" / "";
  }
  [part="link"] {
    display: block;
    inline-size: fit-content;
    padding-block: 0.25em;
    color: var(--_accent);
    margin-block-end: 0.75em;
  }
  /* Beside the page's own buttons. */
  .filled > .quiet {
    margin-inline-end: auto;
  }
  .quiet {
    padding-inline: 0;
    border: 0;
    background: none;
    color: var(--_accent);
    font-weight: inherit;
    text-decoration: underline;
  }
  iframe {
    box-sizing: border-box;
    inline-size: 100%;
    block-size: var(--uia-frame-block-size, 24em);
    margin-block-end: 0.75em;
    border: 1px solid color-mix(in srgb, currentcolor 20%, transparent);
    border-radius: min(var(--_radius), 0.75em);
    background: #fff;
  }
`;
