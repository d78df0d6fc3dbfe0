import { MAX_TIMER_MS } from "../core/http/wait.js";

const DEFAULT_INTERVAL_MS = 5000;

/** The minimum time between polls when the user returns to the page. */
const COOLDOWN_MS = 1500;

/**
 * Polls at intervals while the page is visible, and as soon as the user returns to it or the
 * browser is online again. The next interval starts when the response has arrived, so that polls
 * never overlap.
 *
 * @param interval In milliseconds. `Infinity`: poll only when the user returns. Invalid values are
 *   replaced by the default.
 * @returns A promise that resolves when the signal aborts, for an `Operation`.
 */
export function pollWhileVisible(
  signal: AbortSignal,
  poll: () => Promise<void>,
  interval: number,
): Promise<void> {
  const intervalMs = interval > 0 ? interval : DEFAULT_INTERVAL_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let polling = false;
  let lastMs = -Infinity;

  const schedule = (waitMs: number): void => {
    clearTimeout(timer);
    if (signal.aborted || document.hidden || waitMs === Infinity) return;
    timer = setTimeout(() => void run(), Math.min(waitMs, MAX_TIMER_MS));
  };

  const run = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    await poll();
    polling = false;
    lastMs = performance.now();
    schedule(intervalMs);
  };

  // The user's action elsewhere might be newer than the last poll, so an early return delays the
  // poll.
  const onReturn = (): void => {
    const coolingMs = lastMs + COOLDOWN_MS - performance.now();
    if (document.hidden || coolingMs > 0) schedule(Math.min(coolingMs, intervalMs));
    else void run();
  };

  document.addEventListener("visibilitychange", onReturn, { signal });
  window.addEventListener("focus", onReturn, { signal });
  // The page received no events while it was in the back/forward cache.
  window.addEventListener("pageshow", ({ persisted }) => persisted && onReturn(), { signal });
  // The last poll might have failed a moment ago.
  window.addEventListener("online", () => void run(), { signal });
  schedule(intervalMs);
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
