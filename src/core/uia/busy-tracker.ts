/** Reports when a wait begins and when the last one is over, however many overlap. */
export class BusyTracker {
  readonly #notify: (busy: boolean) => void;
  readonly #waits = new Set<symbol>();

  constructor(notify: (busy: boolean) => void) {
    this.#notify = notify;
  }

  get busy(): boolean {
    return this.#waits.size > 0;
  }

  async during(run: () => Promise<void>): Promise<void> {
    const wait = Symbol();
    try {
      this.#begin(wait);
      await run();
    } finally {
      this.#finish(wait);
    }
  }

  /** Begins a wait. @returns Ends it. */
  start(): () => void {
    const wait = Symbol();
    this.#begin(wait);
    return () => this.#finish(wait);
  }

  /** Reports the end of the wait even if something is still running. */
  end(): void {
    if (!this.busy) return;
    this.#waits.clear();
    this.#notify(false);
  }

  #begin(wait: symbol): void {
    if (this.#waits.add(wait).size === 1) this.#notify(true);
  }

  #finish(wait: symbol): void {
    if (this.#waits.delete(wait) && !this.busy) this.#notify(false);
  }
}
