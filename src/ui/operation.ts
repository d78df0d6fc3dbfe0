/**
 * Runs one operation of an element at a time. A new run replaces the one in progress.
 *
 * It aborts only what is still running: a signal of a finished run never aborts, so an event
 * listener or a dialog that got it isn't closed by a later run.
 */
export class Operation {
  #running: AbortController | undefined;

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Replaces the operation in progress.
   *
   * @param work Gets a signal for its requests. After each `await`, it must call
   *   `signal.throwIfAborted()` before it changes anything.
   * @param ending Another signal that ends this run, such as the caller's.
   * @returns The result of `work`. `undefined` if the run was replaced or cancelled, even if `work`
   *   has resolved or rejected.
   * @throws The error of `work`, unless the run was replaced or cancelled.
   */
  async run<T>(
    work: (signal: AbortSignal) => Promise<T>,
    ending?: AbortSignal,
  ): Promise<T | undefined> {
    this.cancel();
    const run = (this.#running = new AbortController());
    const { signal } = run;
    const end = (): void => this.#end(run, ending?.reason);
    if (ending?.aborted) end();
    ending?.addEventListener("abort", end);
    try {
      signal.throwIfAborted();
      const result = await work(signal);
      return signal.aborted ? undefined : result;
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    } finally {
      ending?.removeEventListener("abort", end);
      if (this.#running === run) this.#running = undefined;
    }
  }

  /** Aborts the operation in progress. Does nothing if there is none. */
  cancel(reason?: unknown): void {
    if (this.#running) this.#end(this.#running, reason);
  }

  #end(run: AbortController, reason: unknown): void {
    if (this.#running === run) this.#running = undefined;
    run.abort(reason);
  }
}
