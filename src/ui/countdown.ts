import type { AuthElement } from "./element.js";
import type { LocalizeController } from "./localize.js";
import { dialogTexts, requestTexts } from "../texts/english.js";
import { partTexts } from "../texts/part-texts.js";
import { languagesOf } from "./format-text.js";

const { errorWait } = requestTexts;
const { retryWait } = dialogTexts;
const texts = partTexts({ errorWait, retryWait });

/** The remaining time until an end, rendered again each second. */
export class Countdown {
  readonly #host: AuthElement;
  /** The object that the wait belongs to. Each object has its own end time. */
  #of: object | undefined;
  #end = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: AuthElement) {
    this.#host = host;
  }

  /** The remaining milliseconds of a wait, which starts at the first call. */
  left(of: object, ms: number): number {
    if (this.#of !== of) this.#end = performance.now() + ms;
    this.#of = of;
    const left = Math.max(0, this.#end - performance.now());
    clearTimeout(this.#timer);
    if (left > 0 && this.#host.isConnected) {
      // Minutes change less often, but rendering text is cheap.
      this.#timer = setTimeout(() => this.#host.requestUpdate(), left % 1000 || 1000);
    }
    return left;
  }
}

/** The message while a server requires a delay. @param key The key of a text with `{time}`. */
export function waitText(
  localize: LocalizeController,
  ms: number,
  key: "errorWait" | "retryWait" = "retryWait",
): string {
  const seconds = Math.ceil(ms / 1000);
  const time = new Intl.RelativeTimeFormat(languagesOf(localize, key));
  // The phrase includes "in", as in "in 30 seconds", because languages inflect the following words.
  const whole =
    seconds < 100 ? time.format(seconds, "second") : time.format(Math.ceil(seconds / 60), "minute");
  return texts.term(localize, key).replace("{time}", whole);
}
