/** Ends the waiting of this caller; what others wait for goes on. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

/** A timer that is set to more goes off at once. */
const MAX_MS = 2 ** 31 - 1;

/** Lets so many milliseconds pass. Rejects with the signal's reason where that ends the waiting. */
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
      Math.min(ms, MAX_MS),
    );
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}
