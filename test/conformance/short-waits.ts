// Real time, only faster: a fake clock would reach a request's time limit while its response is on the way, and
// cannot tell what the page wanted to wait for.
const DEFAULT_TIME_LIMIT_MS = 10_000;

/** How long a message to another tab, of which there is none, may take. */
const DELIVERY_MS = 1500;

/** What is shorter is no wait of the library's. */
const SHORTEST_WAIT_MS = 500;

const realSetTimeout = globalThis.setTimeout;
let haste = 50;
let hasNetwork = true;
let timeLimits: (() => void)[] = [];

/**
 * Makes the page's waits short from here on, but not a request's time limit.
 *
 * @returns how long the page wanted to wait, each time, in milliseconds.
 */
export function shortenWaits(timeLimitMs = DEFAULT_TIME_LIMIT_MS): readonly number[] {
  const waits: number[] = [];
  // For another tab, of which there is none.
  const lockLimitMs = 2 * timeLimitMs + 1000;
  timeLimits = [];
  const setTimeout = (run: () => void, ms = 0): unknown => {
    if (ms === timeLimitMs) timeLimits.push(run);
    if ([timeLimitMs, lockLimitMs, DELIVERY_MS].includes(ms)) return realSetTimeout(run, ms);
    if (ms < SHORTEST_WAIT_MS) return realSetTimeout(run, hasNetwork ? ms : 0);
    waits.push(ms);
    // Web IDL makes 32 bits of it, so that what is too long goes off immediately.
    return realSetTimeout(run, Math.max(ms | 0, 0) / haste);
  };
  Object.assign(globalThis, { setTimeout });
  // A page waits for other tabs twice as long as a message takes: on a busy machine that would look like a retry's wait.
  Object.assign(performance, { now: () => 0 });
  return waits;
}

/** Where nothing goes over a network, and there is no other tab, waits can be still shorter. */
export function leaveNetwork(): void {
  haste = 500;
  hasNetwork = false;
}

/** Lets the time limits of all requests be reached. */
export function reachTimeLimits(): void {
  for (const reach of timeLimits.splice(0)) reach();
}

export function restoreWaits(): void {
  globalThis.setTimeout = realSetTimeout;
  Reflect.deleteProperty(performance, "now");
}
