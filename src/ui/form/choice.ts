import { css } from "lit";
import { adoptStyles } from "../styles.js";

/**
 * The type of a checkbox, which brings its styles. The checkbox must be inside `.uia-fields`.
 *
 * @param root The tree that shows it.
 */
export function checkbox(root: Node | null): "checkbox" {
  adoptStyles(root, choiceStyles);
  return "checkbox";
}

/** Most forms have no checkbox. */
const choiceStyles = css`
  .uia-fields.uia-fields {
    /* Some pages hide every checkbox and draw their own. */
    :where([type="checkbox"], .choice) {
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
  }
`;
