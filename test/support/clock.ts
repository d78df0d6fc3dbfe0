import FakeTimers from "@sinonjs/fake-timers";
import { untilRestored } from "./stub.ts";

const realSetTimeout = globalThis.setTimeout;
const realNow = Date.now;

const STEP_MS = 250;
/** Long enough for a machine with many times its load. */
const TIMEOUT_MS = 60_000;

/** Lets the browser do what is under way: messages between tabs, locks, responses. */
export const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    realSetTimeout(resolve, 1);
  });

/** Resolves once everything is done that waits for no server, no timer and no user. */
export const idle = (): Promise<void> => breathe().then(breathe);

/** Waits until something is so, by the real clock. */
export async function until(isSo: () => unknown): Promise<void> {
  for (const end = realNow() + TIMEOUT_MS; realNow() < end; await breathe()) if (isSo()) return;
  throw new Error(`Waited in vain until ${isSo.toString()}`);
}

/** Time that passes when the test says so, until `restoreStubs()`. */
export class Clock {
  readonly #clock = FakeTimers.install({
    now: realNow(),
    toFake: ["Date", "performance", "setTimeout", "clearTimeout"],
    // What was set before the test began is cleared as before.
    shouldClearNativeTimers: true,
  });

  constructor() {
    untilRestored(() => this.#clock.uninstall());
  }

  /** The delays of the timers that have not run, in milliseconds. */
  get pending(): readonly number[] {
    // The library has a map of them, which its types leave out.
    const { timers } = this.#clock as { readonly timers?: Map<number, { readonly delay: number }> };
    return [...(timers?.values() ?? [])].map(({ delay }) => delay);
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
