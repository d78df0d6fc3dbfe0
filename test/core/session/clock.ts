import { stub } from "../../support/stub.ts";

const realSetTimeout = globalThis.setTimeout;
const realNow = Date.now;

const STEP_MS = 250;

/** Lets the browser do what is under way: messages between tabs, locks, responses. */
export const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    realSetTimeout(resolve, 1);
  });

/** Waits until something is so, by the real clock. */
export async function until(isSo: () => unknown): Promise<void> {
  for (const end = realNow() + 15_000; realNow() < end; await breathe()) if (isSo()) return;
  throw new Error(`Waited in vain until ${isSo.toString()}`);
}

/** Time that passes when the test says so, until `restoreStubs()`. */
export class Clock {
  #now = realNow();
  #next = 1;
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();

  constructor() {
    stub(Date, "now", { value: () => this.#now });
    stub(globalThis, "setTimeout", {
      value: (run: () => void, ms = 0) => {
        this.#timers.set(this.#next, { at: this.#now + ms, run });
        return this.#next++;
      },
    });
    stub(globalThis, "clearTimeout", { value: (id: number) => void this.#timers.delete(id) });
  }

  /** How long until each timer goes off, in milliseconds. */
  get pending(): readonly number[] {
    return [...this.#timers.values()].map(({ at }) => at - this.#now);
  }

  /** Lets time pass, and what falls due happen in its order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    do await breathe();
    while (this.#runNext(end));
    this.#now = end;
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
    for (const end = realNow() + 15_000; !hasSettled && realNow() < end;) await this.pass(STEP_MS);
    return promise;
  }

  /** Runs the timer that is due next, if one is due by `end`. */
  #runNext(end: number): boolean {
    const [due] = [...this.#timers].filter(([, { at }]) => at <= end).sort(byTime);
    if (!due) return false;
    const [id, { at, run }] = due;
    this.#timers.delete(id);
    this.#now = Math.max(this.#now, at);
    run();
    return true;
  }

  /** Sets the clock, as a user or a time server may: no timer goes off. */
  jump(ms: number): void {
    this.#now += ms;
  }
}

const byTime = (
  [, a]: readonly [number, { readonly at: number }],
  [, b]: readonly [number, { readonly at: number }],
): number => a.at - b.at;
