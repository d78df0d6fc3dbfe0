import { html, nothing, type TemplateResult } from "lit";
import { addStyles } from "../shared/add-styles.js";
import { errorText } from "../shared/error-text.js";
import { saidStyles } from "../shared/said.styles.js";
import type { OidcLoginElement } from "./oidc-login.js";

/** What went wrong. */
export function renderNotes(element: OidcLoginElement): TemplateResult {
  addStyles(element, saidStyles);
  const { error, localize } = element;
  const code = error?.code;
  return html`<div id="error" class="error" part="error" role="alert" dir="auto" ?hidden=${!code}>
    ${
      code
        ? html`<slot name="error-${code}"
            ><slot name="error">${localize.term(errorText(code))}</slot></slot
          >`
        : nothing
    }
  </div>`;
}
