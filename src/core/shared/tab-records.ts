/** Records of this tab's storage, each under the `state` that it belongs to. */
export interface TabRecords {
  readonly prefix: string;
  /** Makes what is thrown where the browser refuses to store anything, or there is no room left. */
  readonly error: (code: "storage_unavailable" | "storage_full", cause: unknown) => Error;
}

function openStorage({ error }: TabRecords): Storage {
  let cause: unknown;
  try {
    // The getter itself throws if the browser blocks storage; it is undefined outside a browser.
    const storage = (globalThis as { sessionStorage?: Storage | null }).sessionStorage;
    if (storage) return storage;
  } catch (thrown) {
    cause = thrown;
  }
  throw error("storage_unavailable", cause);
}

/** The record for a `state`, which stays; null also if there is no storage. */
export function peekRecord({ prefix }: Pick<TabRecords, "prefix">, state: string): string | null {
  try {
    return sessionStorage.getItem(prefix + state);
  } catch {
    return null;
  }
}

export function writeRecord(records: TabRecords, state: string, record: string): void {
  const storage = openStorage(records);
  try {
    storage.setItem(records.prefix + state, record);
  } catch (cause) {
    throw records.error("storage_full", cause);
  }
}

/**
 * Takes out the record for a `state`, so that it is given out only once: synchronous, because nothing may
 * happen between reading and removing it.
 */
export function takeRecord(records: TabRecords, state: string): string | null {
  const storage = openStorage(records);
  const key = records.prefix + state;
  const record = storage.getItem(key);
  storage.removeItem(key);
  return record;
}

/** Every record, by its `state`. */
export function readRecords(records: TabRecords): ReadonlyMap<string, string> {
  const storage = openStorage(records);
  const { prefix } = records;
  return new Map(
    Object.keys(storage)
      .filter((key) => key.startsWith(prefix))
      .map((key) => [key.slice(prefix.length), storage.getItem(key) ?? ""]),
  );
}
