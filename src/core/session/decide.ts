import type { SessionEnd, SessionRecord } from "./record.js";
import type { Found } from "./stored-record.js";

/** A tab's knowledge about a signed-in session. */
export interface Known {
  readonly record: SessionRecord;
  /** Whether the store has the record. Otherwise the session exists only in pages. */
  readonly isKept: boolean;
  /** Whether a mark says that the session was signed out or replaced. */
  readonly isMarked?: boolean;
}

/** The action that a tab takes after it has read the store. */
export type Step =
  | { readonly kind: "continue" }
  | { readonly kind: "accept"; readonly record: SessionRecord }
  /** Write the tab's record again. */
  | { readonly kind: "restore" }
  /** Ask whether another tab has the session. If not, it has ended. */
  | { readonly kind: "ask" }
  | { readonly kind: "end"; readonly end: SessionEnd; readonly successor?: SessionRecord };

export const SIGNED_OUT: SessionEnd = { state: "signed-out", reason: "signed-out" };
const REPLACED: SessionEnd = { state: "signed-out", reason: "replaced" };

/** See the table in docs/development/session.md. */
export function decide({ record: own, isKept }: Known, found: Found): Step {
  const { record, ended, isForeign } = found;
  if (record?.id === own.id) {
    if (record.state) return { kind: "end", end: { state: record.state, reason: "refused" } };
    return record.version > own.version ? { kind: "accept", record } : { kind: "continue" };
  }
  // A tab that read the store too late has overwritten this sign-in.
  if (hasReplaced(own, found)) return { kind: "restore" };
  if (isForeign || !isKept) return { kind: "continue" };
  if (record) return { kind: "end", end: REPLACED, successor: record };
  // Another tab may have found the store full, or may have moved the session to another store.
  return ended ? { kind: "end", end: SIGNED_OUT } : { kind: "ask" };
}

/** The place of a tab's next record: none if another tab has changed or ended the session. */
export type Place = "store" | "pages" | "none";

/** @param isLost Whether another tab says that the store doesn't have the session. */
export function placeOf(
  { record: next, isKept, isMarked }: Known,
  found: Found,
  isLost?: boolean,
): Place {
  const { record, ended, isForeign } = found;
  if (hasReplaced(next, found)) return "store";
  if (!record && isMarked) return ended ? "none" : "pages";
  // The write fails if the item doesn't belong to a session.
  if (!record) return isForeign || isLost || !isKept ? "store" : "none";
  if (record.id === next.id) {
    return !record.state && record.version < next.version ? "store" : "none";
  }
  return isKept ? "none" : "pages";
}

/** Also if another tab has marked that one as ended. */
const hasReplaced = ({ replaces }: SessionRecord, { record, ended }: Found): boolean =>
  replaces.some((id) => id === (record ?? ended)?.id);
