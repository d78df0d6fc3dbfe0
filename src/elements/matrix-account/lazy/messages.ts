import { html, nothing, type TemplateResult } from "lit";
import {
  type CodedError,
  errorSentence,
  OAUTH_ERRORS,
  refusalContext,
  REQUEST_ERRORS,
  UIA_ERRORS,
} from "../../../sign-in/lazy/error-text.js";
import { Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import type { MatrixAccountElement } from "../matrix-account.js";
import { renderButton } from "./button.js";

const TEXTS = { ...REQUEST_ERRORS, ...OAUTH_ERRORS, ...UIA_ERRORS };

interface Messages {
  /** The start of the IDs. */
  readonly prefix: string;
  readonly status: unknown;
  readonly error: CodedError | undefined;
  /** Loads what is missing. */
  readonly retry: (() => unknown) | undefined;
}

/** Each place of an error counts down by itself. */
const countdowns = new WeakMap<CodedError, Countdown>();

/** The status and the error of the account, or of a section. */
export function renderMessages(
  host: MatrixAccountElement,
  { prefix, status, error, retry }: Messages,
): TemplateResult {
  const label = host.localize.term("tryAgain");
  return html`<div role="status" id="${prefix}status" tabindex="-1">${status}</div>
    <div role="alert" id="${prefix}error">${error ? renderError(host, error) : nothing}</div>
    ${retry ? renderButton({ label, kind: "primary", onClick: retry }) : nothing}`;
}

function renderError(host: MatrixAccountElement, error: CodedError): TemplateResult {
  const { localize } = host;
  const countdown = countdowns.get(error) ?? new Countdown(host);
  countdowns.set(error, countdown);
  const sentence = errorSentence(localize, error.code, refusalContext(error) ?? { texts: TEXTS });
  return html`<div class="error" part="error" dir="auto">
    <slot name="error">${renderSentence(countdown, localize, error, sentence)}</slot>
  </div>`;
}
