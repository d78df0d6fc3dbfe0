import { css, html, nothing, type TemplateResult } from "lit";
import type { OidcFlowError } from "../../../core/index.js";
import { loginTexts, oauthTexts, requestTexts } from "../../../locales/en.js";
import {
  errorSentence,
  LOGIN_ERRORS,
  insertServer,
  lookUpContext,
  OAUTH_ERRORS,
  REQUEST_ERRORS,
} from "../../../sign-in/lazy/error-text.js";
import { addTexts } from "../../../texts/texts.js";
import { type Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import { adoptStyles, errorBox, visuallyHidden } from "../../../ui/lazy/styles.js";
import type { OidcLoginElement } from "../oidc-login.js";
import type { LoginController, LoginState } from "./controller.js";
import { loadedPopup } from "./target.js";

addTexts({ $code: "en", ...requestTexts, ...oauthTexts, ...loginTexts });

const OIDC_LOGIN_ERRORS = { ...REQUEST_ERRORS, ...OAUTH_ERRORS, ...LOGIN_ERRORS };

/** What is below the button. */
export function renderLogin(
  host: OidcLoginElement,
  { state, soughtServer }: LoginController,
  countdown: Countdown,
): TemplateResult {
  // The button keeps its size while its code loads, so it keeps its font.
  for (const styles of [visuallyHidden, errorBox, messagesStyles]) {
    adoptStyles(host.shadowRoot, styles);
  }
  const waiting = state.name === "waiting" ? state : undefined;
  const part = loadedPopup();
  const error = state.name === "error" && !state.isShownByPage ? state.error : undefined;
  return html`<div role="status">
      ${waiting && part?.renderPopupNote(host, waiting.popup)} ${renderDeclined(host, state)}
    </div>
    ${waiting && part?.renderPopupCancel(host)}
    <div id="error" class="error" part="error" role="alert" dir="auto" ?hidden=${!error}>
      ${error ? renderError(host, error, soughtServer, countdown) : nothing}
    </div>`;
}

/** The user has declined in the popup, which is no error. */
function renderDeclined(
  { localize }: OidcLoginElement,
  state: LoginState,
): TemplateResult | typeof nothing {
  if (!("declined" in state) || !state.declined) return nothing;
  const text = withReason(localize.term("errorDenied"), state.declined.reason);
  return html`<div class="note" part="text">${text}</div>`;
}

function renderError(
  { localize }: OidcLoginElement,
  error: OidcFlowError,
  server: string | undefined,
  countdown: Countdown,
): TemplateResult {
  const context = lookUpContext(OIDC_LOGIN_ERRORS, server);
  const sentence = insertServer(errorSentence(localize, error.code, context), server);
  return html`<slot name="error-${error.code}"
    ><slot name="error">${renderSentence(countdown, localize, error, sentence)}</slot></slot
  >`;
}

const messagesStyles = css`
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
