import { html, nothing, type TemplateResult } from "lit";
import type { OidcFlowError } from "../../../core/oidc/errors.js";
import { addStyles } from "../../shared/lazy/add-styles.js";
import { errorKey } from "../../shared/lazy/error-text.js";
import { messagesStyles } from "./login-messages.styles.js";
import type { LoginHost, OidcLoginState } from "../login-host.js";

/** What a user is told about a login. */
export interface LoginMessages {
  readonly state: OidcLoginState;
  readonly busy: boolean;
  /** The URL for a link, if the browser blocked the popup. */
  readonly blockedUrl: string | undefined;
  readonly error: OidcFlowError | undefined;
}

/** The messages beside the button: that a popup is open, and what went wrong. */
export function renderMessages(
  host: LoginHost,
  { state, busy, blockedUrl, error }: LoginMessages,
): TemplateResult {
  addStyles(host, messagesStyles);
  const { localize } = host;
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
