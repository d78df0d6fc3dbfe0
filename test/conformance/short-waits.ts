// Timers run faster in real time. A fake clock would reach a request's time limit before its response arrives,
// and it cannot distinguish a wait from a time limit.
/** Documents have the first limit, and other requests the second. */
const DEFAULT_TIME_LIMITS_MS = [10_000, 30_000];

/** The library's limits for locks and stores consist of timers of at most this time. */
const LIMIT_STEP_MS = 3000;

/** Shorter timers are not waits of the library. */
const SHORTEST_WAIT_MS = 500;

const realSetTimeout = globalThis.setTimeout;
let haste = 50;
let hasNetwork = true;
let timeLimits: (() => void)[] = [];

/**
 * Shortens the page's later waits, but not the time limits of requests.
 *
 * @param given The time limit that the row sets. Without a network, only `reachTimeLimits()` fires it.
 * @returns the waits that the page has requested, in milliseconds.
 */
export function shortenWaits(given?: number): readonly number[] {
  const waits: number[] = [];
  const limits = given === undefined ? DEFAULT_TIME_LIMITS_MS : [given];
  // The last step of the wait for another tab, which no row with the default limit reaches.
  const lastStepMs = given === undefined ? LIMIT_STEP_MS : (2 * given + 1000) % LIMIT_STEP_MS;
  timeLimits = [];
  const setTimeout = (run: () => void, ms = 0): unknown => {
    if (limits.includes(ms)) {
      timeLimits.push(run);
      // No other row than one with its own time limit reaches it, however busy the machine is.
      return hasNetwork && given !== undefined ? realSetTimeout(run, ms) : undefined;
    }
    if ([LIMIT_STEP_MS, lastStepMs].includes(ms)) return realSetTimeout(run, ms);
    if (ms < SHORTEST_WAIT_MS) return realSetTimeout(run, hasNetwork ? ms : 0);
    waits.push(ms);
    // Web IDL converts it to 32 bits, so a timer that is too long fires immediately.
    return realSetTimeout(run, Math.max(ms | 0, 0) / haste);
  };
  Object.assign(globalThis, { setTimeout });
  return waits;
}

/** Shortens waits even more, for tests without a network and without another tab. */
export function leaveNetwork(): void {
  haste = 500;
  hasNetwork = false;
}

/** Fires the time limits of all requests. */
export function reachTimeLimits(): void {
  for (const reach of timeLimits.splice(0)) reach();
}

export function restoreWaits(): void {
  globalThis.setTimeout = realSetTimeout;
}
