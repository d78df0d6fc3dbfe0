import { inLocalStorage } from "../shared/tab-records.js";

const PREFIX = "matrix-auth-elements:ended:";
/**
 * The prefix of an item that names a session under this key. The session is being moved from
 * `localStorage` to IndexedDB.
 */
export const MOVING_PREFIX = "matrix-auth-elements:moving:";

/**
 * The mark of an interrupted sign-out is normally removed with its record. This limits the number
 * of remaining marks.
 */
const MAX_MARKS = 100;

/** The IDs of the ended sessions that this page or worker knows about. */
const ended = new Set<string>();

/** Whether the session with this record was signed out. Then the record is never restored. */
export const isEnded = (id: string): boolean =>
  ended.has(id) || typeof inLocalStorage((storage) => storage.getItem(PREFIX + id)) === "string";

/** Notes the end for this page or worker only. */
export function noteEnded(id: string): void {
  ended.add(id);
}

/**
 * Marks a signed-out session synchronously, for all pages of this origin: a page that is closing
 * might not be able to remove the record from a store that responds with promises. The mark
 * contains no secret.
 */
export function markEnded(id: string): void {
  noteEnded(id);
  // If the storage is full or blocked, the record is removed as soon as its store allows it.
  inLocalStorage((storage) => {
    const times = Object.keys(storage)
      .filter((key) => key.startsWith(PREFIX))
      .map((key) => [Number(storage.getItem(key)), key] as const)
      .sort(([a], [b]) => a - b);
    for (const [, key] of times.slice(0, Math.max(0, times.length + 1 - MAX_MARKS))) {
      storage.removeItem(key);
    }
    // The time only determines which mark is removed first.
    storage.setItem(PREFIX + id, String(Date.now()));
  });
}

/** Whether the session with this record may soon be in IndexedDB, too. */
export const isMoving = (key: string, id: string): boolean =>
  inLocalStorage((storage) => storage.getItem(MOVING_PREFIX + key)) === id;

/** Removes the mark once no store has the record. */
export const unmarkEnded = (id: string): void =>
  inLocalStorage((storage) => storage.removeItem(PREFIX + id));
