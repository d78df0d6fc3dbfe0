import type { JsonObject } from "../http/json.js";
import { sessionEnded, type SessionEndReason } from "./events.js";
import { parseRecord, RecordPlace, type SessionRecord, withoutTokens } from "./record.js";
import { openStore, type SessionStoreOption, storageError, storeNameOf } from "./store.js";
import { TabChannel } from "./tab-channel.js";
import { withTabLock } from "./tab-lock.js";

/** `soft-logout`: ended, but the homeserver keeps the device for the next sign-in. */
export type SessionState = "signed-in" | "soft-logout" | "signed-out";

export interface SessionEnd {
  readonly state: Exclude<SessionState, "signed-in">;
  readonly reason: SessionEndReason;
}

/** Receives changes by this tab and by others. */
interface RecordListener {
  changed(before: SessionRecord): void;
  ended(end: SessionEnd): void;
  /** This sign-in has replaced an older one, whose tokens no session uses now. */
  replaced(older: SessionRecord): void;
}

interface SharedRecordOptions {
  readonly store: SessionStoreOption;
  readonly key: string;
  /** Whether the user has just signed in. */
  readonly isNew: boolean;
  readonly timeoutMs: number | undefined;
}

export class SharedRecord {
  readonly stored: Promise<void>;
  /**
   * With `memory` no other tab has the record; with `sessionStorage` a duplicated tab has a copy.
   */
  readonly #storeName: string;
  readonly #place: RecordPlace;
  readonly #options: SharedRecordOptions;
  readonly #listener: RecordListener;
  readonly #channel: TabChannel | undefined;
  #record: SessionRecord;
  /** Whether the store has the record, as far as this tab knows. */
  #kept = true;
  #state: SessionState;
  #successor: SessionRecord | undefined;
  /** The query in progress after the store was found empty: each response leads to another reading. */
  #asking: Promise<void> | undefined;

  constructor(record: SessionRecord, options: SharedRecordOptions, listener: RecordListener) {
    this.#record = record;
    this.#state = record.state ?? "signed-in";
    const { store, key, isNew } = options;
    this.#storeName = storeNameOf(store);
    this.#place = new RecordPlace(openStore(store), key);
    this.#options = options;
    this.#listener = listener;
    if (store !== "memory" && this.#state === "signed-in") {
      this.#channel = new TabChannel(key, (message) => this.#onMessage(message));
    }
    this.stored = isNew ? this.#begin() : Promise.resolve();
    this.stored.catch(() => undefined);
  }

  get current(): SessionRecord {
    return this.#record;
  }

  get state(): SessionState {
    return this.#state;
  }

  get successor(): SessionRecord | undefined {
    return this.#successor;
  }

  /** @throws {OidcFlowError} `SessionEnded` if the session is over. */
  get signedInRecord(): SessionRecord {
    if (this.#state === "signed-in") return this.#record;
    throw sessionEnded();
  }

  /**
   * `signal` ends the wait for the lock, not the call. @throws {TabLockTimeout} if another tab
   * keeps the lock.
   */
  withLock<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const { key, timeoutMs } = this.#options;
    // A session in memory shares no key with other tabs.
    const lockName = this.#storeName === "memory" ? `${key}:${this.#record.id}` : key;
    return withTabLock(lockName, this.#place.store, { signal, timeoutMs }, async () => {
      await this.stored.catch(() => undefined);
      await this.#read();
      return call();
    });
  }

  /**
   * Asks the other tabs for a newer record. The store may show their changes late, or, if it belongs
   * to the tab, never.
   */
  async query(): Promise<void> {
    const { id, version } = this.#record;
    await this.#channel?.query({ id, query: version });
  }

  /** Changes the record in every tab. Call it {@link withLock}. */
  async update(members: Partial<SessionRecord>): Promise<void> {
    // Another user might have signed in since then.
    await this.#read();
    if (this.state !== "signed-in") return;
    const version = this.#record.version + 1;
    const record = { ...this.#record, ...members, version } as SessionRecord;
    // If the store fails, the session lives in this page only.
    await this.#write(record).catch(() => undefined);
    // It might have ended since then.
    if (this.#state !== "signed-in") return this.#place.leave(this.#record);
    this.#accept(record, this.#kept);
    this.#broadcast();
  }

  /** Removes the rest of the record after a soft logout. */
  async forget(): Promise<void> {
    this.#state = "signed-out";
    await this.#place.clear(this.#record.id);
    this.#listener.ended({ state: "signed-out", reason: "signed-out" });
  }

  close(): void {
    this.#channel?.close();
  }

  /**
   * Replaces an older sign-in in the store: immediately, because the page might be about to leave.
   */
  async #begin(): Promise<void> {
    let older: SessionRecord | undefined;
    try {
      const found = this.#place.read();
      ({ record: older } = found instanceof Promise ? await found : found);
    } catch {
      // Writing reports the failure.
    }
    // Later, even if the clock was set back.
    const signedInAt = Math.max(this.#record.signedInAt, (older?.signedInAt ?? 0) + 1);
    this.#record = { ...this.#record, signedInAt };
    await this.#write(this.#record).finally(() => this.#broadcast());
    if (!older || older.id === this.#record.id) return;
    this.#listener.replaced(older);
    // A tab that is refreshing the older tokens may write them after this.
    const readAgain = () => this.#read();
    this.withLock(undefined, readAgain).catch(() => undefined);
  }

  async #write(record: SessionRecord): Promise<void> {
    try {
      await this.#place.write(record);
      this.#kept = true;
    } catch (cause) {
      this.#kept = false;
      // The store must not keep a refresh token that is used up.
      await this.#place.clear(this.#record.id);
      throw storageError(cause);
    }
  }

  async #read(): Promise<void> {
    try {
      const { record, isEmpty } = await this.#place.read();
      if (record?.id === this.#record.id) {
        if (record.state) await this.end({ state: record.state, reason: "refused" }, false);
        else this.#accept(record, true);
      } else if (record && record.signedInAt < this.#record.signedInAt) {
        // A tab with a replaced session wrote late.
        await this.#write(this.#record);
      } else if (record || isEmpty) {
        // Another tab may have found the store full, and then responds so.
        if (this.#kept && !record) await this.#queryOnce();
        const reason = record ? "replaced" : "signed-out";
        this.#successor = record;
        if (this.#kept) await this.end({ state: "signed-out", reason }, false);
      }
    } catch {
      // The store cannot be reached.
    }
  }

  /** Handles a message from another tab. @returns Whether it has a newer record. */
  #onMessage({ id, query, end, record, kept, storeName }: JsonObject): boolean {
    const theirs = parseRecord(record);
    if (id !== this.#record.id) {
      // The store may show the other sign-in late.
      const isShared = storeName === "localStorage" || storeName === "indexedDB";
      const isSameStore = isShared && storeName === this.#storeName;
      if (isSameStore && theirs && theirs.signedInAt > this.#record.signedInAt) {
        this.#successor = theirs;
        void this.end({ state: "signed-out", reason: "replaced" }, false);
        return true;
      }
      if (typeof query === "number") this.#broadcast();
      void this.#read();
      return false;
    }
    if (isSessionEnd(end)) void this.end(end, false);
    else if (typeof query === "number" && query < this.#record.version) this.#broadcast();
    return theirs?.id === this.#record.id && this.#accept(theirs, kept !== false);
  }

  #broadcast(): void {
    const { id } = this.#record;
    const record = JSON.stringify(this.#record);
    this.#channel?.broadcast({ id, record, kept: this.#kept, storeName: this.#storeName });
  }

  #queryOnce(): Promise<void> {
    this.#asking ??= this.query().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  #accept(record: SessionRecord, isKept: boolean): boolean {
    if (this.#state !== "signed-in" || record.version <= this.#record.version) return false;
    const before = this.#record;
    this.#record = record;
    this.#kept = isKept;
    // Otherwise the tab's own store would keep the old refresh token.
    if (this.#storeName === "sessionStorage") void this.#write(record).catch(() => undefined);
    else if (!isKept) void this.#writeForSender(record);
    this.#listener.changed(before);
    return true;
  }

  /**
   * Stores a record that its sender could not store, such as a service worker that is older than
   * the page.
   */
  async #writeForSender(record: SessionRecord): Promise<void> {
    const write = async () => {
      if (this.#record === record) await this.#write(record);
    };
    await this.withLock(undefined, write).catch(() => undefined);
  }

  async end(end: SessionEnd, isByThisTab = true): Promise<void> {
    if (this.#state !== "signed-in") return;
    this.#state = end.state;
    const { id } = this.#record;
    this.#record = withoutTokens(this.#record);
    if (end.state === "soft-logout") this.#record = { ...this.#record, state: end.state };
    if (isByThisTab) this.#channel?.broadcast({ id, end });
    if (isByThisTab || this.#storeName === "sessionStorage") await this.#place.leave(this.#record);
    else if (this.#storeName === "localStorage") await this.#place.untilEnded(id);
    this.close();
    this.#listener.ended(end);
  }
}

function isSessionEnd(value: unknown): value is SessionEnd {
  const { state, reason } = Object(value) as Partial<SessionEnd>;
  const reasons: readonly unknown[] = ["signed-out", "refused", "replaced"];
  return (state === "soft-logout" || state === "signed-out") && reasons.includes(reason);
}
