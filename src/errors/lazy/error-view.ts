import type { TemplateResult } from "lit";
import type { PartTexts } from "../../texts/part-texts.js";
import type { Texts } from "../../texts/texts.js";
import type { AuthHost } from "../../ui/element.js";
import { type CodedError, ErrorBox, type ErrorBoxOptions } from "../../ui/error-box.js";
import { Countdown, renderSentence } from "../../ui/lazy/countdown.js";
import { type ErrorKind, type ErrorTextKey, sentenceOf } from "./error-text.js";
import { type Advice, explainError } from "./explain-error.js";

interface ErrorOptions extends ErrorBoxOptions {
  /** The server that was looked up, as it was typed: a typing mistake is likely. */
  readonly server?: string | undefined;
}

/**
 * Shows an element's errors: the message, the server's own, a countdown while the server requires a
 * delay, and "Try again". The slots `error-(code)` and `error` replace the message. An error that
 * only the developer can fix is also explained on the console.
 *
 * @template Kind The kinds of errors that the element has. Their texts must be in `texts`.
 */
export class ErrorView<Kind extends ErrorKind> {
  readonly #host: AuthHost;
  readonly #texts: PartTexts<ErrorTextKey<Kind>>;
  readonly #advice: Advice | undefined;
  readonly #box: ErrorBox;
  readonly #countdown: Countdown;

  /** @param advice What the console advises the developer, by code. */
  constructor(host: AuthHost, texts: PartTexts<ErrorTextKey<Kind>>, advice?: Advice) {
    this.#host = host;
    this.#texts = texts;
    this.#advice = advice;
    this.#box = new ErrorBox(host);
    this.#countdown = new Countdown(host);
  }

  /**
   * Fires the event of an error that the element's state has. If the page cancels it, the page shows
   * the error itself.
   *
   * @returns Whether the element shows the error.
   */
  announce(error: CodedError, event: Event): boolean {
    explainError(error, this.#advice);
    return this.#box.announce(error, event);
  }

  /** The page, or an inner element, shows this error. */
  leave(error: Error): void {
    this.#box.leave(error);
  }

  /** Whether the element shows this error. */
  shows(error: Error | undefined): boolean {
    return this.#box.shows(error);
  }

  render(error: CodedError | undefined, { server, ...options }: ErrorOptions = {}): TemplateResult {
    return this.#box.render(error, error && this.#renderText(error, server), options);
  }

  #renderText(error: CodedError, server: string | undefined): unknown {
    const { localize } = this.#host;
    // Other kinds don't occur, so their texts aren't needed.
    const { term } = this.#texts as PartTexts<keyof Texts>;
    const sentence = sentenceOf((key) => term(localize, key), error, server);
    return renderSentence(this.#countdown, localize, error, sentence);
  }
}
