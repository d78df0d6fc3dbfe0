import { css, html, nothing, type TemplateResult } from "lit";
import { declinedTexts } from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import type { LoadedPart } from "../../ui/loading.js";
import { controlStyles } from "../../ui/form/content-styles.js";
import { adoptStyles } from "../../ui/styles.js";
import type { OidcLoginElement } from "./oidc-login.js";
import { LoginController, type LoginState } from "./controller.js";
import { loadPopup } from "./target.js";

const texts = partTexts(declinedTexts);

export function create(host: OidcLoginElement): LoadedPart<LoginController> {
  const controller = new LoginController(host);
  return { controller, render: () => renderLogin(controller) };
}

/** The content below the button. */
function renderLogin({ host, errors, state, soughtServer }: LoginController): TemplateResult {
  // The button must not change its size while its code loads, so these styles don't change its
  // font.
  const part = loadPopup.loaded;
  for (const styles of [controlStyles, messagesStyles, ...(part?.popupStyles ?? [])])
    adoptStyles(host.shadowRoot, styles);
  const waiting = state.name === "waiting" ? state : undefined;
  const error = state.name === "error" ? state.error : undefined;
  return html`<div role="status">
      ${waiting && part?.renderPopupNote(host, waiting.popup)} ${renderDeclined(host, state)}
    </div>
    ${waiting && part?.renderPopupCancel(host)} ${errors.render(error, { server: soughtServer })}`;
}

/** A note rather than an error, because the user has declined in the popup. */
function renderDeclined(
  { localize }: OidcLoginElement,
  state: LoginState,
): TemplateResult | typeof nothing {
  if (!("declined" in state)) return nothing;
  const text = texts.term(localize, "errorDenied");
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
  a {
    /* A larger target; its line stays as high as the others. */
    padding-block: 0.25em;
    color: var(--_link);
  }
`;
