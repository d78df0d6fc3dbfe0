import { html, nothing, type TemplateResult } from "lit";
import { addStyles } from "../shared/add-styles.js";
import { errorText } from "../shared/error-text.js";
import { saidStyles } from "../shared/said.styles.js";
import type { OidcLoginElement } from "./oidc-login.js";

/** What is said beside the button: that it is busy, and what went wrong. */
export function renderNotes(login: OidcLoginElement, busy: boolean): TemplateResult {
  addStyles(login, saidStyles);
  // Not in the parameter, which the declarations show: `localize` is internal, and not declared there.
  const { error, localize, state } = login;
  const code = error?.code;
  return html`<div class="said" role="status">
      ${busy ? localize.term(state === "preparing" ? "preparing" : "redirecting") : nothing}
    </div>
    <div id="error" class="error" part="error" role="alert" dir="auto" ?hidden=${!code}>
      ${
        code
          ? html`<slot name="error-${code}"
              ><slot name="error">${localize.term(errorText(code))}</slot></slot
            >`
          : nothing
      }
    </div>`;
}
