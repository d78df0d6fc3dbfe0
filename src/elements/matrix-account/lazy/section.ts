import { html, nothing, type TemplateResult } from "lit";
import { RequestError } from "../../../core/http/errors.js";
import { MatrixError } from "../../../core/matrix/error.js";
import { readFailure } from "../../../core/uia/failure.js";
import type { MatrixAccountChangeEvent } from "../../../events/matrix-account.js";
import {
  asCodedError,
  type CodedError,
  errorSentence,
  OAUTH_ERRORS,
  refusalContext,
  REQUEST_ERRORS,
  UIA_ERRORS,
} from "../../../sign-in/lazy/error-text.js";
import type { Texts } from "../../../texts/texts.js";
import type { AuthHost } from "../../../ui/element.js";
import { Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import { type Turn, Turns } from "../../../ui/turn.js";
import type { AuthenticateOptions, DoRequest } from "../../uia-dialog/lazy/host.js";
import type { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";
import type { Account, AccountSectionName } from "./account.js";

/** What a section needs of its element. */
export interface AccountModel {
  readonly host: AuthHost;
  /** Loads the dialog, through which protected requests are made. */
  loadDialog(): Promise<UiaDialogElement>;
  /** Reports what the homeserver has confirmed. */
  report(change: MatrixAccountChangeEvent["detail"]): void;
  /** Reports a failure. If the session is over, the account is no longer shown. */
  fail(error: CodedError, section?: AccountSectionName): void;
  /** Before the provider's page is opened. @returns Whether the page lets the element do so. */
  announceLink(action: string, url: string, deviceId?: string): boolean;
  signOut(): Promise<void>;
  /** Other devices were signed out. */
  reloadDevices(): void;
  /** The account exists no longer. */
  deactivated(): void;
}

export type SectionState = "loading" | "ready" | "busy" | "error";

/** How a piece of a section's work is done. */
interface Work {
  /** Default: `busy`. */
  readonly state?: "loading" | "busy";
  /** Shows the failure at its field. @returns Whether it is about one. */
  readonly refused?: (error: CodedError) => boolean;
}

/** A section of the account: it loads, works and fails on its own. */
export abstract class AccountSection {
  abstract readonly name: AccountSectionName;
  abstract readonly heading: keyof Texts;
  readonly model: AccountModel;
  readonly account: Account;
  readonly #countdown: Countdown;
  readonly #turns = new Turns();
  #state: SectionState = "ready";
  #error: CodedError | undefined;
  #notice = "";
  /** The ID of what gets the focus after the next render. */
  #focusNext: string | undefined;

  constructor(model: AccountModel, account: Account) {
    this.model = model;
    this.account = account;
    this.#countdown = new Countdown(model.host);
  }

  get state(): SectionState {
    return this.#state;
  }

  get error(): CodedError | undefined {
    return this.#error;
  }

  get isBusy(): boolean {
    return this.#state === "busy";
  }

  /** Loads what it shows, first or once more. */
  async load(): Promise<void> {
    // Most have nothing to load.
  }

  /** Called after each render. */
  updated(): void {
    const id = this.#focusNext;
    this.#focusNext = undefined;
    if (id) this.model.host.shadowRoot?.getElementById(id)?.focus();
  }

  /** Stops what it does. */
  cancel(): void {
    if (this.isBusy) this.#set(this.#turns.begin(), "ready");
  }

  /** The section goes for good. */
  remove(): void {
    this.#turns.begin();
  }

  render(): TemplateResult {
    const id = `${this.name}-heading`;
    return html`<section
      part="section"
      class="panel"
      data-section=${this.name}
      aria-labelledby=${id}
    >
      <div class="head">
        <h3 part="heading" id=${id} tabindex="-1">${this.term(this.heading)}</h3>
        ${this.isBusy || this.#state === "loading" ? html`<span part="spinner"></span>` : nothing}
      </div>
      <div role="status">${this.#renderStatus()}</div>
      <div role="alert" id="${this.name}-error">
        ${this.#error ? this.#renderError(this.#error) : nothing}
      </div>
      ${this.renderContent()}
    </section>`;
  }

  protected abstract renderContent(): unknown;

  term(key: keyof Texts): string {
    return this.model.host.localize.term(key);
  }

  /** Whether "Try again" loads it: it has nothing else to show. */
  protected get needsLoad(): boolean {
    return false;
  }

  protected update(): void {
    this.model.host.requestUpdate();
  }

  protected notify(notice: string): void {
    this.#notice = notice;
    this.update();
  }

  /** @param id What gets the focus once it is shown. */
  protected focus(id: string): void {
    this.#focusNext = id;
    this.update();
  }

  /** Does one piece of work at a time. @returns Whether it succeeded. */
  protected async work(
    run: (signal: AbortSignal) => Promise<unknown>,
    { state = "busy", refused }: Work = {},
  ): Promise<boolean> {
    if (this.isBusy) return false;
    const turn = this.#turns.begin();
    if (state === "busy") this.#notice = "";
    this.#set(turn, state);
    try {
      await run(turn.signal);
      this.#set(turn, "ready");
      return !turn.isOver();
    } catch (thrown) {
      if (turn.isOver()) return false;
      const error = asAccountError(thrown);
      if (error.code === "cancelled" || refused?.(error)) this.#set(turn, "ready");
      else this.#set(turn, "error", error);
      if (error.code !== "cancelled") this.model.fail(error, this.name);
      return false;
    }
  }

  /** Makes a protected request, which the user confirms in the dialog. @returns Whether it succeeded. */
  protected confirm(
    request: DoRequest,
    options: AuthenticateOptions,
    work?: Work,
  ): Promise<boolean> {
    return this.work(async (signal) => {
      const dialog = await this.model.loadDialog();
      signal.throwIfAborted();
      signal.addEventListener("abort", () => dialog.cancel());
      await dialog.authenticate(request, { submitLabel: options.heading, ...options });
    }, work);
  }

  #set(turn: Turn, state: SectionState, error?: CodedError): void {
    if (turn.isOver()) return;
    this.#state = state;
    this.#error = error;
    this.model.host.stateChanged();
  }

  #renderStatus(): unknown {
    const isLoading = this.#state === "loading" && this.needsLoad;
    if (this.isBusy || isLoading)
      return html`<div class="visually-hidden">${this.term("working")}</div>`;
    return this.#notice ? html`<div part="notice" class="done">${this.#notice}</div>` : nothing;
  }

  #renderError(error: CodedError): TemplateResult {
    return html`${renderError(this.model.host, this.#countdown, error)}
    ${
      this.needsLoad
        ? renderButton({ label: this.term("tryAgain"), onClick: () => void this.load() })
        : nothing
    }`;
  }
}

/** The error's text, in the page's words or the element's. */
export function renderError(
  host: AuthHost,
  countdown: Countdown,
  error: CodedError,
): TemplateResult {
  const context = refusalContext(error) ?? { texts: SECTION_ERRORS };
  const sentence = errorSentence(host.localize, error.code, context);
  return html`<div class="error" part="error" dir="auto">
    <slot name="error">${renderSentence(countdown, host.localize, error, sentence)}</slot>
  </div>`;
}

const SECTION_ERRORS = { ...REQUEST_ERRORS, ...OAUTH_ERRORS, ...UIA_ERRORS };

/** The library's own error for what any client throws, such as matrix-js-sdk's. */
export function asAccountError(thrown: unknown): CodedError {
  if (thrown instanceof MatrixError || Object.hasOwn(Object(thrown) as object, "code")) {
    return asCodedError(thrown);
  }
  const { status, errcode, error, retryAfterMs: retry_after_ms, transient } = readFailure(thrown);
  if (status !== undefined) {
    const body = { errcode, error, retry_after_ms };
    return asCodedError(new MatrixError({ status, body, headers: new Headers() }));
  }
  return transient
    ? new RequestError("network_error", "No response", { cause: thrown })
    : asCodedError(thrown);
}

/** What should be removed was removed elsewhere, which is all the same. @throws any other error. */
export function acceptGone(error: unknown): void {
  if (asAccountError(error).code !== "M_NOT_FOUND") throw error;
}

interface Button {
  readonly label: unknown;
  readonly onClick: (event: Event) => void;
  /** `primary` is what a section is for, `danger` destroys something. Default: neither. */
  readonly kind?: "primary" | "danger" | undefined;
  /** The IDs of what names it, if others have the same label. */
  readonly labelledBy?: string;
  readonly id?: string;
  /** Whether it waits: it keeps the focus. */
  readonly busy?: boolean;
}

export function renderButton(button: Button): TemplateResult {
  const { label, onClick, kind, labelledBy = nothing, id = nothing, busy = false } = button;
  return html`<button
    part=${kind === "danger" ? "danger" : "button"}
    class=${kind ?? "secondary"}
    type="button"
    id=${id}
    aria-labelledby=${labelledBy}
    aria-disabled=${busy ? "true" : nothing}
    @click=${busy ? nothing : onClick}
  >
    ${label}
  </button>`;
}
