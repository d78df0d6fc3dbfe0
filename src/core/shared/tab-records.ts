/** Records in this tab's storage. The `state` of a sign-in is the key. */
export interface TabRecords {
  readonly prefix: string;
  readonly error: (code: "storage_unavailable" | "storage_full", cause: unknown) => Error;
}

function openStorage({ error }: TabRecords): Storage {
  let cause: unknown;
  try {
    // The getter throws if the browser blocks storage, and is undefined outside a browser.
    const storage = (globalThis as { sessionStorage?: Storage | null }).sessionStorage;
    if (storage) return storage;
  } catch (thrown) {
    cause = thrown;
  }
  throw error("storage_unavailable", cause);
}

/** @param key The prefix and the `state`. @returns Also null without storage. */
export function peekRecord(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A provider's metadata could make a record long, and fill the storage that other sign-ins need. */
const MAX_LENGTH = 1 << 16;

/** Stores a record with its `createdAt`, and deletes expired records. */
export function writeRecord(records: TabRecords, state: string, record: string): void {
  const storage = openStorage(records);
  for (const [other, text] of readRecords(records)) {
    // Parse only this member: there may be many records, each with an issuer's metadata.
    const createdAt = /"createdAt":(\d+)/.exec(text)?.[1];
    if (isExpired(createdAt)) storage.removeItem(records.prefix + other);
  }
  if (record.length > MAX_LENGTH) throw records.error("storage_full", undefined);
  try {
    storage.setItem(records.prefix + state, record);
  } catch (cause) {
    throw records.error("storage_full", cause);
  }
}

/** Synchronous: a record is used once, so nothing may happen between reading and removing it. */
export function takeRecord(records: TabRecords, state: string): string | null {
  const storage = openStorage(records);
  const key = records.prefix + state;
  const record = storage.getItem(key);
  storage.removeItem(key);
  return record;
}

export function readRecords(records: TabRecords): ReadonlyMap<string, string> {
  const storage = openStorage(records);
  const { prefix } = records;
  const keys = Object.keys(storage).filter((key) => key.startsWith(prefix));
  return new Map(keys.map((key) => [key.slice(prefix.length), storage.getItem(key) ?? ""]));
}

/** The part of `Storage` that is used here. Node's types lack `Storage`. */
interface LocalStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Undefined without `localStorage`, as in workers, or if the browser blocks it or it is full. */
export function inLocalStorage<T>(use: (storage: LocalStorage) => T): T | undefined {
  try {
    const { localStorage } = globalThis as { localStorage?: LocalStorage };
    return localStorage && use(localStorage);
  } catch {
    return undefined;
  }
}

/** Enough time to register an account and wait for its email. */
export const RECORD_LIFETIME_MS = 60 * 60 * 1000;

/** Also true without a date, or if the clock was set back. */
export const isExpired = (createdAt: unknown): boolean =>
  !(Math.abs(Date.now() - Number(createdAt)) <= RECORD_LIFETIME_MS);
