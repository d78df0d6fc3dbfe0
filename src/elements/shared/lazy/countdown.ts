import type { ReactiveControllerHost } from "lit";
import type { LocalizeController } from "../localize.js";
import { languagesOf } from "./format-text.js";

/** How long it is until an end, rendered anew each second. */
export class Countdown {
  readonly #host: ReactiveControllerHost;
  /** What the wait belongs to: another has an end of its own. */
  #of: object | undefined;
  #end = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
  }

  /** The milliseconds that are left of a wait that began when it was first asked for. */
  left(of: object, ms: number): number {
    if (this.#of !== of) this.#end = performance.now() + ms;
    this.#of = of;
    const left = Math.max(0, this.#end - performance.now());
    this.stop();
    // Minutes change less often, but it is only a text.
    if (left > 0) this.#timer = setTimeout(() => this.#host.requestUpdate(), left % 1000 || 1000);
    return left;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** What users are told while a server asks to wait. @param key Its text has a `{time}`. */
export function waitText(
  localize: LocalizeController,
  ms: number,
  key: "matrixWait" | "uiaWait" = "uiaWait",
): string {
  const seconds = Math.ceil(ms / 1000);
  const time = new Intl.RelativeTimeFormat(languagesOf(localize, key));
  // "in 30 seconds" as a whole, because languages inflect what follows "in".
  const whole =
    seconds < 100 ? time.format(seconds, "second") : time.format(Math.ceil(seconds / 60), "minute");
  return localize.term(key).replace("{time}", whole);
}
