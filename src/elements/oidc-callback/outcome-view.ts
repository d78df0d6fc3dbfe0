import { css, html, nothing, type TemplateResult } from "lit";
import { callbackTexts, completionTexts, fieldTexts } from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import { renderRetry } from "../../ui/error-box.js";
import { focusedElement } from "../../ui/focus.js";
import { contentStyles, controlStyles } from "../../ui/form/content-styles.js";
import { secondaryStyles } from "../../ui/form/buttons.js";
import { addStyles } from "../../ui/form/styles.js";
import type { OidcCallbackElement } from "./oidc-callback.js";
import { renderPanel } from "./panel.js";
import type { CallbackController } from "./controller.js";

const texts = partTexts(completionTexts, callbackTexts, { continue: fieldTexts.continue });

/** The content after the sign-in has succeeded or failed. */
export function renderOutcome(controller: CallbackController): TemplateResult {
  const { host, errors, error, publicState: state } = controller;
  const { localize } = host;
  addStyles(host, controlStyles, secondaryStyles, contentStyles, callbackStyles);
  const key = headingOf(controller);
  const details = key === "signIn" ? undefined : detailsOf(controller);
  // The user's own decision isn't shown as a failure.
  const alert = errors.render(error, { isPlain: error?.code === "access_denied", details });
  const actions = renderActions(controller);
  const heading = html`<h2 part="heading">${texts.term(localize, key)}</h2>`;
  if (state === "error") return renderPanel(localize, { heading, alert, actions });
  const done = texts.term(localize, "signedIn");
  const status = html`<slot name="success"><div part="success" class="done">${done}</div></slot>`;
  return renderPanel(localize, { heading: nothing, status, alert, actions });
}

/**
 * The headings for errors that aren't failures, and for errors after which the user must start
 * over.
 */
const HEADINGS: ReadonlyMap<string, "signIn" | "signInExpired"> = new Map([
  ["access_denied", "signIn"],
  ["flow_unknown", "signIn"],
  ["flow_expired", "signInExpired"],
  ["flow_invalid", "signInExpired"],
  ["code_rejected", "signInExpired"],
  ["login_token_refused", "signInExpired"],
]);

function headingOf({ error, canRetry }: CallbackController) {
  if (!error) return "signIn";
  return HEADINGS.get(error.code) ?? (canRetry ? "signInIncomplete" : "signInFailed");
}

/** Details that the user can report: the server's name and the error. */
function detailsOf({ error, serverName }: CallbackController): TemplateResult {
  const details = [serverName, error?.code].filter(Boolean).join(" · ");
  return html`<bdi part="details" dir="ltr" translate="no" .textContent=${details}></bdi>`;
}

/** Whether the page's own text after a sign-in contains a link or a button. */
const hasOwnWay = (host: OidcCallbackElement): boolean =>
  [...host.children].some(
    (each) =>
      each.slot === "success" && (each.matches(CONTROLS) || each.querySelector(CONTROLS) !== null),
  );

const CONTROLS = "a[href], button, input[type=submit], [role=link], [role=button]";

function renderActions(controller: CallbackController): TemplateResult | typeof nothing {
  const { host, canRetry, error, publicState: state } = controller;
  const { localize } = host;
  const isDone = state === "success" && hasOwnWay(host);
  const continueUrl = isDone ? undefined : controller.continueUrl;
  if (!canRetry && continueUrl === undefined) return nothing;
  const retry = (): unknown => retryWithFocus(controller);
  const kind = canRetry ? "button secondary" : "button";
  const { part, text } =
    state === "error"
      ? ({ part: "start-again", text: "startAgain" } as const)
      : ({ part: "continue", text: "continue" } as const);
  const link = html`<a part=${part} class=${kind} href=${continueUrl} target="_self"
    >${texts.term(localize, text)}</a
  >`;
  return html`<div class="actions">
    ${canRetry ? renderRetry(host, error, retry) : nothing}
    ${continueUrl === undefined ? nothing : link}
  </div>`;
}

/** The pressed button disappears, so focus moves to the status, then to the next action. */
async function retryWithFocus(controller: CallbackController): Promise<void> {
  const { host } = controller;
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
  [part="details"] {
    display: block;
    margin-block-start: 0.5em;
    font-size: 0.875em;
  }
  .actions {
    display: grid;
    gap: var(--_gap);
  }
`;
