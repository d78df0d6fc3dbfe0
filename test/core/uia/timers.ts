import { stub } from "../../support/stub.ts";
import { idle } from "./uia-harness.ts";

/** Timers that go off when the test says so, until `restoreStubs()`. */
export class Timers {
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

  /** How long each that has not gone off will take, in ms. */
  get pending(): readonly number[] {
    return [...this.#waiting.values()].map(({ ms }) => ms);
  }

  async goOff(): Promise<void> {
    const due = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { run } of due) run();
    await idle();
  }
}
