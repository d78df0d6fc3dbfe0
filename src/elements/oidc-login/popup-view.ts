import { css, type CSSResult, html, nothing, type TemplateResult } from "lit";
import { fieldTexts, popupTexts } from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import { secondaryStyles } from "../../ui/form/buttons.js";
import type { OidcLoginElement } from "./oidc-login.js";
import type { PopupLogin } from "./popup-login.js";

const texts = partTexts(popupTexts, { cancel: fieldTexts.cancel });

export function renderPopupNote(
  host: OidcLoginElement,
  { isCompleting, blockedUrl, isDisowned }: PopupLogin,
): TemplateResult {
  const { localize } = host;
  const text = isCompleting ? "completing" : blockedUrl ? "popupBlocked" : "popupOpened";
  const link = html`<a
    part="link"
    href=${blockedUrl ?? nothing}
    target="_blank"
    rel=${isDisowned ? "noopener" : "opener"}
    >${texts.term(localize, "popupLink")}</a
  >`;
  return html`<div class="note" part="text">
    ${texts.term(localize, text)} ${blockedUrl ? link : nothing}
  </div>`;
}

export function renderPopupCancel(host: OidcLoginElement): TemplateResult {
  return html`<button part="cancel" class="secondary" type="button" @click=${() => host.cancel()}>
    ${texts.term(host.localize, "cancel")}
  </button>`;
}

/** The styles of the button. */
export const popupStyles: readonly CSSResult[] = [
  secondaryStyles,
  css`
    [part="cancel"] {
      align-self: start;
    }
  `,
];
