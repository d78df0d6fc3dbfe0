const DATABASE = "matrix-auth-elements";
const VERSION = 1;
const SESSIONS = "sessions";

/** The keys of sessions that no page has chosen another key for begin so. */
const KEY_PREFIX = "matrix-auth-elements:session";

/**
 * Sessions in IndexedDB, which all tabs and workers of this origin share. One that an earlier version of the page
 * has kept in `localStorage` under the same key moves here.
 *
 * @see https://w3c.github.io/IndexedDB/
 */
export const indexedDbStore = {
  async getItem(key: string): Promise<string | undefined> {
    await takeFromLocalStorage(key);
    type Stored = IDBRequest<string | undefined>;
    return transact("readonly", (sessions) => sessions.get(key) as Stored);
  },
  async setItem(key: string, value: string): Promise<void> {
    await transact("readwrite", (sessions) => sessions.put(value, key));
  },
  async removeItem(key: string): Promise<void> {
    localStorageOrNone()?.removeItem(key);
    await transact("readwrite", (sessions) => sessions.delete(key));
  },
  async keys(): Promise<readonly string[]> {
    const older = Object.keys(localStorageOrNone() ?? {});
    await Promise.all(older.filter((key) => key.startsWith(KEY_PREFIX)).map(takeFromLocalStorage));
    return (await transact("readonly", (sessions) => sessions.getAllKeys())).map(String);
  },
};

/** The connection of this page or worker. */
let opened: Promise<IDBDatabase> | undefined;

/** Resolves with a request's result once it is stored. */
async function transact<T>(
  mode: IDBTransactionMode,
  request: (sessions: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = await begin(mode);
  return new Promise((resolve, reject) => {
    const sent = request(transaction.objectStore(SESSIONS));
    transaction.oncomplete = () => resolve(sent.result);
    // Also where the disk is full.
    transaction.onabort = () =>
      reject(transaction.error ?? new Error("The transaction was aborted"));
  });
}

async function begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
  // A refresh token that was replaced must not come back after a crash.
  const options: IDBTransactionOptions = { durability: "strict" };
  try {
    return (await open()).transaction(SESSIONS, mode, options);
  } catch (error) {
    // The browser has closed the connection, as it does when a user deletes the site's data.
    if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
    opened = undefined;
    return (await open()).transaction(SESSIONS, mode, options);
  }
}

const open = (): Promise<IDBDatabase> =>
  (opened ??= connect().catch((error: unknown) => {
    opened = undefined;
    throw error;
  }));

function connect(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => request.result.createObjectStore(SESSIONS);
    request.onerror = () => reject(request.error ?? new Error("The database cannot be opened"));
    request.onblocked = () => reject(new Error("An older tab blocks the database"));
    request.onsuccess = () => {
      const database = request.result;
      const forget = (): void => {
        opened = undefined;
      };
      database.onclose = forget;
      // A newer version of the page needs it.
      database.onversionchange = () => {
        database.close();
        forget();
      };
      resolve(database);
    };
  });
}

/** What is there was written later than what is here: it is removed once it has moved. */
async function takeFromLocalStorage(key: string): Promise<void> {
  const older = localStorageOrNone();
  const text = older?.getItem(key);
  if (!older || !text?.startsWith("{")) return;
  await transact("readwrite", (sessions) => sessions.put(text, key));
  if (older.getItem(key) === text) older.removeItem(key);
}

/** There is none in a worker, and none where the browser refuses it. */
function localStorageOrNone(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
