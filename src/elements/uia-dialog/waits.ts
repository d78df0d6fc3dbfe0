// What a dialog needs while it waits: for a stage that is completed elsewhere, or for a server.
import { validationTexts } from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import { Countdown, waitText } from "../../ui/countdown.js";
import { languagesOf } from "../../ui/format-text.js";
import type { UiaDialogElement } from "./uia-dialog.js";

export { pollWhileVisible } from "../../ui/visibility-poller.js";

const { resendWait } = validationTexts;
const texts = partTexts({ resendWait });

/** The texts during a wait. */
export class Waits {
  readonly #host: UiaDialogElement;
  readonly #retry: Countdown;
  readonly #resend: Countdown;

  constructor(host: UiaDialogElement) {
    this.#host = host;
    this.#retry = new Countdown(host);
    this.#resend = new Countdown(host);
  }

  /** The message while a server requires a delay. */
  retryText(ms: number): string {
    return waitText(this.#host.localize, ms);
  }

  /** The same message, with the remaining time. @param of The object that the wait belongs to. */
  retryCountdown(of: object, ms: number): string {
    return this.retryText(this.#retry.left(of, ms));
  }

  /** The time until the user can request another message. */
  resendCountdown(sent: { readonly pauseMs: number }): string {
    const { localize } = this.#host;
    const languages = languagesOf(localize, "resendWait");
    const seconds = Math.ceil(this.#resend.left(sent, sent.pauseMs) / 1000);
    const digits = (value: number, minimumIntegerDigits: number): string =>
      value.toLocaleString(languages, { minimumIntegerDigits });
    const time = `${digits(Math.floor(seconds / 60), 1)}:${digits(seconds % 60, 2)}`;
    return texts.term(localize, "resendWait").replace("{time}", time);
  }
}
