// The message that an element shows and logs when it has an error. Most pages never load this
// module.
import { css, html, type TemplateResult } from "lit";
import type { AuthErrorOptions } from "../core/http/auth-error.js";
import { isText, presentMembers } from "../core/http/json.js";
import { urlNamedBy } from "../core/http/this-machine.js";
import { AMBIGUOUS } from "../core/http/url.js";
import { UiaError } from "../core/uia/errors.js";
import type { BasicKey } from "../texts/part-texts.js";
import { Countdown, waitText } from "../ui/countdown.js";
import type { AuthElement } from "../ui/element.js";
import { errorBox } from "../ui/form/styles.js";
import { adoptStyles } from "../ui/styles.js";
import { isolated, type Message } from "../ui/format-text.js";
import { languageLoaded, languageOf, textIn } from "../ui/localize.js";
import { withReason, wordsAfter } from "../ui/reason.js";
import { asCodedError, type CodedError } from "./coded-error.js";
import { isolatedText, sentenceOf } from "./error-text.js";
import { explain } from "./explain-error.js";

export { keyAtStage } from "./error-text.js";
export { withReason };

/** The pause after too many attempts, if the server requests no specific delay. */
const DEFAULT_WAIT_MS = 10_000;

/** Longer waits have no countdown. */
const MAX_COUNTED_MS = 2 * 3_600_000;

/** Other error responses can also contain a delay. */
function waitOf({ code, httpStatus, retryAfterMs }: CodedError & AuthErrorOptions): number {
  const isRateLimit = code === "rate_limited" || httpStatus === 429;
  return isRateLimit ? (retryAfterMs ?? DEFAULT_WAIT_MS) : 0;
}

/** The content and the appearance of an error's box. */
export class ErrorMessage {
  readonly #host: AuthElement;
  readonly #countdown: Countdown;

  constructor(host: AuthElement) {
    this.#host = host;
    this.#countdown = new Countdown(host);
  }

  /**
   * The message, with the server's message, or with a countdown while the server requires a delay.
   *
   * @param server The server that was looked up, as it was typed.
   * @param homeserverUrl The homeserver that has responded.
   */
  render(error: CodedError & AuthErrorOptions, server?: string, homeserverUrl = ""): Message {
    const { localize, shadowRoot } = this.#host;
    for (const styles of [errorBox, contactStyles]) adoptStyles(shadowRoot, styles);
    const ms = waitOf(error);
    const left = ms <= MAX_COUNTED_MS ? this.#countdown.left(error, ms) : 0;
    if (left === 0) {
      const { key, text } = sentenceOf(localize, error, server);
      const message = withReason(key, text, error.reason);
      const contact = renderContact(error, homeserverUrl);
      return contact ? html`${message} ${contact}` : message;
    }
    const [said, shown] = [ms, left].map((each) => waitText(localize, each, "errorWait"));
    // Screen readers announce this once, not every second.
    return html`<div class="visually-hidden">${said}</div>
      <div aria-hidden="true">${shown}</div>`;
  }
}

const MAX_CONTACT_LENGTH = 320;

/**
 * The administrator's address, if the homeserver is full.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#common-error-codes
 */
function renderContact(error: unknown, homeserver: string): TemplateResult | undefined {
  const { data, cause } = Object(error) as { readonly data?: unknown; readonly cause?: unknown };
  if (data === undefined) return cause === undefined ? undefined : renderContact(cause, homeserver);
  const { admin_contact: contact } = presentMembers(data);
  if (!isText(contact) || contact.length > MAX_CONTACT_LENGTH) return undefined;
  const isAddress = /^mailto:[^@?%]+@[^@?%]+$/i.test(contact) && !AMBIGUOUS.test(contact);
  const url = isAddress ? contact : urlNamedBy(homeserver, contact)?.href;
  if (url === undefined) return undefined;
  return html`<a href=${url} target="_blank" rel="noopener noreferrer"
    >${isolated(url.replace(/^mailto:/i, ""))}</a
  >`;
}

const contactStyles = css`
  /* A larger target, in a line of the same height. */
  .error a {
    display: inline-block;
    margin-block: -0.25em;
    padding-block: 0.25em;
    color: inherit;
  }
`;

/** The codes of errors that a user can't fix. */
const DEVELOPERS_CODES: readonly string[] = [
  "registration_refused",
  "registration_not_supported",
  "insecure_context",
  "settings_invalid",
  "prompt_not_supported",
  "registration_invalid",
  "metadata_invalid",
  "issuer_mismatch",
  "authorization_failed",
  "scope_not_granted",
  "load_failed",
  "unexpected",
];

/** Logs the details for the developer, because users only see what they can do. */
export function explainError(error: CodedError): void {
  if (DEVELOPERS_CODES.includes(error.code)) explain((each) => each.explainError(error));
}

export async function errorText(
  error: unknown,
  language: string = languageOf(document.querySelector("html[lang]") ?? undefined),
): Promise<string> {
  await languageLoaded(language);
  if (error instanceof UiaError && error.code === "cancelled") return "";
  const coded = asCodedError(error);
  const { key, text } = sentenceOf({ term: (each: BasicKey) => textIn(language, each) }, coded);
  const words = wordsAfter(key, coded.reason);
  return words === undefined ? text : `${text} ${isolatedText(words)}`;
}
