import { css, html, nothing, type ReactiveController, type TemplateResult } from "lit";
import { renderSubmit } from "../../ui/form/buttons.js";
import { addStyles } from "../../ui/form/styles.js";
import { isComposing } from "../../ui/form/field.js";
import { hasFocus, isVisible } from "../../ui/focus-path.js";
import { directionAt } from "../../ui/format-text.js";
import { lastPointer } from "../../ui/haste.js";
import { HasteGuard, ignoreScrollLocks, isOfPage } from "../../ui/haste-guard.js";
import type { MatrixAccountElement } from "./matrix-account.js";
import { texts } from "./texts.js";

/** The text of a question, at a render. It names what would be deleted. */
export interface QuestionText {
  readonly heading: string | TemplateResult;
  readonly text?: string;
  /** A consequence that users don't expect. */
  readonly warning?: string;
  /** The slot for the page's own text. */
  readonly slot?: string;
  /** The label of the destructive button. */
  readonly confirm: string;
}

/**
 * Asks the user before something is deleted. "Cancel" has the focus, and only "Cancel" can be under
 * the pointer. Keys and clicks that were meant for the previous content are ignored.
 */
export class Question implements ReactiveController {
  /** Whether the user agrees. */
  readonly answer: Promise<boolean>;
  readonly #host: MatrixAccountElement;
  readonly #text: () => QuestionText;
  readonly #guard: HasteGuard;
  /** Whether "Cancel" has the place of the other button, because the pointer is there. */
  #isSwapped = false;
  #resizes: ResizeObserver | undefined;
  #resolve!: (isAgreed: boolean) => void;

  constructor(host: MatrixAccountElement, text: () => QuestionText, signal: AbortSignal) {
    this.#host = host;
    this.#text = text;
    this.#guard = new HasteGuard(host);
    this.answer = new Promise((resolve) => (this.#resolve = resolve));
    signal.addEventListener("abort", this.#cancel);
    host.addController(this);
    addStyles(host, questionStyles);
  }

  get #dialog(): HTMLDialogElement | null | undefined {
    return this.#host.shadowRoot?.querySelector<HTMLDialogElement>("[part=question]");
  }

  /**
   * If the page has moved the element without `moveBefore()`, the browser has closed the dialog
   * without an event.
   */
  hostConnected(): void {
    if (!this.#dialog?.matches(":modal")) this.#close();
    this.#host.requestUpdate();
  }

  hostUpdated(): void {
    const dialog = this.#dialog;
    if (!dialog) return;
    if (!dialog.open) this.#open(dialog);
    if (!hasFocus(dialog)) dialog.querySelector<HTMLElement>("[part=button]")?.focus();
  }

  #open(dialog: HTMLDialogElement): void {
    // Test environments might lack this method.
    if ((dialog as Partial<HTMLDialogElement>).showModal) dialog.showModal();
    else dialog.open = true;
    this.#guard.opened(dialog);
    ignoreScrollLocks(dialog);
    this.#watchVisibility(dialog);
    const danger = dialog.querySelector("[part=danger]");
    if (!danger || !isUnderPointer(danger)) return;
    this.#isSwapped = !this.#isSwapped;
    this.#host.requestUpdate();
  }

  /** The page might hide the element. An invisible modal would make the whole page inert. */
  #watchVisibility(dialog: HTMLDialogElement): void {
    const check = (): void => {
      if (!isVisible(dialog)) this.#end(false);
    };
    check();
    // Test environments might not have a layout.
    if (this.#resizes || !(globalThis as Partial<typeof globalThis>).ResizeObserver) return;
    this.#resizes = new ResizeObserver(check);
    this.#resizes.observe(dialog);
  }

  render(): TemplateResult {
    const { heading, text, warning, slot, confirm } = this.#text();
    const { localize } = this.#host;
    const cancel = html`<button
      part="button"
      class="secondary"
      type="button"
      @click=${this.#cancel}
    >
      ${texts.term(localize, "cancel")}
    </button>`;
    const agree = renderSubmit(confirm, false, () => this.#end(true), {
      part: "danger",
      destructive: true,
    });
    return html`<dialog
      part="question"
      class="panel"
      role="alertdialog"
      dir=${directionAt(this.#host, localize) ?? nothing}
      aria-labelledby="question-heading"
      aria-describedby="question-text"
      @keydown=${this.#onKeydown}
      @cancel=${this.#onCancel}
    >
      <h2 part="heading" id="question-heading">${heading}</h2>
      <div id="question-text">
        ${text ? html`<p>${text}</p>` : nothing}
        ${warning ? html`<p part="warning" class="warning">${warning}</p>` : nothing}
        ${slot ? html`<slot name=${slot}></slot>` : nothing}
      </div>
      <div part="actions">${this.#isSwapped ? [agree, cancel] : [cancel, agree]}</div>
    </dialog>`;
  }

  readonly #cancel = (): void => this.#end(false);

  readonly #onCancel = (event: Event): void => {
    // A file input of the page also fires `cancel`.
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    this.#end(false);
  };

  /**
   * Escape closes only the question, and not a modal of the page around it. In the page's own content,
   * the browser closes what is on top.
   */
  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented || isComposing(event)) return;
    if (isOfPage(event.composedPath(), this.#host)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#end(false);
  };

  #end(isAgreed: boolean): void {
    this.#host.removeController(this);
    this.#resizes?.disconnect();
    this.#close();
    this.#resolve(isAgreed);
  }

  /** The focus returns to the button that opened the question. */
  #close(): void {
    (this.#dialog as Partial<HTMLDialogElement> | null | undefined)?.close?.();
  }
}

function isUnderPointer(button: Element): boolean {
  const { x, y } = lastPointer() ?? { x: NaN, y: NaN };
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return x >= left - 5 && x <= right + 5 && y >= top - 5 && y <= bottom + 5;
}

const questionStyles = css`
  [part="question"]:not([open]) {
    display: none;
  }
  .account [part="question"] {
    inline-size: min(26em, 100vw - 2em);
    max-block-size: calc(100dvh - 2em);
    overflow: auto;
    margin: auto;
    box-shadow: var(--oidc-panel-shadow, 0 0.5em 3em rgb(0 0 0 / 0.3));
  }
  /* Large text on a small screen breaks the words of a heading. */
  [part="question"] h2 {
    font-size: min(1.375em, 9vw);
  }
  [part="question"]::backdrop {
    background: rgb(0 0 0 / 0.45);
  }
  #question-text {
    display: grid;
    gap: calc(var(--_gap) * 2);
  }
  #question-text:not(:has(*)) {
    display: none;
  }
  /* Of the same size, so that each can take the place of the other. */
  [part="question"] [part="actions"] {
    display: grid;
    align-items: stretch;
    grid-template-columns: repeat(auto-fit, minmax(min(9em, 100%), 1fr));
  }
  [part="question"] button {
    justify-self: stretch;
  }
`;
