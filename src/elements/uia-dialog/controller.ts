import { UiaCancelEvent, UiaErrorEvent, UiaSuccessEvent } from "../../events/uia.js";
import { focusedElement } from "../../ui/focus.js";
import { Operation } from "../../ui/operation.js";
import { accountMismatch, assertOneAccount, hasAccount, isSameAccount } from "./one-account.js";
import type { DialogCall } from "./options.js";
import { cancelled, DialogRun, type Stages } from "./run.js";
import type { UiaDialogElement } from "./uia-dialog.js";

/** The dialog's state; also a `:state()` of the element. */
export type UiaDialogState = "idle" | "busy" | "awaiting-input" | "error";

/** What the dialog does. */
type DialogState =
  /** With the outcome of the last call. */
  | { readonly name: "idle"; readonly result?: unknown; readonly error?: unknown }
  /** A call runs until `ended`. `asking`: the listeners of `uia-cancel` are being asked. */
  | { readonly name: "running" | "asking"; readonly ended: Promise<void> };

/** What shows a run. */
interface RunView {
  render(): unknown;
  close(): void;
}

/** @param opener The element that had the focus at the start. */
type ShowRun = (run: DialogRun, signal: AbortSignal, opener: Element | null) => RunView;

/** The calls of a dialog, which it carries out one after another. */
export class DialogController {
  readonly #host: UiaDialogElement;
  readonly #stages: Stages;
  readonly #show: ShowRun;
  readonly #operation = new Operation();
  #state: DialogState = { name: "idle" };
  /** The last run, and its view, which closes gently. */
  #run: DialogRun | undefined;
  #view: RunView | undefined;
  /** The running and waiting calls, in order. */
  #pending: readonly SharedCall[] = [];

  constructor(host: UiaDialogElement, stages: Stages, show: ShowRun) {
    this.#host = host;
    this.#stages = stages;
    this.#show = show;
  }

  get result(): unknown {
    return this.#state.name === "idle" ? this.#state.result : undefined;
  }

  get error(): unknown {
    return this.#state.name === "idle" ? this.#state.error : undefined;
  }

  get publicState(): UiaDialogState {
    return this.#run?.publicState ?? (this.#state.name === "idle" ? "idle" : "busy");
  }

  get session(): UiaDialogElement["session"] {
    return this.#run?.session;
  }

  render(): unknown {
    return this.#view?.render();
  }

  /** The call that runs. */
  get current(): DialogCall | undefined {
    return this.#pending[0]?.call;
  }

  /**
   * @param account A call with the account that this one must have, too.
   * @param given The promise that the caller already has. It follows the returned promise.
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
    const state = this.#state;
    if (state.name !== "running" || !this.#operation.isRunning) return;
    // A call that a listener starts is a new one, and isn't cancelled.
    const asked = this.#pending;
    this.#become({ ...state, name: "asking" });
    const agreed = this.#host.dispatchEvent(new UiaCancelEvent({ reason }));
    this.#become(state);
    if (agreed) {
      this.#operation.cancel(reason);
      // Otherwise the dialog of the next call would open instead of this one.
      for (const each of asked) each.cancel(reason);
    } else this.#host.open = !!this.#run?.shown;
  }

  /** The element has left the document. */
  reset(): void {
    this.#operation.cancel();
  }

  async #next(call: DialogCall): Promise<unknown> {
    const { signal } = call;
    const aborted = new Promise((resolve) => signal?.addEventListener("abort", resolve));
    let { opener } = call;
    while (this.#state.name !== "idle" && !signal?.aborted) {
      await Promise.race([this.#state.ended, aborted]);
      opener = focusedElement(this.#host);
    }
    if (signal?.aborted) {
      this.#forget(call);
      throw cancelled(signal.reason);
    }
    let end = (): void => undefined;
    this.#become({ name: "running", ended: new Promise((resolve) => (end = resolve)) });
    return this.#carryOut(call, opener).finally(end);
  }

  #forget(call: DialogCall): void {
    this.#pending = this.#pending.filter((each) => each.call !== call);
  }

  async #carryOut(call: DialogCall, opener: Element | null): Promise<unknown> {
    let result: unknown;
    let failure: UiaErrorEvent | undefined;
    let view: RunView | undefined;
    const current = await this.#operation.run(async (signal) => {
      try {
        assertOneAccount(call);
        const run = (this.#run = new DialogRun(this.#host, call, signal, this.#stages));
        view = this.#view = this.#show(run, signal, opener);
        result = await run.run();
      } catch (error) {
        failure = new UiaErrorEvent(error);
      }
      return true;
    }, call.signal);
    view?.close();
    this.#forget(call);
    this.#host.open = false;
    // Close first: if a listener immediately starts another attempt, the close must not cancel that
    // attempt.
    this.#host.applyProperties();
    this.#become({ name: "idle", result, error: failure?.detail.error });
    // After a cancellation, `uia-cancel` has already fired, or the dialog is no longer in a document.
    if (!failure) this.#host.dispatchEvent(new UiaSuccessEvent({ result }));
    else if (current) this.#host.dispatchEvent(failure);
    if (failure) throw failure.detail.error;
    return result;
  }

  #become(state: DialogState): void {
    this.#state = state;
    this.#host.stateChanged();
  }
}

/**
 * A call that other calls with the same key can join. The request is aborted only once all callers
 * have aborted. Each promise rejects as soon as its own caller has aborted.
 */
class SharedCall {
  readonly call: DialogCall;
  readonly #outcome: Promise<unknown>;
  /** The promise for all callers without a signal. */
  readonly #promise: Promise<unknown>;
  readonly #aborted = new AbortController();
  #callers = 0;

  /**
   * @param carryOut Runs the call.
   * @param given The promise that the first caller already has.
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

  /** Cancels the call for all callers. */
  cancel(reason: unknown): void {
    this.#aborted.abort(reason);
  }

  /**
   * @param signal The caller's.
   * @param hasPromise Whether the caller already has a promise. It follows the returned promise.
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
