import FakeTimers from "@sinonjs/fake-timers";
import { stub } from "./stub.ts";

const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;
const realNow = Date.now;
const realElapsed = performance.now.bind(performance);

const STEP_MS = 250;
/** A wait ends after this time, but not before so many turns: on a very busy machine, a turn takes long. */
const TIMEOUT_MS = 60_000;
const LEAST_TURNS = 1500;

/** Tests that need a page without locks replace it. */
const { locks } = navigator as { readonly locks?: LockManager };
const requestLock = locks?.request.bind(locks);

/**
 * Lets the browser finish its current work: messages between tabs, locks, and responses. Another process
 * grants locks in order, so one more lock shows that earlier requests were handled.
 */
export const breathe = async (): Promise<void> => {
  await new Promise((resolve) => realSetTimeout(resolve, 1));
  await requestLock?.(`test ${Math.random()}`, () => undefined);
};

/** Resolves once all work is done, except requests, timers, and user input. */
export const idle = (): Promise<void> => breathe().then(breathe);

/** Starts a wait. Returns whether one more turn may be waited for. */
function waiting(): () => boolean {
  const end = realNow() + TIMEOUT_MS;
  let turns = 0;
  return () => (turns += 1) <= LEAST_TURNS || realNow() < end;
}

/** Waits for a condition, with the real clock. */
export async function until(isSo: () => unknown): Promise<void> {
  const mayWait = waiting();
  for (; mayWait(); await breathe()) if (isSo()) return;
  throw new Error(`Waited in vain until ${isSo.toString()}`);
}

/** A clock that only the test moves, until `restoreStubs()`. */
export class Clock {
  readonly #clock = FakeTimers.createClock(realNow());

  constructor() {
    // The library's `install()` deletes the functions that it replaces. WebKit then still calls other stubs
    // of the same object.
    const { setTimeout, setInterval, clearTimeout, performance } = this.#clock;
    stub(globalThis, "setTimeout", { value: setTimeout });
    stub(globalThis, "setInterval", { value: setInterval });
    for (const name of ["clearTimeout", "clearInterval"]) {
      stub(globalThis, name, {
        // Timers from before the test are cleared as usual.
        value: (id: number) => (this.#timers.has(id) ? clearTimeout(id) : realClearTimeout(id)),
      });
    }
    stub(Date, "now", { value: () => this.#clock.now });
    // The library's starts at 0: what the page has read before would be in the future.
    const start = realElapsed();
    stub(globalThis.performance, "now", { value: () => start + performance.now() });
  }

  get #timers(): ReadonlyMap<number, { readonly delay: number }> {
    // The library's types omit the map, which is undefined before the first timer.
    const { timers } = this.#clock as { readonly timers?: Map<number, { readonly delay: number }> };
    return timers ?? new Map();
  }

  /** The delays of the pending timers, in milliseconds. */
  get pending(): readonly number[] {
    return [...this.#timers.values()].map(({ delay }) => delay);
  }

  /** Runs the pending timers. */
  async run(): Promise<void> {
    await this.#clock.runToLastAsync();
    await idle();
  }

  /** Moves the clock, and runs the due timers in order. */
  async pass(ms: number): Promise<void> {
    await breathe();
    await this.#clock.tickAsync(ms);
    await breathe();
  }

  /**
   * Moves the clock in steps until a promise settles. The steps are short, so that no time limit passes while
   * the browser works.
   */
  passUntil<T>(promise: Promise<T>): Promise<T> {
    return this.#moveUntil(promise, () => this.pass(STEP_MS));
  }

  /**
   * Moves the clock through short pauses until a promise settles. It stands still while the browser works, so
   * time limits pass only in pauses: for databases, which other processes delay.
   */
  passPausesUntil<T>(promise: Promise<T>): Promise<T> {
    return this.#moveUntil(promise, () => this.#passPause());
  }

  /** Moves the clock by at least this time, through short pauses only: the code under test must keep pausing. */
  async passPauses(ms: number): Promise<void> {
    for (const end = Date.now() + ms; Date.now() < end;) await this.#passPause();
  }

  #passPause(): Promise<void> {
    return this.pending.some((ms) => ms <= STEP_MS) ? this.pass(STEP_MS) : breathe();
  }

  async #moveUntil<T>(promise: Promise<T>, move: () => Promise<void>): Promise<T> {
    let hasSettled = false;
    const settle = (): void => void (hasSettled = true);
    promise.then(settle, settle);
    const mayWait = waiting();
    while (!hasSettled && mayWait()) await move();
    return promise;
  }

  /** Sets the clock as a user or a time server does: no timer runs. */
  jump(ms: number): void {
    this.#clock.setSystemTime(Date.now() + ms);
  }
}
