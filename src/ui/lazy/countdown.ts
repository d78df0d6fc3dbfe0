import { html } from "lit";
import type { AuthHost } from "../element.js";
import type { LocalizeController } from "../localize.js";
import { languagesOf, withReason } from "./format-text.js";

/** How long it is until an end, rendered again each second. */
export class Countdown {
  readonly #host: AuthHost;
  /** What the wait belongs to: another has an end of its own. */
  #of: object | undefined;
  #end = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: AuthHost) {
    this.#host = host;
  }

  /** The milliseconds that are left of a wait that started when it was first asked for. */
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

/** Of a longer wait, no one counts the minutes. */
const MAX_COUNTED_MS = 2 * 3_600_000;

/** An error; each of the library's classes has some of these. */
interface Limited {
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly reason?: string | undefined;
}

/**
 * An error's sentence, with the server's own words; while the server asks to wait, that is counted
 * down instead.
 */
export function renderSentence(
  countdown: Countdown,
  localize: LocalizeController,
  error: Limited,
  sentence: string,
): unknown {
  const { code, httpStatus, retryAfterMs = 0, reason } = error;
  // Other rejections may say when to try again, too.
  const isRateLimit = code === "rate_limited" || httpStatus === 429;
  const isCounted = isRateLimit && retryAfterMs <= MAX_COUNTED_MS;
  const left = isCounted ? countdown.left(error, retryAfterMs) : 0;
  if (left === 0) return withReason(sentence, reason);
  const [said, shown] = [retryAfterMs, left].map((ms) => waitText(localize, ms, "errorWait"));
  // A screen reader is told once, not each second.
  const wait = html`<div class="visually-hidden">${said}</div>
    <div aria-hidden="true">${shown}</div>`;
  return withReason(wait, reason);
}

/** What users are told while a server asks to wait. @param key Its text has a `{time}`. */
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
  return localize.term(key).replace("{time}", whole);
}
