/** One call that several wait for. It is called off when the last of them no longer wants it. */
export class SharedCall<T> {
  readonly #controller = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;

  constructor(call: (signal: AbortSignal) => Promise<T>) {
    this.#result = call(this.#controller.signal);
    this.#result.catch(() => undefined);
  }

  get calledOff(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Waits for the result; rejects with the signal's reason where that ends the waiting before. */
  join(signal?: AbortSignal): Promise<T> {
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(signal?.reason as Error);
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#controller.abort(signal?.reason);
      };
      const stay = (): void => signal?.removeEventListener("abort", leave);
      this.#result.finally(stay).then(resolve, reject);
      signal?.addEventListener("abort", leave, { once: true });
      if (signal?.aborted) leave();
    });
  }
}
