import { html, nothing, type TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session.js";
import { readFailure } from "../../../core/uia/failure.js";
import type { LocalizeController } from "../../shared/localize.js";
import type { AuthenticateOptions, DialogHost } from "../dialog-host.js";
import { type Countdown, waitText } from "../../shared/lazy/countdown.js";
import { languagesOf } from "../../shared/lazy/format-text.js";
import { errorText, type StageError } from "./stage-error.js";
import type { SecondaryAction } from "./stages/stage-view.js";

/** What the dialog is about. What the call says replaces what the page says, in its slots too. */
export const renderHead = (
  { heading, localize }: DialogHost,
  { call, userId }: { readonly call: AuthenticateOptions; readonly userId: string | undefined },
  session: Pick<UiaSession, "step" | "steps">,
): TemplateResult =>
  html`${session.steps > 1 ? renderProgress(localize, session) : nothing}
    <h2 id="heading" part="heading" tabindex="-1">
      ${call.heading || html`<slot name="heading">${heading || localize.term("uiaHeading")}</slot>`}
    </h2>
    <div id="description" part="description">
      ${
        call.description ? html`<p>${call.description}</p>` : html`<slot name="description"></slot>`
      }
    </div>
    ${userId ? renderUser(userId) : nothing}`;

/** Whether the page says what this is about. */
export const isDescribed = (host: Element, { description }: AuthenticateOptions): boolean =>
  !!description ||
  Array.from(host.children).some(
    ({ slot, textContent }) => slot === "description" && textContent.trim(),
  );

const renderUser = (userId: string): TemplateResult =>
  html`<div part="user">
    <span part="initial" data-initial=${initialOf(userId)}></span><bdi dir="ltr">${userId}</bdi>
  </div>`;

/** Of the name in a user ID. */
const initialOf = (userId: string): string =>
  String.fromCodePoint(userId.codePointAt(1) ?? 0x20).toLocaleUpperCase();

function renderProgress(
  localize: LocalizeController,
  { step, steps }: Pick<UiaSession, "step" | "steps">,
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
  { status, unfinished }: Pick<UiaSession, "status" | "unfinished">,
  error: StageError | undefined,
  countdown: Countdown,
): TemplateResult | typeof nothing {
  const { retryAfterMs } = status;
  if (retryAfterMs !== undefined) {
    const text = waitText(localize, countdown.left(status, retryAfterMs));
    // A screen reader is told once, not each second.
    return html`<p part="notice" aria-hidden="true">${text}</p>`;
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
  actions: readonly SecondaryAction[],
): TemplateResult | typeof nothing {
  if (actions.length === 0) return nothing;
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
