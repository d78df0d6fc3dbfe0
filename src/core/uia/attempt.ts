import { wait } from "../http/wait.js";
import { type Failure, readFailure, reason } from "./failure.js";
import type { IStageStatus } from "./options.js";

/** What is reported while a rate limit is waited out. */
export type RateLimitStatus = IStageStatus & { readonly retryAfterMs: number };

/** How often a request is sent again where the homeserver says "too many requests". */
export const MAX_RESENDS = 5;
/** A longer wait is reported as an error: no user waits for that long. */
export const MAX_WAIT_MS = 5 * 60_000;
/** The first wait if the homeserver does not say how long; it doubles each time. */
export const FIRST_WAIT_MS = 1000;

/** How long to wait before the request is sent again, in milliseconds; undefined if it is not. */
function waitBefore({ status, retryAfterMs }: Failure, resends: number): number | undefined {
  if (status !== 429 || resends >= MAX_RESENDS) return undefined;
  const wait = retryAfterMs ?? FIRST_WAIT_MS * 2 ** resends;
  return wait <= MAX_WAIT_MS ? wait : undefined;
}

/**
 * Makes a request, and repeats it after a wait if the homeserver rate-limits it: Synapse limits requests
 * for messages most strictly.
 *
 * @param waitOut Reports that status, waits as long as it says, and resolves with whether the request is still wanted.
 * @throws whatever the request rejects with, if it is not made again.
 */
export async function retryRateLimited<T>(
  request: () => Promise<T>,
  waitOut: (status: RateLimitStatus) => Promise<boolean>,
): Promise<T> {
  for (let resends = 0; ; resends += 1) {
    try {
      return await request();
    } catch (error) {
      const failure = readFailure(error);
      const retryAfterMs = waitBefore(failure, resends);
      if (retryAfterMs === undefined) throw error;
      if (!(await waitOut({ ...reason(failure), retryAfterMs }))) throw error;
    }
  }
}

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

/** Reports when a wait begins and when the last one is over, however many overlap. */
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

  /** Begins or ends a wait. */
  set(wait: unknown, lasts: boolean): void {
    const { busy } = this;
    if (lasts) this.#waits.add(wait);
    else this.#waits.delete(wait);
    if (this.busy !== busy) this.#notify(this.busy);
  }

  /** Reports the end of the wait even if something is still running. */
  end(): void {
    if (!this.busy) return;
    this.#waits.clear();
    this.#notify(false);
  }
}
