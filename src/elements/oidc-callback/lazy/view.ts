import { css, html, nothing, type TemplateResult } from "lit";
import { ErrorView } from "../../../errors/lazy/error-view.js";
import { completionTexts } from "../../../sign-in/lazy/login-completion.js";
import { fieldTexts, matrixLoginTexts, oauthTexts, requestTexts } from "../../../texts/english.js";
import { partTexts } from "../../../texts/part-texts.js";
import { renderRetry } from "../../../ui/error-box.js";
import { focusedElement } from "../../../ui/focus.js";
import type { LoadedPart } from "../../../ui/lazy.js";
import {
  addStyles,
  buttonStyles,
  doneStyles,
  errorBox,
  visuallyHidden,
} from "../../../ui/lazy/styles.js";
import type { OidcCallbackElement } from "../oidc-callback.js";
import { renderPanel, renderPending } from "../panel.js";
import { CallbackController } from "./controller.js";

const texts = partTexts(requestTexts, oauthTexts, completionTexts, {
  continue: fieldTexts.continue,
  errorNoMethods: matrixLoginTexts.errorNoMethods,
});

type Errors = ErrorView<"request" | "oauth" | "completion" | "session" | "legacy" | "matrix">;

export function createCallback(host: OidcCallbackElement): LoadedPart<CallbackController> {
  const errors: Errors = new ErrorView(host, texts);
  const controller = new CallbackController(host, errors);
  return { controller, render: () => renderCallback(host, controller, errors) };
}

function renderCallback(
  host: OidcCallbackElement,
  controller: CallbackController,
  errors: Errors,
): TemplateResult | typeof nothing {
  const { error, state } = controller;
  if (state === "idle") return nothing;
  const { localize } = host;
  addStyles(host, visuallyHidden, errorBox, doneStyles, buttonStyles, callbackStyles);
  // The user's own decision isn't shown as a failure.
  const alert = errors.render(error, { isPlain: error?.code === "access_denied" });
  if (state === "pending") return renderPending(localize, alert);
  const actions = renderActions(host, controller);
  if (state === "error") return renderPanel(localize, { alert, actions });
  const done = texts.term(localize, "signedIn");
  const status = html`<slot name="success"><div part="success" class="done">${done}</div></slot>`;
  return renderPanel(localize, { heading: nothing, status, alert, actions });
}

function renderActions(
  host: OidcCallbackElement,
  controller: CallbackController,
): TemplateResult | typeof nothing {
  const { localize } = host;
  const { canRetry, continueUrl, state } = controller;
  if (!canRetry && continueUrl === undefined) return nothing;
  const retry = (): unknown => retryWithFocus(host, controller);
  const kind = canRetry ? "button secondary" : "button";
  const { part, text } =
    state === "error"
      ? ({ part: "start-again", text: "startAgain" } as const)
      : ({ part: "continue", text: "continue" } as const);
  const link = html`<a part=${part} class=${kind} href=${continueUrl}
    >${texts.term(localize, text)}</a
  >`;
  return html`<div class="actions">
    ${canRetry ? renderRetry(host, retry) : nothing} ${continueUrl === undefined ? nothing : link}
  </div>`;
}

/** The pressed button disappears, so focus moves to the status, then to the next action. */
async function retryWithFocus(
  host: OidcCallbackElement,
  controller: CallbackController,
): Promise<void> {
  const focus = async (selector: string): Promise<void> => {
    await host.updateComplete;
    host.shadowRoot?.querySelector<HTMLElement>(selector)?.focus();
  };
  const settled = controller.retry();
  await focus("[role=status]");
  await settled;
  const isStillThere = focusedElement(host.renderRoot)?.role === "status";
  if (controller.error && isStillThere) await focus(".actions > *");
}

const callbackStyles = css`
  .actions {
    display: grid;
    gap: var(--_gap);
  }
`;
