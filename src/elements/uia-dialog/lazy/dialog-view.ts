import { html, nothing, type TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session-context.js";
import type { IStageStatus } from "../../../core/index.js";
import { AuthType } from "../../../core/uia/auth-type.js";
import type { Texts } from "../../../locales/translation.js";
import { sharedStyles } from "../../shared/styles.js";
import { uiaTokens } from "../../shared/lazy/uia-tokens.js";
import type { Course } from "./dialog-controller.js";
import { FieldsForm } from "./stage-form.js";
import { directionAt, knownTag, languagesOf } from "./format-text.js";
import { FocusReturn } from "./dialog-focus.js";
import { errorText, stageError, waitText, type StageError } from "./stage-error.js";
import { stageOf } from "./stages/index.js";
import type { StageView } from "./stages/stage-view.js";
import type { UiaDialogElement, UiaDialogState } from "../uia-dialog.js";
import { dialogStyles } from "./dialog.styles.js";

/** Slots that are never stages, whatever the homeserver calls its stages. */
const OWN_SLOTS: readonly string[] = ["heading", "description", "fields"];

let count = 0;

/** Renders a course and manages the focus. */
export class DialogView {
  readonly #host: UiaDialogElement;
  readonly #course: Course;
  readonly #form: FieldsForm;
  readonly #prefix = `uia-${(count += 1)}-`;
  #view: StageView = {};
  #error: StageError | undefined;
  /** What the view itself found wrong; valid until the stage's status changes. */
  #refused: { readonly error: StageError; readonly status: IStageStatus } | undefined;
  #closed = false;
  readonly #before: Element | null;
  #focusReturn: FocusReturn | undefined;
  /** What the focus was last set for, so that it is not moved without need. */
  #focused: readonly unknown[] = [];

  /** @param before What had the focus when the request started. */
  constructor(host: UiaDialogElement, course: Course, before: Element | null) {
    this.#host = host;
    this.#course = course;
    this.#before = before;
    this.#form = new FieldsForm(host);
    const { renderRoot } = host;
    if (renderRoot instanceof ShadowRoot && renderRoot.adoptedStyleSheets.length === 0) {
      renderRoot.adoptedStyleSheets = [sharedStyles, uiaTokens, dialogStyles].flatMap(
        ({ styleSheet }) => styleSheet ?? [],
      );
    }
  }

  render(): TemplateResult | typeof nothing {
    const { session } = this.#course;
    if (!session) return nothing;
    const failed = this.#course.state === "failed";
    this.#error = failed ? undefined : this.#errorOf(session);
    this.#view = this.#viewOf(session, failed);
    const { ask, told, body, error, waits = false } = this.#view;
    const busy = (session.busy || waits) && !failed;
    if (error) this.#error = { text: error, code: "load_failed" };
    return html`<dialog
      part="dialog"
      dir=${directionAt(this.#host, this.#host.localize) ?? nothing}
      aria-labelledby="heading"
      aria-describedby="progress description ask"
      @keydown=${this.#onKeydown}
      @cancel=${this.#onCancel}
      @close=${this.#onClose}
    >
      ${session.steps > 1 ? this.#renderProgress(session) : nothing}
      <h2 id="heading" part="heading" tabindex="-1">
        <slot name="heading">${this.#host.heading || this.#term("uiaHeading")}</slot>
      </h2>
      <div id="description" part="description"><slot name="description"></slot></div>
      <div
        part="stage ${session.stage.replace(/[^\w-]/g, "-")}"
        aria-busy=${busy ? "true" : "false"}
        ?hidden=${failed}
      >
        <div id="ask" part="ask" role="status">
          ${ask ? html`<p>${ask}</p>` : nothing}${told ?? nothing}
        </div>
        ${body ?? nothing}
        <slot name=${session.stage}><slot name="fields"></slot></slot>
      </div>
      <div role="alert">${this.#renderNews(session)}</div>
      ${this.#renderOthers()}
      <div class="said" role="status">${busy && !waits ? this.#term("uiaWorking") : nothing}</div>
      <div part="actions">
        <slot name="actions"></slot>
        <button part="cancel" type="button" @click=${this.#onDismiss}>
          ${this.#term("uiaCancel")}
        </button>
        ${this.#renderSubmit(busy)}
      </div>
    </dialog>`;
  }

  /** Opens the dialog, shows the fields and sets the focus. Call it after each render. */
  shown(): void {
    const { session, state } = this.#course;
    const dialog = this.#dialog;
    if (!session || !dialog?.isConnected) return;
    this.#showFields(session, state);
    this.#open(dialog);
    // The focused element may be gone, as the form is while its message is being sent.
    const lost = !this.#hasFocus && !this.#isBeside;
    if (!session.busy) this.#focusOnNews(dialog, session, lost);
    else if (lost) this.#heading?.focus();
  }

  /** Closes the dialog and gives the focus back. */
  close(): void {
    this.#closed = true;
    this.#form.remove();
    this.#dialog?.close();
    this.#focusReturn?.focus();
  }

  /** What the fields are for: another purpose needs another form. */
  get #purpose(): string {
    const { errorField = "", purpose = errorField } = this.#view;
    return purpose;
  }

  get #dialog(): HTMLDialogElement | null {
    // There is no render root before the host is first connected.
    return (this.#host.renderRoot as ParentNode | undefined)?.querySelector("dialog") ?? null;
  }

  /** Chromium's `:focus-within` does not work for a modal dialog in a shadow root. */
  get #hasFocus(): boolean {
    const root = this.#host.getRootNode();
    const { activeElement } = root instanceof ShadowRoot ? root : document;
    return this.#host.contains(activeElement);
  }

  /** Whether the focus is in what a stage has opened beside the dialog. */
  get #isBeside(): boolean {
    return this.#view.opensBeside === true && document.activeElement !== document.body;
  }

  get #heading(): HTMLElement | null {
    return this.#host.renderRoot.querySelector("h2");
  }

  #term(key: keyof Texts): string {
    return this.#host.localize.term(key);
  }

  #viewOf(session: UiaSession, failed: boolean): StageView {
    if (failed) return { action: this.#term("tryAgain"), act: this.#course.retry };
    // The page shows this stage itself.
    const brought = [...this.#host.children].some(({ slot }) => slot === session.stage);
    if (brought && !OWN_SLOTS.includes(session.stage)) {
      return { opensBeside: session.stage === AuthType.Recaptcha };
    }
    return stageOf(
      session.stage,
      this.#host.supportedStages,
    )({
      session,
      term: (key) => this.#term(key),
      language: knownTag(this.#host.localize.language) ?? "en",
      id: (name) => this.#prefix + name,
      invalid: this.#error !== undefined,
      loadCaptcha: this.#host.loadCaptcha,
      refresh: () => this.#host.requestUpdate(),
      refuse: (text) => {
        this.#refused = { error: { text }, status: session.status };
        this.#host.requestUpdate();
      },
    });
  }

  #errorOf(session: UiaSession): StageError | undefined {
    if (this.#refused?.status === session.status) return this.#refused.error;
    return stageError(session);
  }

  #renderProgress({ step, steps }: UiaSession): TemplateResult {
    const languages = languagesOf(this.#host.localize, "uiaStep");
    const text = this.#term("uiaStep")
      .replace("{step}", step.toLocaleString(languages))
      .replace("{steps}", steps.toLocaleString(languages));
    return html`<p id="progress" part="progress" role="status">${text}</p>`;
  }

  /** Messages that belong to no field. */
  #renderNews({ status, unfinished }: UiaSession): TemplateResult | typeof nothing {
    const { localize } = this.#host;
    const { failure } = this.#course;
    if (failure !== undefined) {
      const answered = "httpStatus" in Object(failure);
      return html`<p part="error" class="error">
        ${this.#term(answered ? "uiaServer" : "uiaNetwork")}
      </p>`;
    }
    if (status.retryAfterMs !== undefined) {
      return html`<p part="notice">${waitText(localize, status.retryAfterMs)}</p>`;
    }
    if (this.#error && !this.#view.errorField) {
      return html`<p part="error" class="error">
        <slot name="error-${this.#error.code ?? status.errcode}"
          ><slot name="error">${errorText(localize, this.#error)}</slot></slot
        >
      </p>`;
    }
    const notice = unfinished ? "uiaUnfinished" : status.restarted ? "uiaRestarted" : undefined;
    return notice ? html`<p part="notice">${this.#term(notice)}</p>` : nothing;
  }

  #renderFieldError(): TemplateResult | typeof nothing {
    if (!this.#error) return nothing;
    return html`<p class="error" id="${this.#prefix}error" role="alert">
      ${errorText(this.#host.localize, this.#error)}
    </p>`;
  }

  #renderOthers(): TemplateResult | typeof nothing {
    const { others } = this.#view;
    if (!others) return nothing;
    return html`<div class="others">
      ${others.map(
        ({ label, act, disabled = false }) =>
          html`<button
            part="other"
            type="button"
            aria-disabled=${disabled ? "true" : nothing}
            @click=${disabled ? nothing : act}
          >
            ${label}
          </button>`,
      )}
    </div>`;
  }

  #renderSubmit(busy: boolean): TemplateResult | typeof nothing {
    const { action } = this.#view;
    if (!action) return busy ? html`<span part="spinner"></span>` : nothing;
    return html`<button
      part="submit"
      type="button"
      aria-disabled=${busy ? "true" : nothing}
      aria-busy=${busy ? "true" : nothing}
      @click=${this.#onSubmitClick}
    >
      <span>${action}</span>${busy ? html`<span part="spinner"></span>` : nothing}
    </button>`;
  }

  #showFields({ stage }: UiaSession, state: UiaDialogState): void {
    const { fields, ready, errorField } = this.#view;
    if (fields) {
      const error = errorField ? this.#renderFieldError() : nothing;
      const form = this.#form.show(`${stage} ${this.#purpose}`, fields, error, this.#submit);
      ready?.(form);
    }
    // Keep what is filled in if a server is only out of reach.
    else if (state !== "failed") this.#form.remove();
  }

  #open(dialog: HTMLDialogElement): void {
    const modal = !this.#view.opensBeside;
    // Moving it in the document makes it non-modal.
    if (dialog.open && dialog.matches(":modal") === modal) return;
    this.#focusReturn ??= new FocusReturn(this.#before);
    // By the time its `close` event fires it is open again.
    dialog.close();
    if (modal) dialog.showModal();
    else dialog.show();
    this.#focused = [];
  }

  /** Sets the focus when something new is asked for or shown, or when the focus is lost. */
  #focusOnNews(dialog: HTMLDialogElement, session: UiaSession, lost: boolean): void {
    const news = [this.#error && session.status, this.#refused, session.unfinished];
    // Not compared by text: the language may change while a user types.
    const wanted = [session.stage, this.#course.state, this.#purpose, ...news];
    if (!lost && wanted.every((value, index) => value === this.#focused[index])) return;
    this.#focused = wanted;
    this.#focus(dialog);
  }

  #focus(dialog: HTMLDialogElement): void {
    const own = `[slot="${CSS.escape(this.#course.session?.stage ?? "")}"]`;
    const form = this.#form.element;
    const submit = dialog.querySelector<HTMLElement>("[part=submit]");
    // The fields are kept then, but hidden.
    if (this.#course.state === "failed") return submit?.focus();
    const place =
      form?.querySelector<HTMLElement>("[aria-invalid]") ??
      form?.querySelector<HTMLElement>("input:not([readonly], [type=submit]), select") ??
      this.#host.querySelector<HTMLElement>(
        `:is(${own}, ${own} *):is([autofocus], input, select, textarea, button, a)`,
      ) ??
      submit;
    // A button that was pressed and is still there keeps it.
    (place ?? (this.#hasFocus ? undefined : this.#heading))?.focus();
  }

  /** Submits the fields, and empties password fields. */
  readonly #submit = (): void => {
    const { session } = this.#course;
    if (!session || (session.busy && this.#course.state !== "failed")) return;
    const form = this.#view.fields && this.#form.element;
    const values = new FormData(form);
    for (const field of form?.querySelectorAll<HTMLInputElement>("[type=password]") ?? []) {
      field.value = "";
    }
    this.#view.act?.(values);
  };

  readonly #onSubmitClick = (): void => {
    const form = this.#view.fields && this.#form.element;
    // As Enter does: the browser first points out what is missing.
    if (form) form.requestSubmit();
    else this.#submit();
  };

  readonly #onDismiss = (): void => this.#course.dismiss("dismissed");

  readonly #onCancel = (event: Event): void => {
    // A file input inside fires `cancel` too.
    if (event.target !== this.#dialog) return;
    event.preventDefault();
    this.#course.dismiss("dismissed");
  };

  /** Browsers handle Escape for modal dialogs only. */
  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !this.#dialog?.matches(":modal"))
      this.#course.dismiss("dismissed");
  };

  /** Browsers close a dialog at the second Escape, even if the first was prevented. */
  readonly #onClose = (event: Event): void => {
    const dialog = this.#dialog;
    if (event.target === dialog && !dialog?.open && !this.#closed)
      this.#course.dismiss("dismissed");
  };
}
