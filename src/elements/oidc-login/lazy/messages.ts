import { css, type CSSResult, html, nothing, type TemplateResult } from "lit";
import type { OidcFlowError } from "../../../core/oauth/errors.js";
import {
  errorSentence,
  LOGIN_ERRORS,
  lookUpContext,
  OAUTH_ERRORS,
  REQUEST_ERRORS,
} from "../../../sign-in/lazy/error-text.js";
import { type Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import { addStyles, errorBox, visuallyHidden } from "../../../ui/lazy/styles.js";
import type { PopupLink } from "./popup-login.js";
import type { LoginHost, OidcLoginState } from "./settings.js";

const ERRORS = { ...REQUEST_ERRORS, ...OAUTH_ERRORS, ...LOGIN_ERRORS };

export interface LoginMessages {
  readonly state: OidcLoginState;
  readonly busy: boolean;
  readonly link: PopupLink | undefined;
  readonly shownError: OidcFlowError | undefined;
  readonly soughtServer: string | undefined;
  readonly refused: boolean;
  readonly countdown: Countdown;
  cancel(): void;
}

export function renderMessages(host: LoginHost, login: LoginMessages): TemplateResult {
  const { state, busy, link, shownError: error, soughtServer, refused, countdown } = login;
  addStyles(host, visuallyHidden);
  addStyles(host, errorBox);
  addStyles(host, messagesStyles);
  const { localize } = host;
  const code = error?.code;
  const blocked = !busy && link;
  const open = blocked ? "popupBlocked" : "popupOpened";
  return html`<div role="status">
      ${
        state === "waiting"
          ? html`<div class="note" part="text">
              ${localize.term(busy ? "completing" : open)}
              ${blocked ? renderLink(blocked, localize.term("popupLink")) : nothing}
            </div>`
          : nothing
      }
      ${refused ? html`<div class="note" part="text">${localize.term("errorDenied")}</div>` : nothing}
    </div>
    ${
      state === "waiting"
        ? html`<button part="cancel" type="button" @click=${() => login.cancel()}>
            ${localize.term("cancel")}
          </button>`
        : nothing
    }
    <div id="error" class="error" part="error" role="alert" dir="auto" ?hidden=${!code}>
      ${
        error
          ? html`<slot name="error-${code}"
              ><slot name="error"
                >${renderSentence(countdown, localize, error, errorSentence(localize, error.code, lookUpContext(ERRORS, soughtServer)))}</slot
              ></slot
            >`
          : nothing
      }
    </div>`;
}

const renderLink = ({ href, rel }: PopupLink, text: string): TemplateResult =>
  html`<a part="link" href=${href} target="_blank" rel=${rel}>${text}</a>`;

export const messagesStyles: CSSResult = css`
  /* Announces later; until then it takes no room. */
  [role="status"]:not(:has(*)) {
    position: absolute;
  }
  .note {
    margin-block-start: var(--_gap);
    line-height: 1.45;
  }
  [part="cancel"] {
    align-self: start;
    background: none;
    border-color: color-mix(in srgb, currentcolor 55%, transparent);
    color: inherit;
  }
  a {
    /* A larger target; its line stays as high as the others. */
    padding-block: 0.25em;
    color: var(--_accent);
  }
`;
