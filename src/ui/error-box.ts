import { html, nothing, type TemplateResult } from "lit";
import type { AuthElement } from "./element.js";
import { tryAgain } from "./reload.js";

/** An error of the library. Each class has a `code`, and the server's message, if there is one. */
export type CodedError = Error & { readonly code: string; readonly reason?: string | undefined };

export interface ErrorBoxOptions {
  /** Default: `error`. */
  readonly id?: string | undefined;
  /** The action of the button "Try again". If unset, there is no button. */
  readonly retry?: (() => unknown) | null | undefined;
  /** Whether the box looks like normal text, because the error isn't a failure. */
  readonly isPlain?: boolean | undefined;
}

/** The place where an element shows its errors, unless the page shows them itself. */
export class ErrorBox {
  protected readonly host: AuthElement;
  #shownElsewhere: object | undefined;

  constructor(host: AuthElement) {
    this.host = host;
  }

  /**
   * Fires the event of an error. If the page cancels it, the page shows the error.
   *
   * @returns Whether the element shows the error.
   */
  announce(error: Error, event: Event): boolean {
    const isShown = this.host.dispatchEvent(event);
    if (!isShown) this.hide(error);
    return isShown;
  }

  /** Called if the page or an inner element shows this error. */
  hide(error: Error): void {
    this.#shownElsewhere = error;
    this.host.requestUpdate();
  }

  /**
   * Screen readers announce text that is added to the box, so the box is rendered before the text.
   */
  renderText(
    error: Pick<CodedError, "code"> | undefined,
    text: unknown,
    { id = "error", retry, isPlain }: ErrorBoxOptions = {},
  ): TemplateResult {
    const isShown = error && error !== this.#shownElsewhere;
    const box = html`<div class=${isPlain ? nothing : "error"} part="error" dir="auto">
      <slot name="error-${error?.code}"><slot name="error">${text}</slot></slot>
    </div>`;
    return html`<div id=${id} role="alert">${isShown ? box : nothing}</div>
      ${error && retry ? renderRetry(this.host, error, retry) : nothing}`;
  }
}

export const renderRetry = (
  host: AuthElement,
  error: object | undefined,
  retry: () => unknown,
): TemplateResult =>
  html`<button
    part="retry"
    type="button"
    ?disabled=${host.isDisabled}
    @click=${() => tryAgain(error, retry)}
  >
    ${host.localize.term("tryAgain")}
  </button>`;
