import { html, nothing, type TemplateResult } from "lit";
import type { Texts } from "../../locales/translation.js";
import { addStyles } from "../shared/add-styles.js";
import { errorText } from "../shared/error-text.js";
import { notesStyles } from "./login-notes.styles.js";
import type { OidcLoginElement, OidcLoginState } from "./oidc-login.js";

/** What is said while the button is busy. */
const BUSY: Partial<Record<OidcLoginState, keyof Texts>> = {
  ready: "redirecting",
  preparing: "preparing",
  redirecting: "redirecting",
  waiting: "completing",
};

/**
 * What is said beside the button: that it is busy, that a window is open, and what went wrong.
 *
 * @param blockedUrl Where a link leads to, if the browser did not let the window open.
 */
export function renderNotes(
  login: OidcLoginElement,
  busy: boolean,
  blockedUrl: string | undefined,
): TemplateResult {
  addStyles(login, notesStyles);
  // Not in the parameter, which the declarations show: `localize` is internal, and not declared there.
  const { error, localize, state } = login;
  const code = error?.code;
  const said = busy && BUSY[state];
  return html`<div class="said" role="status">${said ? localize.term(said) : nothing}</div>
    <div role="status">
      ${
        state === "waiting" && !busy
          ? html`<div class="note" part="text">
              ${localize.term(blockedUrl ? "uiaFallbackBlocked" : "uiaFallbackOpened")}
              ${blockedUrl ? renderLink(blockedUrl, localize.term("uiaFallbackWindow")) : nothing}
            </div>`
          : nothing
      }
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

const renderLink = (url: string, text: string): TemplateResult =>
  // With its opener: in a frame of another site there is no other way back.
  html`<a part="link" href=${url} target="_blank" rel="opener">${text}</a>`;
