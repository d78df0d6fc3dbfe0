export interface AbortOptions {
  /** Stops this caller's wait; the work goes on for other callers. */
  readonly signal?: AbortSignal | undefined;
}

/** The longest that a timer can be set to, in milliseconds: with more it goes off at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `ms` milliseconds. Rejects with the signal's reason if the signal aborts first. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}
