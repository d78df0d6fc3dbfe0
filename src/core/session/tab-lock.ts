import { wait } from "../http/index.js";
import { secureRandomString } from "../random.js";
import type { SessionStore } from "./session-store.js";

/** A holder that takes longer is gone; far more than a request may take, in milliseconds. */
const LEASE_MS = 30_000;

/** More than another tab needs between its look and its entry, in milliseconds. */
const SETTLE_MS = 100;

/**
 * Runs one call at a time among all tabs of this origin.
 *
 * @param signal Ends the waiting for one's turn; not the call.
 * @see https://www.w3.org/TR/web-locks/
 */
export async function withTabLock<T>(
  name: string,
  store: SessionStore,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  // Browsers have locks in secure contexts alone, and Node from version 24 on.
  const locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
  if (locks) return locks.request(name, signal ? { signal } : {}, call);
  const leave = await takeLease(`${name}:lease`, store, signal);
  try {
    return await call();
  } finally {
    await leave();
  }
}

/**
 * The same by an entry in the store: whoever still finds the own entry after a while has the turn. A
 * store that keeps nothing has nobody to share with.
 */
async function takeLease(
  key: string,
  store: SessionStore,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
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
      // It ends by itself.
    }
  };
}

/** A clock that was set back must not keep a lease for ever. */
function isHeld(entry: string | null | undefined): boolean {
  const left = Number(entry?.split(" ")[1]) - Date.now();
  return left > 0 && left <= LEASE_MS;
}
