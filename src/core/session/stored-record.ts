import { isText, toJson } from "../http/json.js";
import { wait } from "../http/wait.js";
import { isEnded, isMoving, markEnded, noteEnded, unmarkEnded } from "./ended-sessions.js";
import { applyChange, type ItemChange } from "./item-change.js";
import { LazyModule } from "./lazy-module.js";
import { DEFAULT_KEY, parseRecord, type SessionRecord } from "./record.js";
import {
  isPromise,
  leaseStores,
  openStore,
  type OwnStore,
  type SessionStoreOption,
  storageError,
  storageUnavailable,
  storeNameOf,
} from "./store.js";

/** Only refreshes and the custom stores of apps need it. */
export const tabLock = new LazyModule(() => import("./tab-lock.js"));

/** The content of a store under a key. */
export interface Found {
  readonly record?: SessionRecord | undefined;
  /** The record of a signed-out session, if a page closed before it could remove the record. */
  readonly ended?: SessionRecord | undefined;
  /** Whether the item doesn't belong to a session. Then it is neither replaced nor removed. */
  readonly isForeign?: boolean;
}

/** The pauses between readings, which double each time: 630 ms in total, as a store can take on a busy machine. */
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 320;

/**
 * The record under one key of a store. Every read and every change of a stored session is made here,
 * and each change is one transaction: it reads, compares, and writes or removes.
 */
export class StoredRecord {
  store!: OwnStore;
  storeName!: string;
  readonly key: string;
  /**
   * Whether another tab has the session that this store has lost, for example in the tab's own
   * store.
   */
  hasMoved = false;

  constructor(store: SessionStoreOption = "memory", key = DEFAULT_KEY) {
    this.#use(store);
    this.key = key;
  }

  #use(store: SessionStoreOption): void {
    this.store = openStore(store);
    this.storeName = storeNameOf(store);
  }

  /** Whether other tabs have no such store, but may have a copy of the record. */
  get isOfTab(): boolean {
    return this.storeName === "sessionStorage";
  }

  /** Synchronous if the store is. @throws the store's errors. */
  read(): Found | Promise<Found> {
    return afterwards(this.store.getItem(this.key), (text) => {
      const found = findRecord(text);
      // A page closed before it could remove this record, which any change removes.
      if (found.ended) Promise.resolve(this.change(() => undefined)).catch(() => undefined);
      return found;
    });
  }

  /**
   * Switches to IndexedDB if the session has moved there from `localStorage`, because a newer
   * version of the page keeps this key's sessions there. Call it only if `localStorage` has lost the
   * session: this store moves what it finds there.
   *
   * @returns Whether the session has moved.
   */
  async followMove(id: string): Promise<boolean> {
    if (this.storeName !== "localStorage") return false;
    const hasMoved = (await new StoredRecord("indexedDB", this.key).tryRead())?.id === id;
    if (hasMoved) this.#use("indexedDB");
    return hasMoved;
  }

  /** Also undefined if the store cannot be reached. */
  async tryRead(): Promise<SessionRecord | undefined> {
    try {
      return (await this.read()).record;
    } catch {
      return undefined;
    }
  }

  /**
   * Reads until the store shows another tab's change. Undefined if that takes too long.
   *
   * @throws the store's errors.
   */
  async readUntil(isShown: (found: Found) => boolean): Promise<Found | undefined> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const found = await this.read();
      if (isShown(found)) return found;
      if (pauseMs > LAST_PAUSE_MS) return undefined;
      await wait(pauseMs);
    }
  }

  /**
   * @param decide Receives the current record. Returns the new record, `null` to remove the current
   *   one, or `undefined` to leave it unchanged. It may be called more than once.
   * @returns A promise unless the store is synchronous.
   * @throws {OidcFlowError} `StorageUnavailable` (`store_key_taken`) if the item doesn't belong to
   *   a session. Also the store's errors.
   */
  change(decide: (found: Found) => SessionRecord | null | undefined): void | Promise<void> {
    let isRejected: boolean | undefined;
    let ended: string | undefined;
    const change: ItemChange = (text) => {
      const found = findRecord(text);
      const next = decide(found);
      isRejected = found.isForeign && next !== undefined;
      if (found.isForeign) return undefined;
      ended = found.ended?.id;
      if (next) return toJson(next);
      return next === null || found.ended ? null : undefined;
    };
    return afterwards(changeItem(this.store, this.key, change), () => {
      if (isRejected) throw storageUnavailable("store_key_taken");
      // Copies in other tabs may still contain the record.
      if (ended !== undefined && !this.isOfTab) unmarkEnded(ended);
    });
  }

  /**
   * Removes a signed-out session, regardless of its version. This starts in the caller's task, and
   * no page restores the session after that.
   *
   * @returns The removed record. Synchronous if the store is.
   */
  end(id: string): SessionRecord | undefined | Promise<SessionRecord | undefined> {
    let removed: SessionRecord | undefined;
    const isImmediate = this.storeName === "localStorage" || this.storeName === "memory";
    noteEnded(id);
    if (!isImmediate) {
      markEnded(id);
      this.store.markEnded?.(id);
    }
    try {
      const done = this.change(({ record, ended }) => {
        removed = [record, ended].find((found) => found?.id === id);
        return removed && null;
      });
      if (done) return done.then(() => removed).catch(() => undefined);
    } catch {
      // The store cannot be reached.
    }
    const mayBeElsewhere = !removed || this.hasMoved || isMoving(this.key, id);
    if (isImmediate && mayBeElsewhere) markEnded(id);
    return removed;
  }
}

/** @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`). */
export async function readStoredRecord(
  store: SessionStoreOption | undefined,
  key?: string,
): Promise<SessionRecord | undefined> {
  try {
    return (await new StoredRecord(store, key).read()).record;
  } catch (cause) {
    throw storageError(cause);
  }
}

/** @param text Any value, because other code on the page can write to the store, too. */
export function findRecord(text: unknown): Found {
  const record = parseRecord(text);
  if (!record) return { isForeign: isText(text) };
  return isEnded(record.id) ? { ended: record } : { record };
}

/** Changes a store without `update()` in one task, or under a lock. */
function changeItem(store: OwnStore, key: string, change: ItemChange): unknown {
  if (typeof store.update === "function") return store.update(key, change);
  const item = store.getItem(key);
  if (!isPromise(item)) return applyChange(store, key, item, change);
  const read = async () => applyChange(store, key, await store.getItem(key), change);
  const changed = async (): Promise<unknown> => {
    const { withTabLock } = await tabLock.load();
    return withTabLock(`${key}:change`, leaseStores(store), { outlastsLease: true }, read);
  };
  return item.then(changed);
}

/** Synchronous unless the value is a promise. */
export function afterwards<T, R>(
  value: T | PromiseLike<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}
