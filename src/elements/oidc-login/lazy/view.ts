import { css, html, nothing, type TemplateResult } from "lit";
import { ErrorView } from "../../../errors/lazy/error-view.js";
import { SETUP_ADVICE } from "../../../errors/lazy/explain-error.js";
import { loginTexts, oauthTexts, requestTexts } from "../../../texts/english.js";
import { partTexts } from "../../../texts/part-texts.js";
import type { LoadedPart } from "../../../ui/lazy.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import { adoptStyles, errorBox, visuallyHidden } from "../../../ui/lazy/styles.js";
import type { OidcLoginElement } from "../oidc-login.js";
import { LoginController, type LoginState } from "./controller.js";
import { loadedPopup } from "./target.js";

const texts = partTexts(requestTexts, oauthTexts, loginTexts);

/** The completion of a popup brings the texts of its own errors. */
type Errors = ErrorView<"request" | "oauth" | "login">;

export function createLogin(host: OidcLoginElement): LoadedPart<LoginController> {
  const errors: Errors = new ErrorView(host, texts, SETUP_ADVICE);
  const controller = new LoginController(host, errors);
  return { controller, render: () => renderLogin(host, controller, errors) };
}

/** What is below the button. */
export function renderLogin(
  host: OidcLoginElement,
  { state, soughtServer }: LoginController,
  errors: Errors,
): TemplateResult {
  // The button keeps its size while its code loads, so it keeps its font.
  for (const styles of [visuallyHidden, errorBox, messagesStyles]) {
    adoptStyles(host.shadowRoot, styles);
  }
  const waiting = state.name === "waiting" ? state : undefined;
  const part = loadedPopup();
  const error = state.name === "error" ? state.error : undefined;
  return html`<div role="status">
      ${waiting && part?.renderPopupNote(host, waiting.popup)} ${renderDeclined(host, state)}
    </div>
    ${waiting && part?.renderPopupCancel(host)} ${errors.render(error, { server: soughtServer })}`;
}

/** A note, not an error: the user has declined in the popup. */
function renderDeclined(
  { localize }: OidcLoginElement,
  state: LoginState,
): TemplateResult | typeof nothing {
  if (!("declined" in state) || !state.declined) return nothing;
  const text = withReason(texts.term(localize, "errorDenied"), state.declined.reason);
  return html`<div class="note" part="text">${text}</div>`;
}

const messagesStyles = css`
  /* Announces later; until then it takes no room. */
  [role]:not(:has(*)) {
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
