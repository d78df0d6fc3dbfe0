import { html } from "lit";
import type { AuthErrorOptions } from "../../core/http/auth-error.js";
import type { AuthHost } from "../element.js";
import type { LocalizeController } from "../localize.js";
import { dialogTexts, requestTexts } from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import { languagesOf, withReason } from "./format-text.js";

const { errorWait } = requestTexts;
const { retryWait } = dialogTexts;
const texts = partTexts({ errorWait, retryWait });

/** The remaining time until an end, rendered again each second. */
export class Countdown {
  readonly #host: AuthHost;
  /** The object that the wait belongs to. Each object has its own end. */
  #of: object | undefined;
  #end = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: AuthHost) {
    this.#host = host;
  }

  /** The remaining milliseconds of a wait, which starts at the first call. */
  left(of: object, ms: number): number {
    if (this.#of !== of) this.#end = performance.now() + ms;
    this.#of = of;
    const left = Math.max(0, this.#end - performance.now());
    clearTimeout(this.#timer);
    if (left > 0 && this.#host.isConnected) {
      // Minutes change less often, but it is only a text.
      this.#timer = setTimeout(() => this.#host.requestUpdate(), left % 1000 || 1000);
    }
    return left;
  }
}

/** Longer waits aren't counted down. */
const MAX_COUNTED_MS = 2 * 3_600_000;

/** An error; each of the library's classes has some of these. */
type Limited = AuthErrorOptions & { readonly code: string };

/** An error's message with the server's, or a countdown while the server requires a delay. */
export function renderSentence(
  countdown: Countdown,
  localize: LocalizeController,
  error: Limited,
  sentence: string,
): unknown {
  const { code, httpStatus, retryAfterMs = 0, reason } = error;
  // Other error responses can also contain a delay.
  const isRateLimit = code === "rate_limited" || httpStatus === 429;
  const isCounted = isRateLimit && retryAfterMs <= MAX_COUNTED_MS;
  const left = isCounted ? countdown.left(error, retryAfterMs) : 0;
  if (left === 0) return withReason(sentence, reason);
  const [said, shown] = [retryAfterMs, left].map((ms) => waitText(localize, ms, "errorWait"));
  // Announced to a screen reader once, not each second.
  const wait = html`<div class="visually-hidden">${said}</div>
    <div aria-hidden="true">${shown}</div>`;
  return withReason(wait, reason);
}

/** The message while a server requires a delay. @param key Its text has a `{time}`. */
export function waitText(
  localize: LocalizeController,
  ms: number,
  key: "errorWait" | "retryWait" = "retryWait",
): string {
  const seconds = Math.ceil(ms / 1000);
  const time = new Intl.RelativeTimeFormat(languagesOf(localize, key));
  // "in 30 seconds" as a whole, because languages inflect what follows "in".
  const whole =
    seconds < 100 ? time.format(seconds, "second") : time.format(Math.ceil(seconds / 60), "minute");
  return texts.term(localize, key).replace("{time}", whole);
}
