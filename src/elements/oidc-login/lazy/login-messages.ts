import { html, nothing, type TemplateResult } from "lit";
import { addStyles } from "../../shared/lazy/add-styles.js";
import { errorKey } from "../../shared/lazy/error-text.js";
import { notesStyles } from "./login-messages.styles.js";
import type { LoginController } from "./login-controller.js";
import type { OidcLoginElement } from "../oidc-login.js";

/** The messages beside the button: that a popup is open, and what went wrong. */
export function renderNotes(
  element: OidcLoginElement,
  { blockedUrl, busy, state }: LoginController,
): TemplateResult {
  addStyles(element, notesStyles);
  // Not destructured in the parameter: the declarations would show `localize`, which is internal.
  const { error, localize } = element;
  const code = error?.code;
  const link = !busy && blockedUrl;
  const open = link ? "uiaFallbackBlocked" : "uiaFallbackOpened";
  return html`<div role="status">
      ${
        state === "waiting"
          ? html`<div class="note" part="text">
              ${localize.term(busy ? "completing" : open)}
              ${link ? renderLink(link, localize.term("uiaFallbackWindow")) : nothing}
            </div>`
          : nothing
      }
    </div>
    <div id="error" class="error" part="error" role="alert" dir="auto" ?hidden=${!code}>
      ${
        code
          ? html`<slot name="error-${code}"
              ><slot name="error">${localize.term(errorKey(code))}</slot></slot
            >`
          : nothing
      }
    </div>`;
}

const renderLink = (url: string, text: string): TemplateResult =>
  // Keeps its opener: in a frame on another site there is no other way to return the response.
  html`<a part="link" href=${url} target="_blank" rel="opener">${text}</a>`;
