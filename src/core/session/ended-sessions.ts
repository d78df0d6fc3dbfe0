import { inLocalStorage } from "../shared/tab-records.js";

const PREFIX = "matrix-auth-elements:ended:";
/**
 * The prefix of an item that names a session under this key. The session is being moved from
 * `localStorage` to IndexedDB.
 */
export const MOVING_PREFIX = "matrix-auth-elements:moving:";

/** A mark is removed with its record, if there is one. This limits the number of the others. */
const MAX_MARKS = 100;

/** The IDs of the ended sessions that this page or worker knows about. */
const ended = new Set<string>();

/**
 * Whether the session with this record was signed out or replaced. Then it is never restored, also if
 * its mark is removed later.
 */
export function isEnded(id: string): boolean {
  if (inLocalStorage((storage) => storage.getItem(PREFIX + id))) noteEnded(id);
  return ended.has(id);
}

/** Notes the end for this page or worker only. */
export function noteEnded(id: string): void {
  ended.add(id);
}

/**
 * Marks a session as signed out or replaced, for all pages of this origin. This is synchronous: a
 * page that is closing might not be able to remove the record from a store that responds with
 * promises. The mark contains no secret.
 */
export function markEnded(id: string): void {
  noteEnded(id);
  // If the storage is full or blocked, the record is removed as soon as its store allows it.
  inLocalStorage((storage) => {
    const timeOf = (key: string): number => Number(storage.getItem(key));
    const newestFirst = Object.keys(storage)
      .filter((key) => key.startsWith(PREFIX))
      .sort((a, b) => timeOf(b) - timeOf(a));
    for (const key of newestFirst.slice(MAX_MARKS - 1)) storage.removeItem(key);
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
