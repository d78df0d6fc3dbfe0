import { localStorageOrNone } from "../shared/tab-records.js";

const SESSIONS = "sessions";
const KEY_PREFIX = "matrix-auth-elements:session";

/**
 * Sessions in IndexedDB, which all tabs and workers of this origin share. A session that an earlier
 * version of the page stored in `localStorage` under the same key moves here.
 *
 * @see https://w3c.github.io/IndexedDB/
 */
export const indexedDbStore = {
  async getItem(key: string): Promise<string | undefined> {
    await takeFromLocalStorage(key);
    type Stored = IDBRequest<string | undefined>;
    return inTransaction("readonly", (sessions) => sessions.get(key) as Stored);
  },
  async setItem(key: string, value: string): Promise<void> {
    await inTransaction("readwrite", (sessions) => sessions.put(value, key));
  },
  async removeItem(key: string): Promise<void> {
    localStorageOrNone()?.removeItem(key);
    await inTransaction("readwrite", (sessions) => sessions.delete(key));
  },
  async keys(): Promise<readonly string[]> {
    const older = Object.keys(localStorageOrNone() ?? {});
    await Promise.all(older.filter((key) => key.startsWith(KEY_PREFIX)).map(takeFromLocalStorage));
    return (await inTransaction("readonly", (sessions) => sessions.getAllKeys())).map(String);
  },
};

/** A connection for each request would be slow. */
let opened: Promise<IDBDatabase> | undefined;

async function inTransaction<T>(
  mode: IDBTransactionMode,
  request: (sessions: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = await beginTransaction(mode);
  return new Promise((resolve, reject) => {
    const sent = request(transaction.objectStore(SESSIONS));
    transaction.oncomplete = () => resolve(sent.result);
    // This also fires if the disk is full.
    transaction.onabort = () =>
      reject(transaction.error ?? new Error("The transaction was aborted"));
  });
}

async function beginTransaction(mode: IDBTransactionMode): Promise<IDBTransaction> {
  // A refresh token that was replaced must not return after a crash.
  const options: IDBTransactionOptions = { durability: "strict" };
  try {
    return (await openDatabase()).transaction(SESSIONS, mode, options);
  } catch (error) {
    // The browser has closed the connection, as it does when a user deletes the site's data.
    if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
    opened = undefined;
    return (await openDatabase()).transaction(SESSIONS, mode, options);
  }
}

const openDatabase = (): Promise<IDBDatabase> =>
  (opened ??= connect().catch((error: unknown) => {
    opened = undefined;
    throw error;
  }));

function connect(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("matrix-auth-elements", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(SESSIONS);
    request.onerror = () => reject(request.error ?? new Error("The database could not be opened"));
    request.onblocked = () => reject(new Error("An older tab blocks the database"));
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = () => (opened = undefined);
      // A newer version of the page upgrades the database.
      database.onversionchange = () => {
        database.close();
        opened = undefined;
      };
      resolve(database);
    };
  });
}

/** Moves a session here, because `localStorage` has the later one. */
async function takeFromLocalStorage(key: string): Promise<void> {
  const older = localStorageOrNone();
  const text = older?.getItem(key);
  if (!older || !text?.startsWith("{")) return;
  await inTransaction("readwrite", (sessions) => sessions.put(text, key));
  if (older.getItem(key) === text) older.removeItem(key);
}
