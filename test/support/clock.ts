import FakeTimers from "@sinonjs/fake-timers";
import { stub } from "./stub.ts";

const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;
const realNow = Date.now;

const STEP_MS = 250;
/** Long enough for a machine with many times its load. */
const TIMEOUT_MS = 60_000;

/** Tests replace it, to have a page without locks. */
const { locks } = navigator as { readonly locks?: LockManager };
const requestLock = locks?.request.bind(locks);

/**
 * Lets the browser do what is under way: messages between tabs, locks, responses. Locks are granted by another process,
 * in the order of the requests, so one of our own shows that those before it were looked at.
 */
export const breathe = async (): Promise<void> => {
  await new Promise((resolve) => realSetTimeout(resolve, 1));
  await requestLock?.(`test ${Math.random()}`, () => undefined);
};

/** Resolves once everything is done that waits for no server, no timer and no user. */
export const idle = (): Promise<void> => breathe().then(breathe);

/** Waits until something is so, by the real clock. */
export async function until(isSo: () => unknown): Promise<void> {
  for (const end = realNow() + TIMEOUT_MS; realNow() < end; await breathe()) if (isSo()) return;
  throw new Error(`Waited in vain until ${isSo.toString()}`);
}

/** Time that passes when the test says so, until `restoreStubs()`. */
export class Clock {
  readonly #clock = FakeTimers.createClock(realNow());

  constructor() {
    // Not by the library's `install()`, which deletes what it has replaced: after that WebKit
    // continues calling what other stubs replace on the same object.
    const { setTimeout, clearTimeout, performance } = this.#clock;
    stub(globalThis, "setTimeout", { value: setTimeout });
    stub(globalThis, "clearTimeout", {
      // What was set before the test started is cleared as before.
      value: (id: number) => (this.#timers.has(id) ? clearTimeout(id) : realClearTimeout(id)),
    });
    stub(Date, "now", { value: () => this.#clock.now });
    stub(globalThis.performance, "now", { value: performance.now });
  }

  get #timers(): ReadonlyMap<number, { readonly delay: number }> {
    // The library's types leave them out, and before the first one there is no map.
    const { timers } = this.#clock as { readonly timers?: Map<number, { readonly delay: number }> };
    return timers ?? new Map();
  }

  /** The delays of the timers that have not run, in milliseconds. */
  get pending(): readonly number[] {
    return [...this.#timers.values()].map(({ delay }) => delay);
  }

  /** Runs the timers that are pending. */
  async run(): Promise<void> {
    await this.#clock.runToLastAsync();
    await idle();
  }

  /** Lets time pass, and what falls due happen in its order. */
  async pass(ms: number): Promise<void> {
    await breathe();
    await this.#clock.tickAsync(ms);
    await breathe();
  }

  /**
   * Lets as much time pass as it takes a promise to settle, however late its timers are set: in steps, so
   * that no time limit is reached while the browser is about to do something.
   */
  async passUntil<T>(promise: Promise<T>): Promise<T> {
    let hasSettled = false;
    const settle = (): void => void (hasSettled = true);
    promise.then(settle, settle);
    for (const end = realNow() + TIMEOUT_MS; !hasSettled && realNow() < end;)
      await this.pass(STEP_MS);
    return promise;
  }

  /** Sets the clock, as a user or a time server may: no timer goes off. */
  jump(ms: number): void {
    this.#clock.setSystemTime(Date.now() + ms);
  }
}
