import { css, type CSSResult } from "lit";

export const matrixLoginStyles: CSSResult = css`
  :host {
    display: block;
  }
  .form {
    max-inline-size: var(--matrix-login-inline-size, 26em);
  }
  .methods {
    display: grid;
    gap: calc(var(--_gap) * 2);
    grid-template-columns: minmax(0, 1fr);
  }
  /* What announces something stays in the page while nobody can see it, but takes no room. */
  [role]:not(:has(> :not(.visually-hidden))) {
    position: absolute;
  }
  .methods:not(:has(*)) {
    display: none;
  }
  /* It gets the focus from what is gone, so that a screen reader goes on there. */
  [role="status"]:focus {
    outline: none;
  }
  p {
    margin: 0;
  }
  .field {
    display: grid;
    gap: 0.375em;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: var(--_gap);
  }
  .row > button {
    flex: 1 0 auto;
    max-inline-size: 100%;
  }
  label,
  .server-name {
    font-weight: 600;
  }
  /* A name from left to right begins where the page's texts do. */
  .server-name {
    unicode-bidi: normal;
  }
  /* Not the fields of the dialog. It is as wide as the row, unless the button has room beside it. */
  .row > input {
    flex: 99 1 11em;
    box-sizing: border-box;
    inline-size: 100%;
    min-inline-size: 0;
    min-block-size: 2.75em;
    padding: var(--uia-field-padding, 0.5em 0.75em);
    font: inherit;
    color: var(--uia-field-color, FieldText);
    background: var(--uia-field-background, light-dark(Field, rgb(255 255 255 / 0.06)));
    border: var(--uia-field-border, 1px solid var(--_line));
    border-radius: var(--_radius);
  }
  ::placeholder {
    color: inherit;
    opacity: 0.7;
  }
  :disabled {
    opacity: 0.55;
  }
  .row > [aria-invalid] {
    border: 2px solid var(--_error);
  }
  input:focus-visible {
    outline-offset: 1px;
  }
  oidc-login {
    display: flex;
    align-items: stretch;
  }
  oidc-login::part(cancel) {
    align-self: stretch;
  }
  /* What the first one announces is below its button, and empty as a rule. */
  oidc-login + oidc-login {
    margin-block-start: calc(var(--_gap) * -1);
  }
  uia-dialog {
    display: contents;
  }
  .secondary,
  .secondary::part(button) {
    background: none;
    color: inherit;
    border-color: var(--_line);
  }
  .links {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: var(--_gap) calc(var(--_gap) * 3);
  }
  .link {
    min-block-size: 2em;
    padding: 0.25em 0;
    border: 0;
    justify-self: start;
    text-align: start;
    background: none;
    color: var(--_accent);
    font-weight: inherit;
    text-decoration: underline;
  }
  .link:hover:not(:disabled) {
    text-decoration-thickness: 0.15em;
  }
  [part="retry"] {
    justify-self: start;
  }
  .divider {
    display: flex;
    align-items: center;
    gap: 1em;
  }
  .divider::before,
  .divider::after {
    content: "";
    flex: 1;
    border-block-start: 1px solid color-mix(in srgb, currentcolor 25%, transparent);
  }
  .busy {
    display: flex;
    align-items: center;
    gap: var(--_gap);
  }
  .warning {
    padding-inline-start: 0.75em;
    border-inline-start: 0.2em solid var(--_error);
  }
`;
