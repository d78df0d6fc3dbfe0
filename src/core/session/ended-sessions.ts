import { inLocalStorage } from "../shared/tab-records.js";

const PREFIX = "matrix-auth-elements:ended:";
/** Names the session under this key that moves from `localStorage` to IndexedDB now. */
export const MOVING_PREFIX = "matrix-auth-elements:moving:";

/** Each mark of an interrupted sign-out is removed with its record. This limits those that are not. */
const MAX_MARKS = 100;

/** The IDs of the sessions that ended, as far as this page or worker knows. */
const ended = new Set<string>();

/** Whether the session with this record was signed out. Such a record is never restored. */
export const isEnded = (id: string): boolean =>
  ended.has(id) || typeof inLocalStorage((storage) => storage.getItem(PREFIX + id)) === "string";

/** Notes the end for this page or worker only. */
export function noteEnded(id: string): void {
  ended.add(id);
}

/**
 * Marks a signed-out session synchronously, for all pages of this origin, because a page that closes
 * may not remove its record from a store that responds with promises. The mark has no secret.
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
    // The time decides only which mark is removed first.
    storage.setItem(PREFIX + id, String(Date.now()));
  });
}

/** Whether IndexedDB may soon have the session with this record, too. */
export const isMoving = (key: string, id: string): boolean =>
  inLocalStorage((storage) => storage.getItem(MOVING_PREFIX + key)) === id;

/** Removes the mark once no store has the record. */
export const unmarkEnded = (id: string): void =>
  inLocalStorage((storage) => storage.removeItem(PREFIX + id));
