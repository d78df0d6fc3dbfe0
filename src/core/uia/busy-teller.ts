/** Tells when somebody begins to wait, and when nobody waits any more, however many things go on. */
export class BusyTeller {
  readonly #tell: (busy: boolean) => void;
  readonly #running = new Set<symbol>();

  constructor(tell: (busy: boolean) => void) {
    this.#tell = tell;
  }

  async during(run: () => Promise<void>): Promise<void> {
    const token = Symbol();
    try {
      if (this.#running.add(token).size === 1) this.#tell(true);
      await run();
    } finally {
      if (this.#running.delete(token) && this.#running.size === 0) this.#tell(false);
    }
  }

  /** Nobody waits for what still goes on. */
  end(): void {
    if (this.#running.size === 0) return;
    this.#running.clear();
    this.#tell(false);
  }
}
