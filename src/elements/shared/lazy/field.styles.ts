import { css, type CSSResult } from "lit";
import { errorBoxLook } from "./error-box.styles.js";

/** The minifier leaves a template with expressions as it is: this one has none. */
const fields = css`
  .uia-fields.uia-fields {
    display: grid;
    gap: 0.375em;
    margin: 0;
    font: inherit;
    color: inherit;
    /* What the page does to all of its controls: some hide every checkbox, and draw another beside it. */
    [type="checkbox"],
    :where(input, select, label, button),
    :where(input, select, label, button)::before,
    :where(input, select, label, button)::after {
      all: revert;
    }
    label {
      display: block;
      margin: 0;
      padding: 0;
      font: inherit;
      font-weight: 600;
      color: inherit;
      unicode-bidi: plaintext;
    }
    :where(input:not([type="checkbox"], [type="submit"]), select) {
      box-sizing: border-box;
      inline-size: 100%;
      min-block-size: 2.75em;
      margin: 0 0 0.625em;
      padding: var(--uia-field-padding, 0.5em 0.75em);
      font: inherit;
      color: var(--uia-field-color, FieldText);
      background: var(--uia-field-background, light-dark(Field, rgb(255 255 255 / 0.06)));
      border: var(--uia-field-border, 1px solid var(--_line));
      border-radius: var(--_radius);
      text-overflow: ellipsis;
      /* In a small window the button below comes into view with the focused field. */
      scroll-margin-block: 2em 4.5em;
    }
    [readonly] {
      background: transparent;
      color: inherit;
      border-style: dashed;
    }
    .uia-password {
      position: relative;
      margin: 0 0 0.625em;
    }
    :where(.uia-password) > input {
      margin: 0;
      padding-right: max(2em, 44px);
    }
    /* Edge has a button of its own, for some of the time. */
    ::-ms-reveal {
      display: none;
    }
    :where(.uia-password) > button {
      all: unset;
      box-sizing: border-box;
      position: absolute;
      inset: 0 0 0 auto;
      inline-size: max(2em, 44px);
      display: grid;
      place-content: center;
      border-left: 1px solid transparent;
      border-radius: 0 var(--_radius) var(--_radius) 0;
      color: var(--uia-field-color, FieldText);
      cursor: pointer;
    }
    :where(.uia-password) svg {
      inline-size: 1.25em;
      block-size: 1.25em;
      fill: none;
      stroke: currentcolor;
      stroke-width: 1.75;
      stroke-linecap: round;
      opacity: 0.75;
    }
    button:hover > svg {
      opacity: 1;
    }
    [aria-pressed="false"] path:last-child {
      display: none;
    }
    :focus-visible {
      outline: var(--oidc-focus-ring, 3px solid var(--_accent));
      outline-offset: 1px;
    }
    [aria-invalid="true"] {
      border: 2px solid var(--_error);
    }
    .choice {
      display: flex;
      align-items: start;
      gap: 0.75em;
      padding-block: 0.375em;
    }
    .choice label {
      font-weight: inherit;
      line-height: 1.4;
    }
    [type="checkbox"] {
      flex: none;
      inline-size: 1.5em;
      block-size: 1.5em;
      margin: 0;
      font: inherit;
      accent-color: var(--_accent);
    }
    /* A captcha has a width of its own. */
    .uia-captcha {
      overflow: auto;
    }
    a {
      color: var(--_accent);
    }
    .error {
      /* Nearer to its field than to the next. */
      margin: -0.375em 0 0.625em;
      scroll-margin-block: 1em;
      unicode-bidi: plaintext;
    }
    :is(.uia-visually-hidden, [type="submit"]) {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      min-block-size: 0;
      margin: 0;
      padding: 0;
      border: 0;
      overflow: hidden;
      clip-path: inset(50%);
      white-space: nowrap;
    }
  }
`;

/**
 * For light DOM. The doubled class overrides pages' styles for every input and label; the specificity goes
 * no higher, so that pages can still style these fields.
 */
export const fieldStyles: CSSResult = css`
  ${fields}
  .uia-fields.uia-fields .error {
    ${errorBoxLook}
  }
`;
