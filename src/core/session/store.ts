import { startTimeLimit } from "../http/wait.js";
import type { OidcErrorCode } from "../oauth/error-codes.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import { applyChange, type ItemChange } from "./item-change.js";
import { LazyModule } from "./lazy-module.js";

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
   * Marks a signed-out session in the caller's task. The mark survives the page, and workers can
   * read it.
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

export const indexedDb = new LazyModule(() => import("./indexed-db.js"));

/**
 * Starts in the caller's task if the code for IndexedDB is loaded, which is the case after the
 * first use.
 */
const withIndexedDb = <T>(use: (store: Required<OwnStore>) => T | Promise<T>): T | Promise<T> =>
  indexedDb.module
    ? use(indexedDb.module.indexedDbStore)
    : indexedDb.load().then((module) => use(module.indexedDbStore));

const indexedDbStore: OwnStore = {
  getItem: (key) => withIndexedDb((store) => store.getItem(key)),
  setItem: (key, value) => withIndexedDb((store) => store.setItem(key, value)),
  removeItem: (key) => withIndexedDb((store) => store.removeItem(key)),
  keys: () => withIndexedDb((store) => store.keys()),
  update: (key, change) => withIndexedDb((store) => store.update(key, change)),
  markEnded(id) {
    // Without the code, nothing was read or written.
    Promise.resolve(withIndexedDb((store) => store.markEnded(id))).catch(() => undefined);
  },
};

/** If the storage is blocked, using it throws, but not this function. */
export function openStore(store: SessionStoreOption = "memory"): OwnStore {
  if (typeof store === "object") return respondingStore(store);
  if (store === "indexedDB") return respondingStore(indexedDbStore);
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

/** Nothing can happen between two calls of a synchronous store. */
const synchronousStore = (
  store: Omit<SessionStore, "getItem"> & {
    readonly getItem: (key: string) => string | undefined;
  },
): SessionStore => ({
  ...store,
  update: (key, change) => applyChange(store, key, store.getItem(key), change),
});

const MAX_RESPONSE_MS = 10_000;

/**
 * Wraps a store so that its promises reject after a time limit, because a database might never
 * open. A change that happens later is still correct, because changes compare versions.
 */
function respondingStore(store: OwnStore): OwnStore {
  return {
    getItem: (key) => inTime(store.getItem(key)),
    setItem: (key, value) => inTime(store.setItem(key, value)),
    removeItem: (key) => inTime(store.removeItem(key)),
    ...(store.keys && { keys: () => inTime(store.keys?.() ?? []) }),
    ...(store.update && { update: (key, change) => inTime(store.update?.(key, change)) }),
    ...(store.markEnded && { markEnded: (id) => store.markEnded?.(id) }),
  };
}

export function inTime<T>(result: T | Promise<T>): T | Promise<T> {
  if (!isPromise(result)) return result;
  let stop!: () => void;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error("The store does not respond"));
    stop = startTimeLimit(MAX_RESPONSE_MS, fail);
  });
  return Promise.race([result, late]).finally(stop);
}

export const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as PromiseLike<T> | undefined)?.then === "function";

export const storageUnavailable = (code: OidcErrorCode, cause?: unknown): OidcFlowError =>
  new OidcFlowError("Storage required to log in is not available", code, cause);

export function storageError(cause: unknown): OidcFlowError {
  if (cause instanceof OidcFlowError) return cause;
  const isFull = cause instanceof DOMException && cause.name === "QuotaExceededError";
  return storageUnavailable(isFull ? "storage_full" : "storage_unavailable", cause);
}

/**
 * The stores for a lock, in order. All tabs share IndexedDB, even if each has its own `sessionStorage`,
 * and it changes entries in transactions, while `localStorage` may show another tab's entry late.
 */
export const leaseStores = (store: SessionStore): readonly SessionStore[] => [
  openStore("indexedDB"),
  store,
];
