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
