import { OidcError, OidcFlowError } from "../oidc/index.js";

/**
 * Where a session is kept: these methods of `Storage`, synchronous or with promises. A custom store may be
 * anything that all tabs share, such as IndexedDB.
 */
export interface SessionStore {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
  /** Needed to list sessions. */
  keys?(): Iterable<string> | Promise<Iterable<string>>;
}

/**
 * `memory`: only this page. `sessionStorage`: this tab, across reloads. `localStorage`: every tab of this
 * origin, until the user signs out.
 */
export type SessionStoreName = "memory" | "sessionStorage" | "localStorage";

/** The store of that name. A blocked storage throws only when it is used, not here. */
export function openStore(store: SessionStoreName | SessionStore = "memory"): SessionStore {
  if (typeof store === "object") return store;
  if (store === "memory") return memoryStore();
  return {
    getItem: (key) => globalThis[store].getItem(key),
    setItem: (key, value) => globalThis[store].setItem(key, value),
    removeItem: (key) => globalThis[store].removeItem(key),
  };
}

/**
 * What a store has under a key.
 *
 * @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`).
 */
export async function readStore(
  store: SessionStoreName | SessionStore | undefined,
  key: string,
): Promise<string | null | undefined> {
  try {
    return await openStore(store).getItem(key);
  } catch (cause) {
    throw storageError(cause);
  }
}

/**
 * The keys in a store.
 *
 * @throws {OidcFlowError} `StorageUnavailable`: `storage_unavailable`, `store_not_listable`.
 */
export async function listKeys(
  store: SessionStoreName | SessionStore = "memory",
): Promise<Iterable<string>> {
  const isOwn = typeof store === "object";
  if (isOwn && !store.keys) {
    throw new OidcFlowError(OidcError.StorageUnavailable, "store_not_listable");
  }
  try {
    if (isOwn) return (await store.keys?.()) ?? [];
    return store === "memory" ? [] : Object.keys(globalThis[store]);
  } catch (cause) {
    throw storageError(cause);
  }
}

function memoryStore(): SessionStore {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key),
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  };
}

/** The error for a store that the browser refuses, or that has no room. */
export function storageError(cause: unknown): OidcFlowError {
  const isFull = cause instanceof DOMException && cause.name === "QuotaExceededError";
  const code = isFull ? "storage_full" : "storage_unavailable";
  return new OidcFlowError(OidcError.StorageUnavailable, code, cause);
}
