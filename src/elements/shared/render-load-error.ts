import { html, nothing, type TemplateResult } from "lit";
import type { LocalizeController } from "./localize.js";

/**
 * What an element shows if a part of the library could not be loaded.
 *
 * @param retry For an element without a button of its own.
 */
export const renderLoadError = (
  localize: LocalizeController,
  retry?: () => unknown,
): TemplateResult =>
  html`<div id="error" class="error" part="error" role="alert">
      ${localize.term("errorLoadFailed")}
    </div>
    ${
      retry
        ? html`<button part="retry" type="button" @click=${retry}>
            ${localize.term("tryAgain")}
          </button>`
        : nothing
    }`;
