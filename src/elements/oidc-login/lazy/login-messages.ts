import { html, nothing, type TemplateResult } from "lit";
import type { OidcFlowError } from "../../../core/oidc/errors.js";
import { addStyles } from "../../shared/lazy/add-styles.js";
import { errorKey } from "../../shared/lazy/error-text.js";
import { visuallyHidden } from "../../shared/lazy/visually-hidden.styles.js";
import type { PopupLink } from "./popup-login.js";
import { messagesStyles } from "./login-messages.styles.js";
import type { LoginHost, OidcLoginState } from "../login-host.js";

/** What a user is told about a login. */
export interface LoginMessages {
  readonly state: OidcLoginState;
  readonly busy: boolean;
  /** A link to the provider, if the browser blocked the popup. */
  readonly link: PopupLink | undefined;
  readonly error: OidcFlowError | undefined;
}

/** The messages beside the button: that a popup is open, and what went wrong. */
export function renderMessages(
  host: LoginHost,
  { state, busy, link, error }: LoginMessages,
): TemplateResult {
  addStyles(host, visuallyHidden);
  addStyles(host, messagesStyles);
  const { localize } = host;
  const code = error?.code;
  const blocked = !busy && link;
  const open = blocked ? "uiaFallbackBlocked" : "uiaFallbackOpened";
  return html`<div role="status">
      ${
        state === "waiting"
          ? html`<div class="note" part="text">
              ${localize.term(busy ? "completing" : open)}
              ${blocked ? renderLink(blocked, localize.term("uiaFallbackWindow")) : nothing}
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

const renderLink = ({ href, rel }: PopupLink, text: string): TemplateResult =>
  html`<a part="link" href=${href} target="_blank" rel=${rel}>${text}</a>`;
