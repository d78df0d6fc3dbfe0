import { css, type CSSResult } from "lit";

/** Checkboxes with their labels, and captchas, among a form's fields. Most forms have none. */
export const choiceStyles: CSSResult = css`
  .uia-fields.uia-fields {
    /* Some pages hide every checkbox and draw their own. */
    :where([type="checkbox"], .choice, .uia-captcha) {
      all: revert;
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
      display: inline-block !important;
      visibility: visible !important;
      position: static !important;
      appearance: auto !important;
      opacity: 1 !important;
      pointer-events: auto !important;
      flex: none;
      inline-size: 1.5em !important;
      block-size: 1.5em !important;
      margin: 0;
      font: inherit;
      accent-color: var(--_accent);
    }
    /* A captcha has its own width. */
    .uia-captcha {
      overflow: auto;
    }
  }
`;
