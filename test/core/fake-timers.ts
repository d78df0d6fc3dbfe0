import { stub } from "../support/stub.ts";

const realSetTimeout = globalThis.setTimeout;

/** Resolves once everything is done that waits for no server, no timer and no user. */
export const idle = async (): Promise<void> => {
  for (let i = 0; i < 2; i += 1) await new Promise((resolve) => realSetTimeout(resolve));
};

/** Timers that run when the test says so, until `restoreStubs()`. */
export class FakeTimers {
  readonly #waiting = new Map<number, { readonly run: () => void; readonly ms: number }>();
  #next = 1;

  constructor() {
    stub(globalThis, "setTimeout", {
      value: (run: () => void, ms: number) => {
        this.#waiting.set(this.#next, { run, ms });
        return this.#next++;
      },
    });
    stub(globalThis, "clearTimeout", { value: (id: number) => void this.#waiting.delete(id) });
  }

  /** The delays of the timers that have not run, in milliseconds. */
  get pending(): readonly number[] {
    return [...this.#waiting.values()].map(({ ms }) => ms);
  }

  async run(): Promise<void> {
    const due = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { run } of due) run();
    await idle();
  }
}
