import { html, nothing, type TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session-context.js";
import { readFailure } from "../../../core/uia/challenge.js";
import type { LocalizeController } from "../../shared/localize.js";
import { languagesOf } from "./format-text.js";
import { errorText, waitText, type StageError } from "./stage-error.js";
import type { SecondaryAction } from "./stages/stage-view.js";

export function renderProgress(
  localize: LocalizeController,
  { step, steps }: UiaSession,
): TemplateResult {
  const languages = languagesOf(localize, "uiaStep");
  const text = localize
    .term("uiaStep")
    .replace("{step}", step.toLocaleString(languages))
    .replace("{steps}", steps.toLocaleString(languages));
  return html`<p id="progress" part="progress" role="status">${text}</p>`;
}

/** Why a server could not be reached. */
export const renderFailure = (localize: LocalizeController, failure: unknown): TemplateResult =>
  html`<p part="error" class="error">
    ${localize.term(readFailure(failure).status === undefined ? "uiaNetwork" : "uiaServer")}
  </p>`;

/** @param error One that belongs to no field. */
export function renderMessage(
  localize: LocalizeController,
  { status, unfinished }: UiaSession,
  error: StageError | undefined,
): TemplateResult | typeof nothing {
  if (status.retryAfterMs !== undefined) {
    return html`<p part="notice">${waitText(localize, status.retryAfterMs)}</p>`;
  }
  if (error) {
    return html`<p part="error" class="error">
      <slot name="error-${error.code ?? status.errcode}"
        ><slot name="error">${errorText(localize, error)}</slot></slot
      >
    </p>`;
  }
  const notice = unfinished ? "uiaUnfinished" : status.restarted ? "uiaRestarted" : undefined;
  return notice ? html`<p part="notice">${localize.term(notice)}</p>` : nothing;
}

export function renderSecondaryActions(
  actions: readonly SecondaryAction[] | undefined,
): TemplateResult | typeof nothing {
  if (!actions) return nothing;
  return html`<div class="secondary">
    ${actions.map(
      ({ label, onClick, disabled = false }) =>
        html`<button
          part="other"
          type="button"
          aria-disabled=${disabled ? "true" : nothing}
          @click=${disabled ? nothing : onClick}
        >
          ${label}
        </button>`,
    )}
  </div>`;
}
