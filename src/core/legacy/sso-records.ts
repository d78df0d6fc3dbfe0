import { LoginError } from "./errors.js";

const PREFIX = "matrix-auth-elements:sso:";

/**
 * This tab's storage.
 *
 * @throws {LoginError} `storage_unavailable`
 */
function tabStorage(): Storage {
  let cause: unknown;
  try {
    // The getter itself throws if the browser blocks storage; it is undefined outside a browser.
    const storage = (globalThis as { sessionStorage?: Storage | null }).sessionStorage;
    if (storage) return storage;
  } catch (thrown) {
    cause = thrown;
  }
  throw new LoginError("storage_unavailable", "There is no sessionStorage", { cause });
}

/**
 * Keeps the record of a single sign-on under its `state`, and drops those that have expired.
 *
 * @throws {LoginError} `storage_unavailable`, `storage_full`
 */
export function writeSsoRecord(
  state: string,
  record: string,
  isExpired: (record: string) => boolean,
): void {
  const storage = tabStorage();
  for (const key of Object.keys(storage).filter((each) => each.startsWith(PREFIX))) {
    if (isExpired(storage.getItem(key) ?? "")) storage.removeItem(key);
  }
  try {
    storage.setItem(PREFIX + state, record);
  } catch (cause) {
    throw new LoginError("storage_full", "sessionStorage has no room", { cause });
  }
}

/** Whether there is a record for a `state`; also false if there is no storage. */
export function hasSsoRecord(state: string): boolean {
  try {
    return tabStorage().getItem(PREFIX + state) !== null;
  } catch {
    return false;
  }
}

/**
 * Takes out the record for a `state`, so that it is given out only once: synchronous, because nothing may
 * happen between reading and removing it.
 *
 * @throws {LoginError} `storage_unavailable`
 */
export function takeSsoRecord(state: string): string | null {
  const storage = tabStorage();
  const record = storage.getItem(PREFIX + state);
  storage.removeItem(PREFIX + state);
  return record;
}
