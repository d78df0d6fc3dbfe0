import { html, nothing, type TemplateResult } from "lit";
import type { AuthHost } from "./element.js";

/** An error of the library: each class has a `code`, and the server's message if there is one. */
export type CodedError = Error & { readonly code: string; readonly reason?: string | undefined };

export interface ErrorBoxOptions {
  /** Default: `error`. */
  readonly id?: string | undefined;
  /** What a button "Try again" does. Without it, there is no button. */
  readonly retry?: (() => unknown) | undefined;
  /** Whether the box looks like a text, because it isn't a failure. */
  readonly isPlain?: boolean | undefined;
}

/** The place where an element shows its errors, unless the page shows them itself. */
export class ErrorBox {
  readonly #host: AuthHost;
  #shownElsewhere: Error | undefined;

  constructor(host: AuthHost) {
    this.#host = host;
  }

  /**
   * Fires the event of an error. If the page cancels it, the page shows the error.
   *
   * @returns Whether the element shows the error.
   */
  announce(error: Error, event: Event): boolean {
    const isShown = this.#host.dispatchEvent(event);
    if (!isShown) this.leave(error);
    return isShown;
  }

  /** The page, or an inner element, shows this error. */
  leave(error: Error): void {
    this.#shownElsewhere = error;
    this.#host.requestUpdate();
  }

  /** Whether the element shows this error. */
  shows(error: Error | undefined): boolean {
    return error !== undefined && error !== this.#shownElsewhere;
  }

  /** Screen readers announce the box when it gets a text, so an element renders it before. */
  render(
    error: CodedError | undefined,
    text: unknown,
    { id = "error", retry, isPlain }: ErrorBoxOptions = {},
  ): TemplateResult {
    const box = html`<div class=${isPlain ? nothing : "error"} part="error" dir="auto">
      <slot name="error-${error?.code}"><slot name="error">${text}</slot></slot>
    </div>`;
    const button = retry && renderRetry(this.#host, retry);
    return html`<div id=${id} role="alert">${this.shows(error) ? box : nothing}</div>
      ${error && button ? button : nothing}`;
  }
}

export const renderRetry = ({ localize }: AuthHost, retry: () => unknown): TemplateResult =>
  html`<button part="retry" type="button" @click=${() => void retry()}>
    ${localize.term("tryAgain")}
  </button>`;
