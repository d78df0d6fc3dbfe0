import { html, nothing, type TemplateResult } from "lit";
import { RequestError } from "../../../core/http/errors.js";
import { MatrixError } from "../../../core/matrix/error.js";
import { readFailure } from "../../../core/uia/failure.js";
import {
  asCodedError,
  type CodedError,
  errorSentence,
  OAUTH_ERRORS,
  refusalContext,
  REQUEST_ERRORS,
  UIA_ERRORS,
} from "../../../errors/lazy/error-text.js";
import type { Texts } from "../../../texts/texts.js";
import { Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import type { AuthHost } from "../../../ui/element.js";
import { Operation } from "../../../ui/operation.js";

/** The options of an operation. */
export interface Work {
  /** Default: `busy`. */
  readonly state?: "loading" | "busy";
  /** Shows an error at its field. @returns Whether the error belongs to a field. */
  readonly refused?: (error: CodedError) => boolean;
}

/** The base of the account and its sections: one operation at a time, and its error. */
export abstract class Progress<Host extends AuthHost = AuthHost> {
  readonly host: Host;
  readonly #countdown: Countdown;
  readonly #operation = new Operation();
  progress: "loading" | "ready" | "busy" | "error" = "ready";
  failure: CodedError | undefined;

  constructor(host: Host) {
    this.host = host;
    this.#countdown = new Countdown(host);
  }

  get isBusy(): boolean {
    return this.progress === "busy";
  }

  /** Loads the content, the first time or again. */
  async load(): Promise<void> {
    // Most sections have nothing to load.
  }

  /** Whether the content is missing, so that "Try again" loads it. */
  protected get needsLoad(): boolean {
    return false;
  }

  protected abstract failed(error: CodedError): void;

  protected abstract renderStatus(): unknown;

  /** Runs an operation, unless another one is in progress. @returns Whether it succeeded. */
  protected async work(
    run: (signal: AbortSignal) => Promise<unknown>,
    { state = "busy", refused }: Work = {},
  ): Promise<boolean> {
    if (this.isBusy) return false;
    const isDone = await this.#operation.run(async (signal) => {
      this.#set(state);
      try {
        signal.throwIfAborted();
        await run(signal);
        signal.throwIfAborted();
        this.#set("ready");
        return true;
      } catch (thrown) {
        signal.throwIfAborted();
        const error = asAccountError(thrown);
        const isCancelled = error.code === "cancelled";
        if (isCancelled || refused?.(error)) this.#set("ready");
        else this.#set("error", error);
        if (!isCancelled) this.failed(error);
        return false;
      }
    });
    return isDone === true;
  }

  /** Cancels the operation. @param failure The error to show. */
  protected end(failure?: CodedError): void {
    this.#operation.cancel();
    this.#set(failure ? "error" : "ready", failure);
  }

  /** Cancels the operation without a change of the state. */
  stop(): void {
    this.#operation.cancel();
  }

  term(key: keyof Texts): string {
    return this.host.localize.term(key);
  }

  /** Renders the status and the error. @param prefix The start of the IDs. */
  protected renderMessages(prefix = ""): TemplateResult {
    const { failure } = this;
    const onClick = (): unknown => this.load();
    const retry = renderButton({ label: this.term("tryAgain"), kind: "primary", onClick });
    return html`<div role="status" id="${prefix}status" tabindex="-1">${this.renderStatus()}</div>
      <div role="alert" id="${prefix}error">${failure ? this.#renderError(failure) : nothing}</div>
      ${failure && this.needsLoad ? retry : nothing}`;
  }

  #set(progress: typeof this.progress, failure?: CodedError): void {
    this.progress = progress;
    this.failure = failure;
    this.host.stateChanged();
  }

  #renderError(error: CodedError): TemplateResult {
    const { localize } = this.host;
    const sentence = errorSentence(localize, error.code, refusalContext(error) ?? { texts: TEXTS });
    return html`<div class="error" part="error" dir="auto">
      <slot name="error">${renderSentence(this.#countdown, localize, error, sentence)}</slot>
    </div>`;
  }
}

const TEXTS = { ...REQUEST_ERRORS, ...OAUTH_ERRORS, ...UIA_ERRORS };

/** Converts the error of any client, such as matrix-js-sdk's, to an error of the library. */
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

/** Ignores an error that means that the object was removed already. @throws any other error. */
export function acceptGone(error: unknown): void {
  if (asAccountError(error).code !== "M_NOT_FOUND") throw error;
}

export const isSessionOver = ({ code }: CodedError): boolean =>
  ["M_UNKNOWN_TOKEN", "session_ended"].includes(code);

export interface Button {
  readonly label: unknown;
  readonly onClick: () => unknown;
  /** `primary`: the section's main action. `danger`: a destructive action. Default: neither. */
  readonly kind?: "primary" | "danger" | undefined;
  readonly id?: string;
  /** The ID of the element that names the button's object, if other buttons have the same label. */
  readonly about?: string;
  /** Whether the button does nothing for now. It keeps the focus. */
  readonly busy?: boolean;
}

export const renderButton = ({ label, onClick, kind, id, about, busy }: Button): TemplateResult =>
  html`<button
    part=${kind === "danger" ? "danger" : "button"}
    class=${kind ?? "secondary"}
    type="button"
    id=${id ?? nothing}
    aria-labelledby=${about ? [id, about].join(" ") : nothing}
    aria-disabled=${busy ? "true" : nothing}
    @click=${busy ? nothing : onClick}
  >
    ${label}
  </button>`;
