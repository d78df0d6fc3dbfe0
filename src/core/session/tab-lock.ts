import { wait } from "../http/index.js";
import { secureRandomString } from "../random.js";
import type { SessionStore } from "./session-store.js";

/** A holder that takes longer is assumed gone: far longer than a request may take, in milliseconds. */
const LEASE_MS = 30_000;

/** More than another tab needs between reading and writing the entry, in milliseconds. */
const SETTLE_MS = 100;

/** Ends this tab's turn. */
type Leave = () => unknown;

/**
 * Runs one call at a time among all tabs of this origin.
 *
 * @param signal Ends the wait for the lock, but not the call.
 * @see https://www.w3.org/TR/web-locks/
 */
export async function withTabLock<T>(
  name: string,
  store: SessionStore,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const leave = (await takeLock(name, signal)) ?? (await takeLease(`${name}:lease`, store, signal));
  try {
    return await call();
  } finally {
    await leave();
  }
}

/** Waits for this tab's turn; undefined if there are no locks. */
async function takeLock(name: string, signal: AbortSignal | undefined): Promise<Leave | undefined> {
  // Browsers have locks only in secure contexts, Node from version 24 on.
  const locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
  if (!locks) return undefined;
  try {
    return await new Promise((resolve, reject) => {
      const hold = (): Promise<void> => new Promise((leave) => resolve(leave));
      locks.request(name, signal ? { signal } : {}, hold).catch(reject);
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    // A browser that keeps no data for this site refuses locks too.
    return undefined;
  }
}

/**
 * The same with an entry in the store: a tab that still finds its own entry after a while holds the lock.
 * A store that fails is not shared with anyone, so no lock is needed.
 */
async function takeLease(
  key: string,
  store: SessionStore,
  signal: AbortSignal | undefined,
): Promise<Leave> {
  const owner = secureRandomString(16);
  const isMine = async (): Promise<boolean> =>
    (await store.getItem(key))?.startsWith(owner) === true;
  try {
    do {
      while (isHeld(await store.getItem(key))) await wait(SETTLE_MS * (1 + Math.random()), signal);
      await store.setItem(key, `${owner} ${Date.now() + LEASE_MS}`);
      await wait(SETTLE_MS, signal);
    } while (!(await isMine()));
  } catch (error) {
    if (signal?.aborted) throw error;
  }
  return async () => {
    try {
      if (await isMine()) await store.removeItem(key);
    } catch {
      // The lease expires by itself.
    }
  };
}

/** A clock that was set back must not keep a lease forever. */
function isHeld(entry: string | null | undefined): boolean {
  const left = Number(entry?.split(" ")[1]) - Date.now();
  return left > 0 && left <= LEASE_MS;
}
