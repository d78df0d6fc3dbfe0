import { OidcError, OidcFlowError } from "../oauth/errors.js";
import { indexedDbStore } from "./indexed-db.js";

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
export function openStore(store: SessionStoreOption = "memory"): SessionStore {
  if (typeof store === "object") return store;
  if (store === "memory") {
    const items = new Map<string, string>();
    return {
      keys: () => items.keys(),
      getItem: (key) => items.get(key),
      setItem: (key, value) => items.set(key, value),
      removeItem: (key) => items.delete(key),
    };
  }
  if (store === "indexedDB") return indexedDbStore;
  return {
    keys: () => Object.keys(globalThis[store]),
    getItem: (key) => globalThis[store].getItem(key),
    setItem: (key, value) => globalThis[store].setItem(key, value),
    removeItem: (key) => globalThis[store].removeItem(key),
  };
}

export function storageError(cause: unknown): OidcFlowError {
  const isFull = cause instanceof DOMException && cause.name === "QuotaExceededError";
  const code = isFull ? "storage_full" : "storage_unavailable";
  return new OidcFlowError(OidcError.StorageUnavailable, code, cause);
}
