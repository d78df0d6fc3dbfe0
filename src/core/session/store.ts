import { OidcError, OidcFlowError } from "../oauth/errors.js";
import { indexedDbStore } from "./indexed-db.js";
import { applyChange, type ItemChange } from "./item-change.js";

/**
 * A store for sessions with these methods of `Storage`, synchronous or with promises. All tabs must
 * share a custom store.
 */
export interface SessionStore {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
  /** Required for `listSessions()`. */
  keys?(): Iterable<string> | Promise<Iterable<string>>;
  /**
   * Reads an item, and writes or removes it, as one transaction: no other tab, worker, or process
   * changes the item in between. Resolves or returns when the change is made, and rejects or throws
   * if it fails. The stores of this package have it. Without it, a store that responds with promises
   * is changed under a lock of this origin's tabs, which other processes don't share.
   */
  update?(key: string, change: ItemChange): unknown;
}

/** The stores of this package. */
export interface OwnStore extends SessionStore {
  /**
   * Marks a session that was signed out: in the caller's task, in a way that survives the page and
   * that workers can read.
   *
   * @internal
   */
  markEnded?(id: string): void;
}

/**
 * `memory`: only this page. `sessionStorage`: this tab, across reloads. `localStorage`: every tab
 * of this origin, until the user signs out. `indexedDB`: the same, and in workers.
 */
export type SessionStoreName = "memory" | "sessionStorage" | "localStorage" | "indexedDB";

export type SessionStoreOption = SessionStoreName | SessionStore;

export const storeNameOf = (store: SessionStoreOption): string =>
  typeof store === "string" ? store : "custom";

/** Blocked storage throws when it is used, not here. */
export function openStore(store: SessionStoreOption = "memory"): OwnStore {
  if (typeof store === "object") return store;
  if (store === "indexedDB") return indexedDbStore;
  if (store === "memory") {
    const items = new Map<string, string>();
    return synchronousStore({
      keys: () => items.keys(),
      getItem: (key) => items.get(key),
      setItem: (key, value) => items.set(key, value),
      removeItem: (key) => items.delete(key),
    });
  }
  return synchronousStore({
    keys: () => Object.keys(globalThis[store]),
    getItem: (key) => globalThis[store].getItem(key) ?? undefined,
    setItem: (key, value) => globalThis[store].setItem(key, value),
    removeItem: (key) => globalThis[store].removeItem(key),
  });
}

/** Nothing can happen between the calls of a store that responds immediately. */
const synchronousStore = (
  store: Omit<SessionStore, "getItem"> & {
    readonly getItem: (key: string) => string | undefined;
  },
): SessionStore => ({
  ...store,
  update: (key, change) => applyChange(store, key, store.getItem(key), change),
});

export function storageError(cause: unknown): OidcFlowError {
  if (cause instanceof OidcFlowError) return cause;
  const isFull = cause instanceof DOMException && cause.name === "QuotaExceededError";
  const code = isFull ? "storage_full" : "storage_unavailable";
  return new OidcFlowError(OidcError.StorageUnavailable, code, cause);
}
