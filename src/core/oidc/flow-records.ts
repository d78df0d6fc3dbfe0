import { OidcError, OidcFlowError } from "./errors.js";

/** Distinguishes this library's `state` values from those of other code on the page. */
export const STATE_PREFIX = "mae-";

const PREFIX = "matrix-auth-elements:flow:";

/**
 * This tab's storage.
 *
 * @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`).
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
  throw new OidcFlowError(OidcError.StorageUnavailable, "storage_unavailable", cause);
}

/**
 * Keeps a record under its `state`.
 *
 * @throws {OidcFlowError} `StorageUnavailable`: `storage_unavailable` or `storage_full`.
 */
export function writeRecord(state: string, record: string): void {
  const storage = tabStorage();
  try {
    storage.setItem(PREFIX + state, record);
  } catch (cause) {
    throw new OidcFlowError(OidcError.StorageUnavailable, "storage_full", cause);
  }
}

/** Whether there is a record for a `state`; also false if there is no storage. */
export function hasRecord(state: string): boolean {
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
 * @throws {OidcFlowError} `StorageUnavailable`.
 */
export function takeRecord(state: string): string | null {
  const storage = tabStorage();
  const record = storage.getItem(PREFIX + state);
  storage.removeItem(PREFIX + state);
  return record;
}

/**
 * Every record, by its `state`.
 *
 * @throws {OidcFlowError} `StorageUnavailable`.
 */
export function readRecords(): ReadonlyMap<string, string> {
  const storage = tabStorage();
  return new Map(
    Object.keys(storage)
      .filter((key) => key.startsWith(PREFIX))
      .map((key) => [key.slice(PREFIX.length), storage.getItem(key) ?? ""]),
  );
}
