import { css, type CSSResult } from "lit";

export const matrixLoginStyles: CSSResult = css`
  :host {
    display: block;
  }
  /* It only disables its content. */
  fieldset {
    display: contents;
  }
  .form {
    max-inline-size: var(--matrix-login-inline-size, 26em);
  }
  .methods {
    display: grid;
    gap: calc(var(--_gap) * 2);
    grid-template-columns: minmax(0, 1fr);
  }
  .methods:not(:has(*)) {
    display: none;
  }
  .field {
    display: grid;
    gap: 0.375em;
  }
  .label,
  [part="server-name"] {
    font-weight: 600;
  }
  .field > button,
  .field > .links {
    margin-block-start: 0.625em;
  }
  .hint {
    margin: 0;
    opacity: 0.8;
    font-size: 0.9375em;
  }
  .suggestions,
  .hint + [role="alert"] > .error {
    margin-block-start: 0.25em;
  }
  .suggestions {
    display: flex;
    flex-wrap: wrap;
    gap: var(--_gap);
  }
  .suggestions > button {
    min-block-size: min(2.25em, var(--_height));
    padding: 0.25em min(0.75em, 3vw);
    border-radius: 1.5em;
    font-weight: inherit;
  }
  .chosen {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    column-gap: 1em;
    box-sizing: border-box;
    min-block-size: var(--_height);
    padding: 0.25em 0.75em;
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: color-mix(in srgb, currentcolor 6%, transparent);
  }
  /* A name from left to right begins where the page's texts do. */
  .server-name.server-name {
    unicode-bidi: normal;
    font-weight: inherit;
  }
  .field > .uia-fields.uia-fields > input {
    margin: 0;
  }
  .field input:disabled {
    opacity: 0.55;
  }
  oidc-login {
    display: flex;
    align-items: stretch;
  }
  oidc-login::part(cancel) {
    align-self: stretch;
  }
  uia-dialog {
    display: contents;
  }
  .links > oidc-login {
    align-items: start;
  }
  .links {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: var(--_gap) calc(var(--_gap) * 3);
  }
  .link:not(oidc-login),
  .link::part(button) {
    min-block-size: min(2em, var(--_height));
    padding: 0.25em 0;
    border: 0;
    justify-self: start;
    text-align: start;
    background: none;
    color: var(--_link);
    font-weight: inherit;
    text-decoration: underline;
  }
  @media not all and (pointer: coarse) {
    .link:hover:not(:disabled),
    .link::part(button):hover {
      text-decoration-thickness: 0.15em;
    }
  }
  [part="logo"] {
    max-inline-size: 100%;
    max-block-size: 3.5em;
  }
  [part="initial"] {
    inline-size: 1.75em;
    block-size: 1.75em;
    margin-block: -0.25em;
    font-size: 0.875em;
  }
  /* In a narrow column, a word needs the room itself. */
  [part="provider"],
  [part="submit"] {
    padding: var(--oidc-button-padding, 0.5em min(1.25em, 6%));
  }
  /* The icons are at the start, below each other. */
  [part="provider"] > span:last-child {
    flex: 1;
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
    border-block-start: var(
      --auth-separator,
      1px solid color-mix(in srgb, currentcolor 25%, transparent)
    );
  }
  .busy {
    display: flex;
    align-items: center;
    gap: var(--_gap);
  }
  .warning {
    margin: 0;
    padding-inline-start: 0.75em;
    border-inline-start: 0.2em solid var(--_error);
  }
`;

/**
 * For pages without a style sheet. These rules have no specificity, so any rule of the page has
 * precedence.
 */
export const blankPageStyles: CSSResult = css`
  :where(:root:not(:has(meta[name="color-scheme"]))) {
    color-scheme: light dark;
  }
  /* The element is in the middle if nothing is before it. Password managers add elements after it. */
  :where(body > matrix-login:not(:not(script, style, link, template, noscript) ~ *)) {
    align-content: safe center;
    min-block-size: calc(100dvh - 16px);
  }
`;
