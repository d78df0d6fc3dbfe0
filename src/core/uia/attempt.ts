import { retry } from "../http/retry.js";
import { wait } from "../http/wait.js";
import { failureStatus, readFailure } from "./failure.js";
import type { IStageStatus } from "./options.js";

export const MAX_RESENDS = 5;
/** A longer wait is reported as an error, because users don't wait that long. */
export const MAX_RESEND_WAIT_MS = 5 * 60_000;
/** The wait if the homeserver requests none. It doubles each time. */
export const FIRST_RESEND_WAIT_MS = 1000;

/**
 * Repeats a request after each rate limit. `notify` is called for each.
 *
 * @param signal Ends the wait. Without it, the request is sent once.
 */
export const retryRateLimited = <T>(
  request: () => Promise<T>,
  signal: AbortSignal | undefined,
  notify: (status: IStageStatus) => void,
): Promise<T> =>
  retry(request, (error, attempts) => {
    const failure = readFailure(error);
    const retryAfterMs = failure.retryAfterMs ?? FIRST_RESEND_WAIT_MS * 2 ** (attempts - 1);
    const isWanted = signal?.aborted === false && retryAfterMs <= MAX_RESEND_WAIT_MS;
    if (failure.status !== 429 || attempts > MAX_RESENDS || !isWanted) return undefined;
    notify({ ...failureStatus(failure), retryAfterMs });
    return wait(retryAfterMs, signal).catch(() => {
      throw error;
    });
  });

/** One call of `attemptAuth()`, which makes its requests one after another. */
export class Attempt<T> {
  #resolve!: (value: T) => void;
  #reject!: (reason: unknown) => void;
  readonly promise: Promise<T> = new Promise<T>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });
  #last: Promise<void> = Promise.resolve();
  /** The number of functions that run or wait. */
  pending = 0;
  /** Whether a new session has replaced one that the homeserver did not recognize. */
  restarted = false;
  dummySent = false;
  readonly #over = new AbortController();
  /** Aborts when there is an outcome. */
  readonly over = this.#over.signal;

  isOver(): boolean {
    return this.over.aborted;
  }

  resolve(value: T): void {
    this.#over.abort();
    this.#resolve(value);
  }

  reject(reason: unknown): void {
    this.#over.abort();
    this.#reject(reason);
  }

  /** Runs a function after the previous ones. If it rejects, the attempt rejects. */
  enqueue(run: () => Promise<void>): Promise<void> {
    this.pending += 1;
    this.#last = this.#last
      .then(() => (this.isOver() ? undefined : run()))
      .catch((error: unknown) => this.reject(error))
      .finally(() => (this.pending -= 1));
    return this.#last;
  }
}

/** Reports the start of the first wait and the end of the last one. */
export class BusyTracker {
  readonly #notify: (busy: boolean) => void;
  readonly #waits = new Set<unknown>();

  constructor(notify: (busy: boolean) => void) {
    this.#notify = notify;
  }

  get busy(): boolean {
    return this.#waits.size > 0;
  }

  async during(run: () => Promise<void>): Promise<void> {
    const wait = Symbol();
    try {
      this.set(wait, true);
      await run();
    } finally {
      this.set(wait, false);
    }
  }

  set(wait: unknown, lasts: boolean): void {
    const { busy } = this;
    if (lasts) this.#waits.add(wait);
    else this.#waits.delete(wait);
    if (this.busy !== busy) this.#notify(this.busy);
  }

  /** Reports the end of all waits, even if some are still running. */
  end(): void {
    if (!this.busy) return;
    this.#waits.clear();
    this.#notify(false);
  }
}
