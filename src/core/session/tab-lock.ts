import { RequestError } from "../http/errors.js";
import { type AbortOptions, wait } from "../http/wait.js";
import { secureRandomString } from "../shared/base64url.js";
import type { SessionStore } from "./store.js";

/** More than another tab needs between reading and writing the entry, in milliseconds. */
const SETTLE_MS = 100;

/** Ends this tab's turn. */
type Leave = () => unknown;

export interface TabLockOptions extends AbortOptions {
  /** How long to wait for one's turn, in milliseconds. */
  readonly waitMs: number;
  /** A holder that takes longer is assumed gone, where there are no locks; in milliseconds. */
  readonly leaseMs: number;
}

/**
 * How long a tab waits for the lock, and may hold it, by the time limit of its requests: two while it
 * waits; two that look for the endpoints and two for tokens while it holds it.
 */
export const lockLimits = (timeoutMs = 10_000): Omit<TabLockOptions, "signal"> => {
  const limit = Math.min(timeoutMs, MAX_LIMIT_MS);
  return { waitMs: 2 * limit + 1000, leaseMs: 4 * limit };
};

/** Also where requests have no time limit. */
const MAX_LIMIT_MS = 60_000;

/**
 * Runs one call at a time among all tabs of this origin.
 *
 * @param options `signal` and `waitMs` end the wait for the lock, but not the call.
 * @throws {RequestError} `timeout` if another tab, which the browser may have suspended, does not release
 *   the lock in time; also what the call rejects with.
 * @see https://www.w3.org/TR/web-locks/
 */
export async function withTabLock<T>(
  name: string,
  store: SessionStore,
  { signal, waitMs, leaseMs }: TabLockOptions,
  call: () => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const reason = new RequestError("timeout", "Another tab keeps the lock");
  const timer = setTimeout(() => timeout.abort(reason), waitMs);
  const ending = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  let leave: Leave;
  try {
    leave = (await takeLock(name, ending)) ?? (await takeLease(name, store, leaseMs, ending));
  } finally {
    clearTimeout(timer);
  }
  try {
    return await call();
  } finally {
    await leave();
  }
}

/** Waits for this tab's turn; undefined if there are no locks. */
async function takeLock(name: string, signal: AbortSignal): Promise<Leave | undefined> {
  // Browsers have locks only in secure contexts, Node from version 24 on.
  const locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
  if (!locks) return undefined;
  try {
    return await new Promise((resolve, reject) => {
      const hold = (): Promise<void> => new Promise((leave) => resolve(leave));
      locks.request(name, { signal }, hold).catch(reject);
    });
  } catch (error) {
    if (signal.aborted) throw error;
    // A browser that keeps no data for this site refuses locks too.
    return undefined;
  }
}

/**
 * The same with an entry in the store: a tab that still finds its own entry after a while holds the lock.
 * A store that fails is not shared with anyone, so no lock is needed.
 */
async function takeLease(
  name: string,
  store: SessionStore,
  leaseMs: number,
  signal: AbortSignal,
): Promise<Leave> {
  const key = `${name}:lease`;
  const owner = secureRandomString(16);
  const isMine = async (): Promise<boolean> =>
    (await store.getItem(key))?.startsWith(owner) === true;
  const leave = async (): Promise<void> => {
    try {
      if (await isMine()) await store.removeItem(key);
    } catch {
      // The lease expires by itself.
    }
  };
  try {
    do {
      while (isHeld(await store.getItem(key), leaseMs)) {
        await wait(SETTLE_MS * (1 + Math.random()), signal);
      }
      await store.setItem(key, `${owner} ${Date.now() + leaseMs}`);
      await wait(SETTLE_MS, signal);
    } while (!(await isMine()));
  } catch (error) {
    if (signal.aborted) {
      await leave();
      throw error;
    }
  }
  return leave;
}

/** A clock that was set back must not keep a lease forever. */
function isHeld(entry: string | null | undefined, leaseMs: number): boolean {
  const left = Number(entry?.split(" ")[1]) - Date.now();
  return left > 0 && left <= leaseMs;
}
