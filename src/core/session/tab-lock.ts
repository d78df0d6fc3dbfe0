import type { RequestOptions } from "../http/fetch.js";
import { DeadlineError, wait, withDeadline } from "../http/wait.js";
import { secureRandomString } from "../shared/base64url.js";
import { applyChange, type ItemChange } from "./item-change.js";
import type { SessionStore } from "./store.js";

/**
 * For stores without transactions: longer than another tab takes between reading and writing the
 * entry.
 */
const LEASE_SETTLE_MS = 100;

/**
 * A slow store may show a lease this long after the lease has ended. The store has 10 seconds to
 * respond, twice.
 */
const SLOW_STORE_MS = 21_000;

/** Used if requests have a longer time limit, or none. */
const MAX_REQUEST_MS = 60_000;

interface LockOptions extends Pick<RequestOptions, "signal" | "timeoutMs"> {
  /** Whether to wait until the lease of a closed tab has expired. */
  readonly outlastsLease?: boolean;
}

/**
 * Runs one call at a time among all tabs of this origin. `signal` ends the wait for the lock, but
 * not the call.
 *
 * @param stores The stores for the lock if there is no Web Locks API: see `leaseStores()`.
 * @throws {DeadlineError} if another tab, which the browser may have suspended, keeps the lock for too
 *   long. Also the reason of `signal`, and the errors of the call.
 * @see https://www.w3.org/TR/web-locks/
 */
export async function withTabLock<T>(
  name: string,
  stores: readonly SessionStore[],
  { signal, timeoutMs = 10_000, outlastsLease = false }: LockOptions,
  call: () => Promise<T>,
): Promise<T> {
  const requestMs = Math.min(timeoutMs, MAX_REQUEST_MS);
  // Two requests for the endpoints, and two for tokens.
  const leaseMs = 4 * requestMs;
  const waitMs = outlastsLease ? leaseMs + SLOW_STORE_MS : 2 * requestMs + 1000;
  const take = async (ending: AbortSignal) =>
    (await takeLock(name, ending)) ?? takeLease(name, stores, leaseMs, { signal, ending });
  const tooLong = new DeadlineError("Another tab is holding the lock");
  await whenActivated(signal);
  const release = await withDeadline(waitMs, signal, take, tooLong);
  try {
    return await call();
  } finally {
    await release();
  }
}

/**
 * A prerendered page gets no lock until the user opens it, which may be much later.
 *
 * @throws The reason of `signal`.
 * @see https://wicg.github.io/nav-speculation/prerendering.html#web-locks-patch
 */
async function whenActivated(signal: AbortSignal | undefined): Promise<void> {
  const { document } = globalThis as { document?: Document & { prerendering?: boolean } };
  // In other browsers, an injected element of this name would be the value.
  if (document?.prerendering !== true) return;
  await new Promise((resolve, reject) => {
    document.addEventListener("prerenderingchange", resolve, { once: true });
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    if (signal?.aborted) reject(signal.reason as Error);
  });
}

/** Undefined without the Web Locks API. */
async function takeLock(name: string, signal: AbortSignal): Promise<(() => void) | undefined> {
  // Only secure contexts have this property: https://w3c.github.io/web-locks/. Node has it since
  // version 24, but each process has its own locks. Neither Node nor Deno has a location.
  const { location, navigator } = globalThis as {
    location?: object;
    navigator?: { locks?: LockManager };
  };
  const locks = location && navigator?.locks;
  if (!locks) return undefined;
  try {
    return await new Promise((resolve, reject) => {
      const hold = () => new Promise<void>((release) => resolve(release));
      locks.request(name, { signal }, hold).catch(reject);
    });
  } catch (error) {
    if (signal.aborted) throw error;
    // Browsers that block this site's data reject locks, too:
    // https://w3c.github.io/web-locks/#lock-managers
    return undefined;
  }
}

/**
 * A tab holds the lock while its own entry is in the first store that works. If none works, tabs
 * share no session, so no lock is needed. `ending` ends the wait for another tab. It doesn't
 * include the time that a slow store takes.
 */
async function takeLease(
  name: string,
  stores: readonly SessionStore[],
  leaseMs: number,
  { signal, ending }: { readonly signal: AbortSignal | undefined; readonly ending: AbortSignal },
): Promise<() => Promise<unknown>> {
  const key = `${name}:lease`;
  const owner = secureRandomString(16);
  const isMine = (entry: string | null | undefined) => entry?.startsWith(owner) === true;
  const newEntry = () => `${owner} ${Date.now() + leaseMs}`;
  for (const leases of stores) {
    const change = async (decide: ItemChange): Promise<unknown> =>
      leases.update
        ? leases.update(key, decide)
        : applyChange(leases, key, await leases.getItem(key), decide);
    // If that fails, the lease expires by itself.
    const release = () =>
      change((entry) => (isMine(entry) ? null : undefined)).catch(() => undefined);
    try {
      for (;;) {
        // The lease starts with the transaction, because the store might have taken long to open,
        // or the computer might have slept.
        await change((other) => (isLeaseHeld(other, leaseMs) ? undefined : newEntry()));
        // After another tab's entry, wait longer by a random time.
        const isHeld = !isMine(await leases.getItem(key));
        if (isHeld) await wait(LEASE_SETTLE_MS * (1 + Math.random()), ending);
        else await wait(LEASE_SETTLE_MS, signal);
        if (isHeld) continue;
        await change((entry) => (isMine(entry) ? newEntry() : undefined));
        if (isMine(await leases.getItem(key))) return release;
        // A process whose clock differs has taken it, and might do so each time.
        ending.throwIfAborted();
      }
    } catch (error) {
      if (error !== ending.reason && !signal?.aborted) continue;
      await release();
      throw error;
    }
  }
  return () => Promise.resolve();
}

/** If the clock was set back, the lease counts as ended. */
function isLeaseHeld(entry: string | undefined, leaseMs: number): boolean {
  const left = Number(entry?.split(" ")[1]) - Date.now();
  return left > 0 && left <= leaseMs;
}
