import { css, type CSSResult } from "lit";

/** Custom properties and the look of buttons, spinners and errors, the same in every element. */
export const sharedStyles: CSSResult = css`
  :host {
    --_accent: var(--oidc-accent-color, light-dark(#1d4fb8, #9dbdff));
    --_on-accent: var(--oidc-on-accent-color, light-dark(#fff, #10192b));
    --_error: var(--oidc-error-color, light-dark(#a3120a, #ffb3ab));
    --_radius: var(--oidc-border-radius, 0.5em);
    --_gap: var(--oidc-gap, 0.5em);
    overflow-wrap: anywhere;
  }
  :host([hidden]) {
    display: none !important;
  }
  button,
  .button {
    font: inherit;
    font-weight: var(--oidc-button-font-weight, 600);
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: var(--_gap);
    max-inline-size: 100%;
    min-block-size: 2.75em;
    padding: var(--oidc-button-padding, 0.5em 1.25em);
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: var(--_accent);
    color: var(--_on-accent);
    cursor: pointer;
  }
  button:hover:not(:disabled, [aria-disabled]) {
    filter: brightness(0.9);
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
    inline-size: 1em;
    block-size: 1em;
    border: 0.15em solid;
    border-top: 0;
    border-radius: 50%;
    animation: spin 0.9s linear infinite;
  }
  /* It follows the label, and takes no room: nothing on the page moves. */
  button [part="spinner"] {
    position: absolute;
    scale: 0.75;
    margin: calc(0.5lh - 0.65em) 0.1em;
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
  @media (forced-colors: active) {
    button:disabled {
      opacity: 1;
      border-color: GrayText;
      color: GrayText;
    }
  }
  /* The rest of the box's styles are loaded with its content. */
  .error:not([hidden]) {
    padding: 0.625em 0.75em;
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
    padding: var(--oidc-panel-padding, 1.75em);
    border: var(--oidc-panel-border, 1px solid light-dark(#d5d9e2, #3b414d));
    /* If the page makes buttons pill-shaped, the panel must not get the same radius. */
    border-radius: min(var(--_radius) * 2, 1.5em);
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
