import { startTimeLimit } from "../http/wait.js";
import { inLocalStorage } from "../shared/tab-records.js";
import { isEnded, MOVING_PREFIX, noteEnded } from "./ended-sessions.js";
import type { ItemChange } from "./item-change.js";
import { parseRecord, type SessionRecord } from "./record.js";

const DATABASE = "matrix-auth-elements";
const SESSIONS = "sessions";
const KEY_PREFIX = "matrix-auth-elements:session";
/**
 * An item under a key with this prefix marks the record whose ID follows. Workers need it, because
 * they have no `localStorage`.
 */
const ENDED_PREFIX = "matrix-auth-elements:ended:";
/** Marks a session that stays in `localStorage`, because IndexedDB already had another one. */
const STAYING_PREFIX = "matrix-auth-elements:staying:";

/**
 * Sessions in IndexedDB, which all tabs and workers of this origin share. A session that an earlier
 * version of the page stored in `localStorage` under the same key moves here.
 *
 * @see https://w3c.github.io/IndexedDB/
 */
export const indexedDbStore = {
  async getItem(key: string): Promise<string | undefined> {
    await takeFromLocalStorage(key);
    return inTransaction<string | undefined>("readonly", (sessions, done) =>
      readItem(sessions, key, done),
    );
  },
  async setItem(key: string, value: string): Promise<void> {
    await changeItem(key, () => value);
  },
  async removeItem(key: string): Promise<void> {
    await this.update(key, () => null);
  },
  /** Also the keys of the sessions that can move here. */
  async keys(): Promise<Iterable<string>> {
    const older = inLocalStorage((storage) => Object.keys(storage)) ?? [];
    const keys = await inTransaction<IDBValidKey[]>("readonly", (sessions, done) => {
      const request = sessions.getAllKeys();
      request.onsuccess = () => done(request.result);
    });
    return new Set([
      ...(keys ?? []).map(String).filter((key) => !key.startsWith(ENDED_PREFIX)),
      ...older.filter((key) => key.startsWith(KEY_PREFIX) && findMovable(key)),
    ]);
  },
  async peek(key: string): Promise<string | undefined> {
    const read: Use<string | undefined> = (sessions, done) => readItem(sessions, key, done);
    return (await inTransaction("readonly", read)) ?? findMovable(key)?.text;
  },
  update(key: string, change: ItemChange): Promise<unknown> {
    // A page that is closing has only this task.
    const taken = takeFromLocalStorage(key);
    return taken ? taken.then(() => changeItem(key, change)) : changeItem(key, change);
  },
  markEnded(id: string): void {
    const mark = (sessions: IDBObjectStore): void => {
      sessions.put("", ENDED_PREFIX + id);
      // The transaction is complete even if the page closes now.
      sessions.transaction.commit();
    };
    inTransaction("readwrite", mark).catch(() => undefined);
  },
};

/** Also notes whether the item's session was signed out. */
function readItem(
  sessions: IDBObjectStore,
  key: string,
  use: (value: string | undefined, mark: string | undefined) => void,
): void {
  const request = sessions.get(key);
  request.onsuccess = () => {
    const value: unknown = request.result;
    const text = typeof value === "string" ? value : undefined;
    const id = parseRecord(text)?.id;
    if (id === undefined) return use(text, undefined);
    const mark = ENDED_PREFIX + id;
    const marked = sessions.getKey(mark);
    marked.onsuccess = () => {
      const isMarked = marked.result !== undefined;
      if (isMarked) noteEnded(id);
      use(text, isMarked ? mark : undefined);
    };
  };
}

/** @returns The item before the change. */
function changeItem(key: string, change: ItemChange): Promise<string | undefined> {
  return inTransaction("readwrite", (sessions, done) =>
    readItem(sessions, key, (value, mark) => {
      if (value !== undefined) done(value);
      const next = change(value);
      if (next === undefined) return;
      if (next === null) sessions.delete(key);
      else sessions.put(next, key);
      // The record that it marks is gone.
      if (mark !== undefined) sessions.delete(mark);
    }),
  );
}

/** Opening a connection for each request would be slow. */
let connection: IDBDatabase | undefined;
let opening: Promise<IDBDatabase> | undefined;

/**
 * The errors of a connection that the browser has closed or lost. WebKit closes connections in the
 * background.
 */
const LOST: readonly unknown[] = ["InvalidStateError", "UnknownError"];

type Use<T> = (sessions: IDBObjectStore, done: (result: T) => void) => void;

/**
 * Starts in the caller's task if the database is open. If the connection is lost, it opens another
 * one.
 */
async function inTransaction<T>(mode: IDBTransactionMode, use: Use<T>): Promise<T | undefined> {
  const earlier = connection;
  const database = earlier ?? (await openDatabase());
  try {
    return await runTransaction(database, mode, use);
  } catch (error) {
    if (!LOST.includes((error as Error).name)) throw error;
    database.close();
    if (connection === database) connection = undefined;
    if (!earlier) throw error;
    return runTransaction(await openDatabase(), mode, use);
  }
}

function runTransaction<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  use: Use<T>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    // A replaced refresh token must not reappear after a crash.
    const transaction = database.transaction(SESSIONS, mode, { durability: "strict" });
    let result: T | undefined;
    use(transaction.objectStore(SESSIONS), (value) => (result = value));
    transaction.oncomplete = () => resolve(result);
    // This also fires if the disk is full.
    transaction.onabort = () =>
      reject(transaction.error ?? new Error("The transaction was aborted"));
  });
}

async function openDatabase(): Promise<IDBDatabase> {
  return (connection ??= await (opening ??= connect().finally(() => (opening = undefined))));
}

/** Browsers sometimes never finish opening a database: the next call tries again. */
const MAX_OPENING_MS = 5000;

/** @param mayReplace Whether a database without its object store, as after a crash, is replaced. */
function connect(mayReplace = true): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    const fail = () => reject(new Error("The database does not open"));
    const stop = startTimeLimit(MAX_OPENING_MS, fail);
    request.onupgradeneeded = () => request.result.createObjectStore(SESSIONS);
    request.onerror = () => reject(request.error ?? new Error("The database could not be opened"));
    request.onblocked = () => reject(new Error("An older tab blocks the database"));
    request.onsuccess = () => {
      const database = request.result;
      const stores = database.objectStoreNames;
      if (!stores.contains(SESSIONS)) {
        database.close();
        // With other stores, it belongs to other code.
        if (!mayReplace || stores.length > 0) {
          stop();
          return reject(new Error("The database has no store for sessions"));
        }
        const removal = indexedDB.deleteDatabase(DATABASE);
        removal.onsuccess = () => {
          stop();
          resolve(connect(false));
        };
        removal.onerror = removal.onblocked = () => reject(new Error("The database has no store"));
        return;
      }
      stop();
      const forget = () => {
        if (connection === database) connection = undefined;
      };
      database.onclose = forget;
      // A newer version of the page upgrades the database.
      database.onversionchange = () => {
        database.close();
        forget();
      };
      resolve(database);
    };
  });
}

interface Movable {
  readonly text: string;
  readonly theirs: SessionRecord;
}

/** The session under this key in `localStorage`, if it can move here. */
const findMovable = (key: string): Movable | undefined =>
  inLocalStorage((older) => {
    const text = older.getItem(key);
    const theirs = parseRecord(text);
    const mayMove = theirs && older.getItem(STAYING_PREFIX + key) !== theirs.id;
    return mayMove && text ? { text, theirs } : undefined;
  });

/** Undefined if no session can move here. */
function takeFromLocalStorage(key: string): Promise<void> | undefined {
  const found = findMovable(key);
  return found && moveHere(key, found);
}

/** Moves a session here, unless its key already has another session or a later version. */
async function moveHere(key: string, { text, theirs }: Movable): Promise<void> {
  inLocalStorage((older) => older.setItem(MOVING_PREFIX + key, theirs.id));
  const found = isEnded(theirs.id)
    ? undefined
    : await changeItem(key, (value) => {
        const ours = parseRecord(value);
        const isEarlier = ours?.id === theirs.id && ours.version < theirs.version;
        return value === undefined || isEarlier ? text : undefined;
      });
  const isMoved = found === undefined || parseRecord(found)?.id === theirs.id;
  inLocalStorage((older) => {
    // Otherwise it would move here when the session here is signed out, and its user would appear
    // signed in. Another tab might still move it, so its sign-out must leave a mark.
    if (!isMoved) return older.setItem(STAYING_PREFIX + key, theirs.id);
    older.removeItem(MOVING_PREFIX + key);
    if (older.getItem(key) === text) older.removeItem(key);
  });
}
