// All styles come first: gzip finds repetitions only within 32 KB.
import { dialogStyles } from "./styles.js";
import { html, noChange, nothing, type ReactiveController, type TemplateResult } from "lit";
import type { UiaSession } from "../../context/uia-session.js";
import { RETRYABLE_CODES } from "../../core/http/errors.js";
import { UiaError } from "../../core/uia/errors.js";
import { asClientError } from "../../errors/client-error.js";
import { saysNothing } from "../../errors/coded-error.js";
import { ErrorView } from "../../errors/error-view.js";
import { dialogTexts, fieldTexts, validationTexts } from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import { focusedElement } from "../../ui/focus.js";
import { isFocusLost, isVisible, pathOf } from "../../ui/focus-path.js";
import { isComposing } from "../../ui/form/field.js";
import { ButtonRow, renderSubmit, secondaryStyles } from "../../ui/form/buttons.js";
import { LightForm } from "../../ui/form/form.js";
import { directionAt, knownTag, languagesOf, withWords } from "../../ui/format-text.js";
import { HasteGuard, ignoreScrollLocks, isOfPage } from "../../ui/haste-guard.js";
import { controlStyles, dangerStyles } from "../../ui/form/content-styles.js";
import {
  addStyles,
  errorBox,
  initialStyles,
  renderInitial,
  scrollIntoView,
  uiaTokens,
} from "../../ui/form/styles.js";
import {
  expectTyping,
  hasPressedFor,
  isTextField,
  isTyping,
  onceQuiet,
  watchHaste,
} from "../../ui/haste.js";
import type { LoadedPart } from "../../ui/loading.js";
import { DialogController } from "./controller.js";
import { restoreCopies } from "./page-behind.js";
import type { DialogCall } from "./options.js";
import { type DialogRun, loadWaits, type Shown } from "./run.js";
import { ownWords, stageError, type StageError } from "./stage-error.js";
import { headingOf, loadPhone, prefetchStages, servedStages, stageOf } from "./stages/index.js";
import type { SecondaryAction, StageView } from "./stages/stage-view.js";
import type { UiaDialogElement } from "./uia-dialog.js";
import type { Waits } from "./waits.js";
import { DialogWindow, hasOpenMenu } from "./window.js";

const STYLES = [
  uiaTokens,
  controlStyles,
  secondaryStyles,
  dangerStyles,
  errorBox,
  initialStyles,
  dialogStyles,
];

const { stepUnfinished, resend } = validationTexts;
const texts = partTexts(fieldTexts, dialogTexts, { stepUnfinished, resend });
type TextKey = Parameters<typeof texts.term>[1];

export function create(host: UiaDialogElement): LoadedPart<DialogController> {
  restoreCopies();
  watchHaste();
  const stages = { servedStages, prefetchStages, loadPhone };
  const controller = new DialogController(
    host,
    stages,
    (run, signal, opener) => new RunView(host, run, signal, opener),
  );
  return { controller, render: () => controller.render() };
}

/** The view of one run of the dialog. */
class RunView implements ReactiveController {
  readonly #host: UiaDialogElement;
  readonly #run: DialogRun;
  readonly #form: LightForm;
  readonly #window: DialogWindow;
  #waits: Waits | undefined;
  readonly #errors: ErrorView;
  readonly #buttons: ButtonRow;
  readonly #guard: HasteGuard;
  readonly #startedAt = performance.now();
  /** The reasons for the last focus change, to avoid unnecessary changes. */
  #reasons: readonly unknown[] = [];
  /** The element that keeps the focus while keys keep coming. */
  #waitingAt: Element | null | undefined;
  #view: StageView = {};
  #error: StageError | undefined;
  /**
   * The rendered content after the end: the old content stays unchanged while the dialog fades out.
   */
  #closed: typeof noChange | typeof nothing | undefined;
  #resizes: ResizeObserver | undefined;

  /** @param opener The element that had the focus at the start. */
  constructor(host: UiaDialogElement, run: DialogRun, signal: AbortSignal, opener: Element | null) {
    this.#host = host;
    this.#run = run;
    this.#form = new LightForm(host);
    this.#errors = new ErrorView(host);
    this.#buttons = new ButtonRow(host);
    this.#window = new DialogWindow(host, opener);
    this.#guard = new HasteGuard(host);
    host.addController(this);
    signal.addEventListener("abort", () => this.#cancel());
  }

  render(): unknown {
    const { shown, session } = this.#run;
    const pause = this.#pause;
    const { localize } = this.#host;
    if (this.#closed) return this.#closed;
    if (!shown) return nothing;
    addStyles(this.#host, ...STYLES);
    this.#error = session && !pause ? stageError(localize, this.#errors, session) : undefined;
    this.#view = this.#viewOf(session);
    const { generic, details, body, bodyWith, error, loading = false } = this.#view;
    const { instruction = loading ? this.#term("working") : undefined } = this.#view;
    const busy = (shown.busy || loading) && !pause;
    if (error) this.#error = { message: this.#term(error), code: "load_failed" };
    const { retryAfterMs } = shown.status;
    const working = busy && !loading ? this.#term("working") : nothing;
    const status =
      retryAfterMs === undefined ? working : this.#textOf((waits) => waits.retryText(retryAfterMs));
    const messages = html`${this.#renderError()}
      <div role="alert">${this.#renderNotice(shown)}</div>
      ${this.#renderSecondaryActions(busy)}
      <div class="visually-hidden" role="status">${status}</div>`;
    const buttons = this.#buttons.render(
      html`<slot name="actions"></slot>`,
      html`<button part="cancel" class="secondary" type="button" @click=${this.#dismiss}>
        ${this.#term("cancel")}
      </button>`,
      this.#renderSubmit(busy, shown),
    );
    const isSaid = generic && this.#isDescribed;
    return html`<dialog
      part="dialog"
      dir=${directionAt(this.#host, localize) ?? nothing}
      closedby="closerequest"
      aria-modal="true"
      aria-labelledby="heading"
      aria-describedby="progress description instruction"
      @keydown=${this.#onKeydown}
      @mousedown=${this.#onMousedown}
      @cancel=${this.#onCancel}
      @close=${this.#onClose}
    >
      ${this.#renderHead(shown)}
      <div part="stage ${shown.stage.replace(/[^\w-]/g, "-")}" aria-busy=${busy} ?hidden=${pause}>
        <div id="instruction" part="instruction" role="status">
          ${instruction && !isSaid ? html`<p>${instruction}</p>` : nothing}${details}
        </div>
        ${bodyWith?.({ messages, buttons }) ?? body}
        <slot name=${shown.stage}><slot name="fields"></slot></slot>
      </div>
      ${
        bodyWith
          ? nothing
          : html`${messages}
              <div part="actions">${buttons}</div>`
      }
    </dialog>`;
  }

  /**
   * The heading and description. The call's texts replace the page's texts, even those in slots.
   */
  #renderHead({ stage, step, steps }: Shown): TemplateResult {
    const { heading, localize } = this.#host;
    const { call, userId } = this.#run;
    const languages = languagesOf(localize, "step");
    const progress = this.#term("step")
      .replace("{step}", step.toLocaleString(languages))
      .replace("{steps}", steps.toLocaleString(languages));
    const progressLine = html`<p id="progress" part="progress" role="status">${progress}</p>`;
    const title = html`<slot name="heading">${heading || headingOf(localize, stage)}</slot>`;
    const slot = html`<slot name="description"></slot>`;
    return html`${steps > 1 ? progressLine : nothing}
      <h2 id="heading" part="heading" tabindex="-1">${written(call.heading) || title}</h2>
      <div id="description" part="description">
        ${call.description ? html`<p>${written(call.description)}</p>` : slot}
      </div>
      ${
        userId
          ? html`<div part="user">
              ${renderInitial(userId.slice(1))}<bdi dir="ltr" translate="no">${userId}</bdi>
            </div>`
          : nothing
      }`;
  }

  /** Whether the page describes the action. */
  get #isDescribed(): boolean {
    const { children } = this.#host;
    const isFilled = ({ slot, textContent }: Element): boolean =>
      slot === "description" && textContent.trim() !== "";
    return !!this.#run.call.description || [...children].some(isFilled);
  }

  /**
   * The buttons of the stage, and one for another flow, because the homeserver's order may not suit
   * the user.
   */
  #renderSecondaryActions(busy: boolean): TemplateResult | typeof nothing {
    const { session } = this.#run;
    const pause = this.#pause;
    const { resend, secondaryActions = [] } = this.#view;
    const actions = [...(resend ? [this.#resend(resend)] : []), ...secondaryActions];
    if (session?.hasOtherWay && !pause) {
      const onClick = (): unknown => session.tryOtherWay();
      actions.push({ label: this.#term("otherWay"), onClick, disabled: busy });
    }
    if (actions.length === 0) return nothing;
    return html`<div class="others">
      ${actions.map(
        ({ label, onClick, disabled = false }) =>
          html`<button
            part="other"
            type="button"
            aria-disabled=${disabled ? "true" : nothing}
            @click=${disabled ? nothing : () => onClick()}
          >
            ${label}
          </button>`,
      )}
    </div>`;
  }

  /** Shows how long the user must wait before requesting another message. */
  #resend(onClick: () => unknown): SecondaryAction {
    const { session, sent } = this.#run;
    const label = this.#term("resend");
    if (session?.canResend) return { label, onClick };
    const text = this.#textOf((waits) => waits.resendCountdown(sent));
    return { label: text || label, onClick, disabled: true };
  }

  /** A text during a wait. Empty while its code is loading. */
  #textOf(write: (waits: Waits) => string): string {
    if (!this.#waits) void this.#loadWaits();
    return this.#waits ? write(this.#waits) : "";
  }

  async #loadWaits(): Promise<void> {
    // Without this part, only the text about the remaining wait is missing.
    const part = await loadWaits().catch(() => undefined);
    if (!part) return;
    this.#waits ??= new part.Waits(this.#host);
    this.#host.requestUpdate();
  }

  /**
   * The main button. If there is none, only the busy state is shown. In the last step, the label
   * names the action.
   */
  #renderSubmit(busy: boolean, { step, steps }: Shown): TemplateResult | typeof nothing {
    const { action } = this.#view;
    if (!action) return busy ? html`<span part="spinner"></span>` : nothing;
    const { call } = this.#run;
    const isLast = action === "continue" && step === steps;
    const label =
      (isLast && (written(call.submitLabel) || this.#host.submitLabel)) ||
      (action === "continue" ? this.#term(action) : action.label);
    const destructive = isLast && (call.destructive ?? this.#host.destructive);
    return renderSubmit(label, busy, this.#onSubmitClick, { destructive });
  }

  /** Opens the dialog, shows the fields and sets the focus. */
  hostUpdated(): void {
    const { shown, publicState } = this.#run;
    const { dialog } = this.#window;
    if (!shown || !dialog?.isConnected) return;
    this.#showFields(shown);
    this.#open(dialog);
    // A stage may have opened something outside the dialog, and that has the focus.
    const isBeside = this.#view.nonModal && !isFocusLost();
    // The focused element may be gone, for example the form while its message is being sent.
    const lost = !this.#window.hasFocus && !isBeside;
    // The texts are not compared, because the language might change while the user types.
    const news = [this.#error && shown.status, shown.unfinished];
    const reasons = [shown.stage, publicState, this.#purpose, ...news];
    const isNew = reasons.some((reason, index) => reason !== this.#reasons[index]);
    if (!this.#checkVisibility(dialog)) return;
    if (!lost && (shown.busy || !isNew)) return;
    if (isTyping()) return this.#letKeysPass();
    this.#window.block();
    const waited = this.#waitingAt;
    this.#waitingAt = undefined;
    if (shown.busy) this.#window.heading?.focus();
    else {
      this.#reasons = reasons;
      // The user might have moved the focus in the meantime.
      const isMoved = waited && this.#window.hasFocus && focusedElement(this.#host) !== waited;
      if (!isMoved) this.#setFocus(dialog);
    }
  }

  /**
   * Keys that keep coming were meant for other content. If a text field has the focus, it still
   * receives them. Otherwise the focus moves to the heading, where keys do nothing and which screen
   * readers announce.
   */
  #letKeysPass(): void {
    if (!isTextField(focusedElement(this.#host))) this.#window.heading?.focus();
    this.#waitingAt = focusedElement(this.#host);
    onceQuiet(this.#update);
  }

  readonly #update = (): void => this.#host.requestUpdate();

  hostDisconnected(): void {
    this.#window.moved();
  }

  /**
   * Called when the dialog is about to close. From now on, the page may set the focus, and the
   * dialog doesn't.
   */
  #cancel(): void {
    this.#host.removeController(this);
    this.#window.unblock();
  }

  close(): void {
    this.#run.close();
    this.#cancel();
    this.#closed = noChange;
    this.#resizes?.disconnect();
    window.removeEventListener("keydown", this.#onKeydown, true);
    this.#window.close(() => {
      this.#closed = nothing;
      this.#host.requestUpdate();
    });
    this.#form.remove();
    this.#window.restoreFocus();
  }

  /** The purpose of the fields. Fields for another purpose need a new form. */
  get #purpose(): string {
    const { errorField = "", purpose = errorField } = this.#view;
    return purpose;
  }

  /** The state after a temporary failure, if the run is in it. */
  get #pause() {
    const { state } = this.#run;
    return state.name === "paused" ? state : undefined;
  }

  #term(key: TextKey): string {
    return texts.term(this.#host.localize, key);
  }

  #viewOf(session: UiaSession | undefined): StageView {
    const pause = this.#pause;
    if (!session) return { loading: true };
    if (pause) return { action: { label: this.#term("tryAgain") }, onSubmit: pause.retry };
    const { call } = this.#run;
    const stage = stageOf(session.stage, this.#host, call);
    return stage({
      session,
      term: this.#form.term,
      language: knownTag(this.#host.localize.language) ?? "en",
      root: this.#form.root,
      id: this.#form.id,
      problem: this.#form.problem,
      error: this.#error?.message,
      loadCaptcha: call.loadCaptcha,
      mayTakeFocus: !isTyping(),
      refresh: () => this.#host.requestUpdate(),
    });
  }

  /** The message of a failure, or the error of a stage that belongs to no field. */
  #renderError(): TemplateResult {
    if (this.#pause) return this.#errors.render(this.#pause.error);
    const error = this.#view.errorField ? undefined : this.#error;
    return this.#errors.renderText(error, error?.message);
  }

  #renderNotice({ status, unfinished }: Shown): TemplateResult | typeof nothing {
    if (this.#pause || (this.#error && !this.#view.errorField)) return nothing;
    const { retryAfterMs, restarted } = status;
    if (retryAfterMs !== undefined) {
      const text = this.#textOf((waits) => waits.retryCountdown(status, retryAfterMs));
      // Screen readers announce this once, not every second.
      return text ? html`<p part="notice" aria-hidden="true">${text}</p>` : nothing;
    }
    const notice = unfinished ? "stepUnfinished" : restarted ? "restarted" : undefined;
    if (!notice) return nothing;
    const words = unfinished ? ownWords(status) : undefined;
    return html`<p part="notice">${withWords(this.#term(notice), words)}</p>`;
  }

  #showFields({ stage }: Shown): void {
    const { fields, ready } = this.#view;
    if (fields) {
      const purpose = `${stage} ${this.#purpose}`;
      const isBusy = (): boolean => this.#run.session?.busy !== false;
      const form = this.#form.show({ purpose, fields, isBusy, submit: this.#submit });
      ready?.(form);
    }
    // Keep the user's input if a server is only temporarily unavailable.
    else if (!this.#pause) this.#form.remove();
  }

  #open(dialog: HTMLDialogElement): void {
    const before = focusedElement(this.#host);
    const hasAsked = hasPressedFor(this.#startedAt);
    const mayType = isTextField(before) && !this.#host.contains(before) && !hasAsked;
    const { anchorNode = null, anchorOffset } = getSelection() ?? {};
    if (!this.#window.show(dialog, !this.#view.nonModal)) return;
    this.#reasons = [];
    this.#guard.opened(dialog);
    ignoreScrollLocks(dialog);
    window.addEventListener("keydown", this.#onKeydown, true);
    if (mayType) {
      expectTyping();
      // Opening a dialog has moved the focus into it.
      this.#window.unblock();
      before.focus({ preventScroll: true });
      // Safari has moved an editor's caret to the start.
      if (before.isContentEditable) getSelection()?.collapse(anchorNode, anchorOffset);
    }
    // Browsers focus different elements first. Enter must not cancel an action that has only just
    // started.
    if (!this.#run.session && !isTyping()) this.#window.heading?.focus();
    // Test environments might not have a layout.
    if (this.#resizes || !(globalThis as Partial<typeof globalThis>).ResizeObserver) return;
    this.#resizes = new ResizeObserver(() => this.#checkVisibility(dialog));
    this.#resizes.observe(dialog);
  }

  /**
   * The page might have put the dialog into a hidden element, such as one with `hidden` or a closed
   * `<details>`.
   */
  #checkVisibility(dialog: HTMLDialogElement): boolean {
    if (isVisible(dialog)) return true;
    const message = "The dialog is inside an element that is not displayed";
    this.#run.fail(new UiaError("not_visible", message));
    return false;
  }

  #setFocus(dialog: HTMLDialogElement): void {
    scrollIntoView(dialog.querySelector("[part=error]"));
    const submit = dialog.querySelector<HTMLElement>("[part=submit]");
    // In this state the fields are hidden.
    if (this.#pause) return submit?.focus();
    if (this.#form.focusInvalid()) return;
    const { stage } = this.#run.session ?? {};
    const slotted = [...this.#host.children].filter(({ slot }) => slot === stage);
    const place =
      this.#form.element?.querySelector<HTMLElement>("input:not([readonly], [type=submit])") ??
      slotted
        .flatMap((each) => [each, ...each.querySelectorAll("*")] as HTMLElement[])
        .find((each) => each.matches("[autofocus], input, select, textarea, button, a")) ??
      submit ??
      dialog.querySelector("uia-fallback-frame");
    place?.focus();
    // The field contains an address that the user wants to change.
    if (place instanceof HTMLInputElement) place.select();
    // A pressed button that still exists keeps the focus.
    if (!this.#window.hasFocus) this.#window.heading?.focus();
  }

  /** @returns Whether a failure doesn't concern the user's input. */
  readonly #submit = async (values = new FormData()): Promise<boolean> => {
    const { session } = this.#run;
    if (!session || (session.busy && !this.#pause)) return false;
    await this.#view.onSubmit?.(values);
    // The run receives the failure after the stage.
    await new Promise((resolve) => setTimeout(resolve));
    const { errcode = "" } = this.#run.session?.status ?? {};
    const { failure } = this.#run;
    const isOutside = failure !== undefined && saysNothing(asClientError(failure));
    return this.#pause !== undefined || RETRYABLE_CODES.includes(errcode) || isOutside;
  };

  readonly #onSubmitClick = (): void => {
    // Missing input is reported first, as with Enter.
    if (this.#view.fields) this.#form.submit();
    else void this.#submit();
  };

  readonly #dismiss = (): void => this.#host.cancel("dismissed");

  readonly #onCancel = (event: Event): void => {
    // A file input inside also fires `cancel`.
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    this.#dismiss();
  };

  /**
   * Only this dialog handles Escape and Tab. A modal of the page, which might listen on the
   * document, must not also close or set the focus. The page's own content in the dialog gets the
   * key first.
   */
  readonly #onKeydown = (event: KeyboardEvent): void => {
    const isTab = event.key === "Tab";
    if (!(isTab || event.key === "Escape") || event.defaultPrevented || isComposing(event)) return;
    const path = this.#pathOf(event);
    if (!path) return;
    if (event.currentTarget === window && isOfPage(path, this.#host)) return;
    if (isTab) return event.stopImmediatePropagation();
    // If a menu of the page is open, the browser closes that first.
    if (hasOpenMenu(this.#host)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#dismiss();
  };

  /**
   * The path of a key event in the dialog. A closed shadow root around the dialog hides the path,
   * but not the focused element.
   */
  #pathOf(event: KeyboardEvent): readonly EventTarget[] | undefined {
    const { dialog } = this.#window;
    const path = event.composedPath();
    if (dialog && path.includes(dialog)) return path;
    return event.isTrusted && this.#window.hasFocus
      ? pathOf(focusedElement(this.#host))
      : undefined;
  }

  /** A click outside the controls, or outside the dialog, leaves the focus where it is. */
  readonly #onMousedown = (event: MouseEvent): void => {
    if (event.target === event.currentTarget) event.preventDefault();
  };

  /** Browsers close a dialog at the second Escape, even if the first one was prevented. */
  readonly #onClose = ({ target, currentTarget }: Event): void => {
    const { open } = currentTarget as HTMLDialogElement;
    if (target === currentTarget && !open && !this.#closed) this.#dismiss();
  };
}

/** A text of a call, in the page's current language. */
function written(text: DialogCall["heading"]): string | undefined {
  return typeof text === "function" ? text() : text;
}
