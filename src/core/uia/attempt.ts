import { wait } from "../http/wait.js";
import type { RateLimitStatus } from "./rate-limit.js";

/** One call of `attemptAuth()`: its outcome, and its requests one after the other. */
export class Attempt<T> {
  readonly promise: Promise<T>;
  #resolve!: (value: T) => void;
  #reject!: (reason: unknown) => void;
  #last: Promise<void> = Promise.resolve();
  #pending = 0;
  /** Whether a new session was started in place of one that the homeserver did not know. */
  restarted = false;
  /** Whether the session's `m.login.dummy` was submitted. */
  dummySent = false;
  readonly #over = new AbortController();

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether a request is in progress or queued. */
  get occupied(): boolean {
    return this.#pending > 0;
  }

  /** Aborts when there is an outcome. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

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

  /** Runs after everything that was queued before. If it rejects, that is the attempt's outcome. */
  enqueue(run: () => Promise<void>): Promise<void> {
    this.#pending += 1;
    this.#last = this.#last
      .then(() => (this.isOver() ? undefined : run()))
      .catch((error: unknown) => this.reject(error))
      .finally(() => (this.#pending -= 1));
    return this.#last;
  }

  /** Waits out a rate limit. @returns Whether there is no outcome yet: otherwise nothing should be sent. */
  async waitOut(
    status: RateLimitStatus,
    notify: (status: RateLimitStatus) => void,
  ): Promise<boolean> {
    if (this.isOver()) return false;
    notify(status);
    await wait(status.retryAfterMs, this.over).catch(() => undefined);
    return !this.isOver();
  }
}

/** What a part of the authentication may do with the attempt. */
export type RunningAttempt = Pick<Attempt<never>, "isOver" | "waitOut">;
