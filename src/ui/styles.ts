import { css, type CSSResult } from "lit";

/**
 * The custom properties, and the appearance of buttons, spinners, and errors. They are the same in
 * every element.
 */
export const sharedStyles: CSSResult = css`
  :host {
    --_accent: var(--oidc-accent-color, light-dark(#1d4fb8, #9dbdff));
    --_on-accent: var(--oidc-on-accent-color, light-dark(#fff, #10192b));
    --_error: var(--oidc-error-color, light-dark(#a3120a, #ffb3ab));
    --_radius: var(--oidc-border-radius, 0.5em);
    --_gap: var(--oidc-gap, 0.5em);
    --_height: var(--auth-control-block-size, 2.75em);
    font-family: var(--auth-font-family);
    /* Some pages set the font size 0, to close the gaps between inline blocks. */
    font-size: max(var(--auth-font-size, 1em), 0.5rem);
    overflow-wrap: anywhere;
  }
  /* Even if the page's rules show the element. */
  :host([hidden]) {
    display: none !important;
  }
  /* An element inside another one has its size already. */
  oidc-login,
  uia-dialog,
  uia-fallback-frame {
    --auth-font-size: initial;
  }
  [part="heading"] {
    font-family: var(--auth-heading-font-family);
    font-weight: var(--auth-heading-font-weight, 700);
  }
  /* Against what pages set for other texts, and a dialog would inherit from a place that it is not seen in. */
  :host,
  dialog {
    white-space: normal;
    word-break: normal;
    line-break: auto;
    hyphens: manual;
    text-indent: 0;
    -webkit-text-fill-color: currentcolor;
    -webkit-text-security: none;
  }
  /* Identifiers and names are shown as they are. */
  [translate="no"] {
    text-transform: none;
  }
  button,
  .button {
    font: inherit;
    /* Some pages set the line height 0, too. */
    line-height: max(1lh, 1.15em);
    font-weight: var(--oidc-button-font-weight, 600);
    letter-spacing: inherit;
    word-spacing: inherit;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: var(--_gap);
    flex: none;
    max-inline-size: 100%;
    min-block-size: var(--_height);
    /* Large text on a small screen needs the room itself. */
    padding: var(--oidc-button-padding, 0.5em min(1.25em, 5vw));
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: var(--_accent);
    color: var(--_on-accent);
    cursor: pointer;
  }
  /* A touch screen would keep the appearance after a tap. Machines without a known pointer might still have one. */
  @media not all and (pointer: coarse) {
    :is(button, .button):hover:not(:disabled, [aria-disabled]) {
      filter: brightness(0.9);
    }
  }
  :focus-visible {
    outline: var(--oidc-focus-ring, 3px solid var(--_accent));
    outline-offset: 2px;
  }
  button:disabled {
    opacity: 0.55;
    cursor: not-allowed;
  }
  button[aria-disabled] {
    cursor: progress;
  }
  [part="spinner"] {
    flex: none;
    box-sizing: border-box;
    inline-size: 1.125em;
    block-size: 1.125em;
    border: 0.15em solid;
    border-top: 0;
    border-radius: 50%;
    animation: spin 0.9s linear infinite;
  }
  /* It follows the label within the button's padding, and takes no room: nothing on the page moves. */
  button [part="spinner"] {
    position: absolute;
    font-size: min(0.7em, 2.5vw);
    margin: calc(0.5lh - 0.5625em) 0.4em;
  }
  @keyframes spin {
    to {
      rotate: 1turn;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    [part="spinner"] {
      animation-duration: 4s;
    }
  }
  /* The system's colors must not make all buttons look the same. Behind texts, it has its own background. */
  @media (forced-colors: active) {
    button,
    .button {
      border: 0.2em solid Highlight;
      background: ButtonFace;
      color: ButtonText;
    }
    button:disabled {
      opacity: 1;
      background: ButtonFace;
      border-color: GrayText;
      color: GrayText;
    }
  }
  /* The rest of the box's styles are loaded with its content. */
  .error:not([hidden]) {
    padding: 0.625em min(0.75em, 3vw);
    border: 1px solid;
    border-radius: min(var(--_radius), 0.75em);
    color: var(--_error);
  }
  :has(.error) + button {
    margin-block-start: var(--_gap);
  }
  /* Lays out a text correctly even if its direction differs from the page's. */
  *,
  ::slotted(*) {
    unicode-bidi: plaintext;
  }
  /* The direction of a block comes from all its text. */
  span {
    unicode-bidi: normal;
  }
  /* It starts where the other texts do. */
  ::slotted(*) {
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
`;

/** The panel around an element. */
export const panelStyles: CSSResult = css`
  .panel {
    display: grid;
    gap: calc(var(--_gap) * 2);
    /* A long word must not make the column wider than the page. */
    grid-template-columns: minmax(0, 1fr);
    box-sizing: border-box;
    margin-inline: auto;
    padding: var(--oidc-panel-padding, min(1.75em, 6vw));
    border: var(--oidc-panel-border, 1px solid light-dark(#d5d9e2, #3b414d));
    /* If the page makes buttons pill-shaped, the panel must not get the same radius. */
    border-radius: var(--auth-panel-border-radius, min(var(--_radius) * 2, 1.5em));
    background: var(--oidc-panel-background, light-dark(#fff, #1d2129));
    color: var(--oidc-panel-color, light-dark(#1b1f27, #e9ecf2));
    box-shadow: var(--oidc-panel-shadow, 0 0.25em 1.5em rgb(0 0 0 / 0.08));
    line-height: 1.45;
  }
  h2 {
    margin: 0;
    font-size: 1.375em;
    line-height: 1.25;
  }
  /* The panel has its own gaps. */
  ::slotted(*) {
    margin-block: 0;
  }
`;

/** Adds styles to a document or a shadow tree, once. */
export function adoptStyles(root: Node | null, { styleSheet }: CSSResult): void {
  // A server has no style sheets.
  if (!styleSheet || !(root instanceof Document || root instanceof ShadowRoot)) return;
  // Another document doesn't accept this document's style sheets.
  if ((root.ownerDocument ?? root) !== document) return;
  if (!root.adoptedStyleSheets.includes(styleSheet)) root.adoptedStyleSheets.push(styleSheet);
}
