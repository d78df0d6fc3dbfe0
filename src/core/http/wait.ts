export interface AbortOptions {
  /** Ends this caller's wait. The work continues for other callers. */
  readonly signal?: AbortSignal | undefined;
}

/** A timer with a longer time fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Rejects with the signal's reason if the signal aborts first. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const end = () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}

/** The longest part of a time limit that passes while the computer or the tab sleeps. */
const STEP_MS = 3000;

/**
 * Starts a time limit. After a sleep, every timer that was due in the meantime fires at once, before
 * the awaited response can arrive. Therefore the limit consists of several timers.
 *
 * @returns The function that stops it.
 */
export function startTimeLimit(ms: number, onEnd: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const start = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, STEP_MS);
    timer = setTimeout(() => (leftMs > stepMs ? start(leftMs - stepMs) : onEnd()), stepMs);
  };
  start(ms);
  return () => clearTimeout(timer);
}

/** The reason of {@link withDeadline} if the time of a wait has ended. */
export class DeadlineError extends Error {}

/**
 * Calls a function with a signal that aborts when the caller's signal does, or after `ms`
 * milliseconds.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
  reason?: DeadlineError,
): Promise<T> {
  const deadline = new AbortController();
  const stop = startTimeLimit(ms, () => deadline.abort(reason));
  try {
    return await call(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
  } finally {
    stop();
  }
}
