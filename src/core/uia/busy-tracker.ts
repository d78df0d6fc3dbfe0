/** Reports when a wait begins and when the last one is over, however many overlap. */
export class BusyTracker {
  readonly #notify: (busy: boolean) => void;
  readonly #running = new Set<symbol>();

  constructor(notify: (busy: boolean) => void) {
    this.#notify = notify;
  }

  async during(run: () => Promise<void>): Promise<void> {
    const token = Symbol();
    try {
      if (this.#running.add(token).size === 1) this.#notify(true);
      await run();
    } finally {
      if (this.#running.delete(token) && this.#running.size === 0) this.#notify(false);
    }
  }

  /** Reports the end of the wait even if something is still running. */
  end(): void {
    if (this.#running.size === 0) return;
    this.#running.clear();
    this.#notify(false);
  }
}
