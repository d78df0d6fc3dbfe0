import { html, type TemplateResult } from "lit";
import type { AuthHost } from "../element.js";
import type { LocalizeController } from "../localize.js";
import { languagesOf, withReason } from "./format-text.js";

/** How long it is until an end, rendered anew each second. */
export class Countdown {
  readonly #host: AuthHost;
  /** What the wait belongs to: another has an end of its own. */
  #of: object | undefined;
  #end = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: AuthHost) {
    this.#host = host;
  }

  /** The milliseconds that are left of a wait that began when it was first asked for. */
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

/** Of a longer wait, nobody counts the minutes. */
const MAX_COUNTED_MS = 2 * 3_600_000;

/** An error; each of the library's classes has some of these. */
interface Limited {
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly reason?: string | undefined;
}

/** Whether a server refused because of too many requests. Other refusals may say when to try again, too. */
export const isRateLimit = ({ code, httpStatus }: Partial<Limited>): boolean =>
  code === "rate_limited" || httpStatus === 429;

/** An error's sentence, with the server's own words; while the server asks to wait, that is counted down instead. */
export const renderSentence = (
  countdown: Countdown,
  localize: LocalizeController,
  error: Limited,
  sentence: string,
): unknown => withReason(renderWait(countdown, localize, error) ?? sentence, error.reason);

function renderWait(
  countdown: Countdown,
  localize: LocalizeController,
  error: Limited,
): TemplateResult | undefined {
  const { retryAfterMs = 0 } = error;
  if (!isRateLimit(error) || retryAfterMs > MAX_COUNTED_MS) return undefined;
  const left = countdown.left(error, retryAfterMs);
  if (!left) return undefined;
  const [said, shown] = [retryAfterMs, left].map((ms) => waitText(localize, ms, "errorWait"));
  // A screen reader is told once, not each second.
  return html`<div class="visually-hidden">${said}</div>
    <div aria-hidden="true">${shown}</div>`;
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
