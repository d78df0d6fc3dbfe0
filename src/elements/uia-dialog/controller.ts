import { UiaError } from "../../core/uia/errors.js";
import { UiaCancelEvent, UiaErrorEvent, UiaSuccessEvent } from "../../events/uia.js";
import { focusedElement } from "../../ui/focus.js";
import { Operation } from "../../ui/operation.js";
import { accountMismatch, assertOneAccount, hasAccount, isSameAccount } from "./one-account.js";
import type { DialogCall } from "./options.js";
import type { UiaDialogElement } from "./uia-dialog.js";
import { DialogView } from "./view.js";

export { watchHaste } from "../../ui/haste.js";

/** The dialog's state; also a `:state()` of the element. */
export type UiaDialogState = "idle" | "busy" | "awaiting-input" | "error";

/** The calls of a dialog, which it carries out one after another. */
export class DialogController {
  readonly #host: UiaDialogElement;
  readonly #operation = new Operation();
  /** The last run, which closes gently. */
  #view: DialogView | undefined;
  /** The outcome of the call that is running. */
  #running: Promise<unknown> | undefined;
  /** The calls that run or wait, in order. */
  #pending: readonly SharedCall[] = [];
  /** Whether the listeners of `uia-cancel` are being asked. */
  #isAsking = false;
  result: unknown;
  error: unknown;

  constructor(host: UiaDialogElement) {
    this.#host = host;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  get publicState(): UiaDialogState {
    return this.#view?.run.publicState ?? (this.isBusy ? "busy" : "idle");
  }

  get session(): UiaDialogElement["session"] {
    return this.#view?.run.session;
  }

  render(): unknown {
    return this.#view?.render();
  }

  /**
   * @param account A call with the account that this one must have, too.
   * @param given The promise that the caller has already, which follows the one that this returns.
   */
  call(call: DialogCall, account: DialogCall = call, given?: Promise<unknown>): Promise<unknown> {
    const { key, signal } = call;
    if (hasAccount(account) && !isSameAccount(account, call)) {
      return Promise.reject(accountMismatch());
    }
    if (signal?.aborted) return Promise.reject(cancelled(signal.reason));
    let shared = this.#pending.find(
      (each) => each.call.key === key && isSameAccount(each.call, call),
    );
    if (!shared) {
      shared = new SharedCall(call, (own) => this.#next(own), given);
      this.#pending = [...this.#pending, shared];
    }
    return shared.join(signal, given !== undefined);
  }

  cancel(reason: unknown): void {
    if (!this.#operation.isRunning || this.#isAsking) return;
    // What a listener starts is new.
    const asked = this.#pending;
    this.#isAsking = true;
    const agreed = this.#host.dispatchEvent(new UiaCancelEvent({ reason }));
    this.#isAsking = false;
    if (agreed) {
      this.#operation.cancel(reason);
      // Otherwise the dialog of the next call would open in the place of this one.
      for (const each of asked) each.cancel(reason);
    } else if (this.#view) {
      this.#host.open = !!this.#view.run.shown;
      this.#host.requestUpdate();
    }
  }

  /** The element has left the document. */
  reset(): void {
    this.#operation.cancel();
  }

  async #next(call: DialogCall): Promise<unknown> {
    const { signal } = call;
    const aborted = new Promise((resolve) => signal?.addEventListener("abort", resolve));
    let { opener } = call;
    while (this.#running && !signal?.aborted) {
      await Promise.race([this.#running.catch(() => undefined), aborted]);
      opener = focusedElement(this.#host);
    }
    if (signal?.aborted) {
      this.#forget(call);
      throw cancelled(signal.reason);
    }
    const running = (this.#running = this.#carryOut(call, opener));
    this.#host.stateChanged();
    return running;
  }

  #forget(call: DialogCall): void {
    this.#pending = this.#pending.filter((each) => each.call !== call);
  }

  async #carryOut(call: DialogCall, opener: Element | null): Promise<unknown> {
    this.result = this.error = undefined;
    let view: DialogView | undefined;
    let failure: UiaErrorEvent | undefined;
    const current = await this.#operation.run(async (signal) => {
      try {
        assertOneAccount(call);
        view = this.#view = new DialogView(this.#host, call, signal, opener);
        this.result = await view.run.run();
      } catch (error) {
        failure = new UiaErrorEvent((this.error = error));
      }
      return true;
    }, call.signal);
    const { result } = this;
    view?.close();
    this.#running = undefined;
    this.#forget(call);
    this.#host.open = false;
    // Close first: if a listener starts again immediately, the close must not cancel that attempt.
    this.#host.applyProperties();
    this.#host.stateChanged();
    // After a cancellation, `uia-cancel` has already fired, or the dialog is no longer in a document.
    if (!failure) this.#host.dispatchEvent(new UiaSuccessEvent({ result }));
    else if (current) this.#host.dispatchEvent(failure);
    if (failure) throw failure.detail.error;
    return result;
  }
}

/**
 * A call that others with the same key have joined. The request is aborted only once all of them have
 * aborted, and each promise as soon as its own caller has.
 */
class SharedCall {
  readonly call: DialogCall;
  readonly #outcome: Promise<unknown>;
  /** What all callers without a signal have. */
  readonly #promise: Promise<unknown>;
  readonly #aborted = new AbortController();
  #callers = 0;

  /**
   * @param carryOut Runs the call.
   * @param given The promise that the first caller has already.
   */
  constructor(
    call: DialogCall,
    carryOut: (call: DialogCall) => Promise<unknown>,
    given?: Promise<unknown>,
  ) {
    const { signal } = call;
    this.call = { ...call, signal: this.#aborted.signal };
    this.#outcome = carryOut(this.call);
    this.#promise = (!signal && given) || this.#outcome;
  }

  /** For all callers. */
  cancel(reason: unknown): void {
    this.#aborted.abort(reason);
  }

  /**
   * @param signal The caller's.
   * @param hasPromise Whether the caller has a promise, which follows the one that this returns.
   */
  join(signal: AbortSignal | undefined, hasPromise: boolean): Promise<unknown> {
    this.#callers += 1;
    if (!signal) return hasPromise ? this.#outcome : this.#promise;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#callers -= 1;
        if (this.#callers === 0) this.#aborted.abort(signal.reason);
        else reject(cancelled(signal.reason));
      };
      signal.addEventListener("abort", leave);
      const done = () => signal.removeEventListener("abort", leave);
      this.#outcome.finally(done).then(resolve, reject);
    });
  }
}

const cancelled = (reason: unknown): UiaError =>
  new UiaError("cancelled", "The authentication was cancelled", reason);
