import { localStorageOrNone } from "../shared/tab-records.js";

const PREFIX = "matrix-auth-elements:ended:";

/** Each mark of an interrupted sign-out is removed with its record. This limits those that are not. */
const MAX_MARKS = 100;

/** The IDs of the sessions that ended, as far as this page or worker knows. */
const ended = new Set<string>();

/** Whether the session with this record was signed out. Such a record is never restored. */
export function isEnded(id: string): boolean {
  return ended.has(id) || markOf(id) !== null;
}

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
  const storage = localStorageOrNone();
  if (!storage) return;
  try {
    const times = Object.keys(storage)
      .filter((key) => key.startsWith(PREFIX))
      .map((key) => [Number(storage.getItem(key)), key] as const)
      .sort(([a], [b]) => a - b);
    for (const [, key] of times.slice(0, Math.max(0, times.length + 1 - MAX_MARKS))) {
      storage.removeItem(key);
    }
    // The time decides only which mark is removed first.
    storage.setItem(PREFIX + id, String(Date.now()));
  } catch {
    // A full or blocked storage: the record is removed as soon as its store allows it.
  }
}

/** Removes the mark once no store has the record. */
export function unmarkEnded(id: string): void {
  try {
    localStorageOrNone()?.removeItem(PREFIX + id);
  } catch {
    // The browser has blocked the storage since then.
  }
}

function markOf(id: string): string | null {
  try {
    return localStorageOrNone()?.getItem(PREFIX + id) ?? null;
  } catch {
    return null;
  }
}
