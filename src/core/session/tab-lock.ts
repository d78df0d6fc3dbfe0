import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { wait, withDeadline } from "../http/wait.js";
import { secureRandomString } from "../shared/base64url.js";
import type { SessionStore } from "./store.js";

/** Longer than another tab takes between reading and writing the entry, in milliseconds. */
const LEASE_SETTLE_MS = 100;

/** Applies if requests have a longer time limit, or none. */
const MAX_REQUEST_MS = 60_000;

/**
 * Runs one call at a time among all tabs of this origin. `signal` ends the wait for the lock, but
 * not the call.
 *
 * @throws {RequestError} `timeout` if another tab, which the browser may have suspended, does not
 *   release the lock while two requests take place. Also the errors of the call.
 * @see https://www.w3.org/TR/web-locks/
 */
export async function withTabLock<T>(
  name: string,
  store: SessionStore,
  { signal, timeoutMs = 10_000 }: Pick<RequestOptions, "signal" | "timeoutMs">,
  call: () => Promise<T>,
): Promise<T> {
  const requestMs = Math.min(timeoutMs, MAX_REQUEST_MS);
  // Two requests for the endpoints, and two for tokens.
  const leaseMs = 4 * requestMs;
  const take = async (ending: AbortSignal) =>
    (await takeLock(name, ending)) ?? takeLease(name, store, leaseMs, ending);
  const tooLong = new RequestError("timeout", "Another tab keeps the lock");
  const release = await withDeadline(2 * requestMs + 1000, signal, take, tooLong);
  try {
    return await call();
  } finally {
    await release();
  }
}

/** Undefined without the Web Locks API. */
async function takeLock(name: string, signal: AbortSignal): Promise<(() => void) | undefined> {
  // Only secure contexts have it: https://w3c.github.io/web-locks/. Node has it from version 24 on,
  // but each process has its own locks.
  const { navigator } = globalThis as { navigator?: { locks?: LockManager } };
  const locks = "location" in globalThis ? navigator?.locks : undefined;
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
 * A tab that still finds its own entry in the store after a while holds the lock. Without a working
 * store no tab shares the session, so no lock is needed.
 */
async function takeLease(name: string, store: SessionStore, leaseMs: number, signal: AbortSignal) {
  const key = `${name}:lease`;
  const owner = secureRandomString(16);
  const isMine = async () => (await store.getItem(key))?.startsWith(owner) === true;
  const release = async () => {
    try {
      if (await isMine()) await store.removeItem(key);
    } catch {
      // The lease expires by itself.
    }
  };
  try {
    do {
      while (isLeaseHeld(await store.getItem(key), leaseMs)) {
        await wait(LEASE_SETTLE_MS * (1 + Math.random()), signal);
      }
      await store.setItem(key, `${owner} ${Date.now() + leaseMs}`);
      await wait(LEASE_SETTLE_MS, signal);
    } while (!(await isMine()));
  } catch (error) {
    if (signal.aborted) {
      await release();
      throw error;
    }
  }
  return release;
}

/** If the clock was set back, the lease has ended. */
function isLeaseHeld(entry: string | null | undefined, leaseMs: number): boolean {
  const left = Number(entry?.split(" ")[1]) - Date.now();
  return left > 0 && left <= leaseMs;
}
