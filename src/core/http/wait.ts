export interface AbortOptions {
  /** Ends this caller's wait. The work goes on for other callers. */
  readonly signal?: AbortSignal | undefined;
}

/** The longest time for a timer, in milliseconds. With a longer one it fires at once. */
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
