import type { JsonObject } from "../http/json.js";
import { wait } from "../http/wait.js";
import { SessionChangedEvent, sessionEnded, SessionEndedEvent } from "./events.js";
import {
  endedRecord,
  isSameUser,
  parseRecord,
  type SessionEnd,
  type SessionRecord,
  type SessionState,
  softLogoutKey,
} from "./record.js";
import {
  openStore,
  type SessionStore,
  type SessionStoreOption,
  storageError,
  storeNameOf,
} from "./store.js";
import { TabChannel } from "./tab-channel.js";
import { withTabLock } from "./tab-lock.js";

interface SharedRecordOptions {
  readonly store: SessionStoreOption;
  readonly key: string;
  /** Whether the user has just signed in. */
  readonly isNew: boolean;
  readonly timeoutMs: number | undefined;
  /** Receives `session-changed` and `session-ended`, for changes by this tab and by others. */
  readonly target: EventTarget;
  /** Called if this sign-in has replaced an older one, whose tokens no session uses now. */
  readonly onReplaced: (older: SessionRecord) => void;
}

/** `localStorage` may show another tab's change so late. */
const LATE_MS = 500;
const READ_INTERVAL_MS = 10;

export class SharedRecord {
  readonly stored: Promise<void>;
  /**
   * With `memory` no other tab has the record; with `sessionStorage` a duplicated tab has a copy.
   */
  readonly #storeName: string;
  readonly #store: SessionStore;
  readonly #options: SharedRecordOptions;
  readonly #channel: TabChannel | undefined;
  #record: SessionRecord;
  /** Whether the store has the record, as far as this tab knows. */
  #kept = true;
  #successor: SessionRecord | undefined;
  /** The query in progress after the store was found empty: each response leads to another reading. */
  #asking: Promise<void> | undefined;

  constructor(record: SessionRecord, options: SharedRecordOptions) {
    this.#record = record;
    const { store, key, isNew } = options;
    this.#storeName = storeNameOf(store);
    this.#store = openStore(store);
    this.#options = options;
    if (store !== "memory" && this.state === "signed-in") {
      this.#channel = new TabChannel(key, (message) => this.#onMessage(message));
    }
    this.stored = isNew ? this.#begin() : Promise.resolve();
    this.stored.catch(() => undefined);
  }

  get current(): SessionRecord {
    return this.#record;
  }

  get state(): SessionState {
    return this.#record.state ?? "signed-in";
  }

  get successor(): SessionRecord | undefined {
    return this.#successor;
  }

  /** @throws {OidcFlowError} `SessionEnded` if the session is over. */
  get signedInRecord(): SessionRecord {
    if (this.state === "signed-in") return this.#record;
    throw sessionEnded();
  }

  /** @throws as {@link withTabLock} does. */
  withLock<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const { key, timeoutMs } = this.#options;
    // A session in memory shares no key with other tabs.
    const lockName = this.#storeName === "memory" ? `${key}:${this.#record.id}` : key;
    return withTabLock(lockName, this.#store, { signal, timeoutMs }, async () => {
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
    if (this.#record.state) return this.#clear();
    this.#accept(record, this.#kept);
    this.#broadcast();
    if (members.userId !== undefined) this.#forgetSoftLogout();
  }

  /** Removes the rest of the record after a soft logout. */
  async forget(): Promise<void> {
    this.#record = endedRecord(this.#record, "signed-out");
    await this.#clear();
    this.#reportEnd({ state: "signed-out", reason: "signed-out" });
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
      const text = this.#getItem();
      older = parseRecord(text instanceof Promise ? await text : text);
    } catch {
      // Writing reports the failure.
    }
    // Later, even if the clock was set back.
    const signedInAt = Math.max(this.#record.signedInAt, (older?.signedInAt ?? 0) + 1);
    this.#record = { ...this.#record, signedInAt };
    if (older?.state && !isSameUser(older, this.#record)) {
      const moving = this.#moveAside(older);
      if (moving) await moving;
    }
    await this.#write(this.#record).finally(() => this.#broadcast());
    this.#forgetSoftLogout();
    // After a soft logout there are no tokens.
    if (!older || older.state || older.id === this.#record.id) return;
    this.#options.onReplaced(older);
    // A tab that is refreshing the older tokens may write them after this.
    const readAgain = () => this.#read();
    this.withLock(undefined, readAgain).catch(() => undefined);
  }

  /** Not awaited if the store responds immediately: the page might be about to leave. */
  #moveAside(record: SessionRecord): Promise<unknown> | undefined {
    try {
      const key = softLogoutKey(this.#options.key, record);
      const moving = this.#store.setItem(key, JSON.stringify(record));
      if (!(moving instanceof Promise)) return undefined;
      return moving.catch((cause: unknown) => {
        throw storageError(cause);
      });
    } catch (cause) {
      throw storageError(cause);
    }
  }

  /** The user has signed in again. */
  #forgetSoftLogout(): void {
    if (this.#record.userId === undefined) return;
    const key = softLogoutKey(this.#options.key, this.#record);
    try {
      const removing = this.#store.removeItem(key);
      if (removing instanceof Promise) removing.catch(() => undefined);
    } catch {
      // The store cannot be reached.
    }
  }

  async #write(record: SessionRecord): Promise<void> {
    try {
      await this.#setItem(record);
      this.#kept = true;
    } catch (cause) {
      this.#kept = false;
      // The store must not keep a refresh token that is used up.
      await this.#clear();
      throw storageError(cause);
    }
  }

  #getItem(): ReturnType<SessionStore["getItem"]> {
    return this.#store.getItem(this.#options.key);
  }

  async #setItem(record: SessionRecord): Promise<void> {
    await this.#store.setItem(this.#options.key, JSON.stringify(record));
  }

  /**
   * Removes the record of this sign-in, or one that cannot be read; not that of another sign-in.
   * After a soft logout, it leaves the record without tokens.
   */
  async #clear(): Promise<void> {
    try {
      const text = this.#getItem();
      // A store that responds immediately is not awaited: a sign-in that follows must not be
      // removed.
      const found = parseRecord(text instanceof Promise ? await text : text);
      if (found && found.id !== this.#record.id) return;
      const remove = () => this.#store.removeItem(this.#options.key);
      // If that fails, remove the tokens with the rest.
      const leavesRest = found && this.#record.state === "soft-logout";
      await (leavesRest ? this.#setItem(this.#record).catch(remove) : remove());
    } catch {
      // The store cannot be reached.
    }
  }

  async #read(): Promise<void> {
    try {
      const text = await this.#getItem();
      const record = parseRecord(text);
      if (record?.id === this.#record.id) {
        if (record.state) await this.end({ state: record.state, reason: "refused" }, false);
        else this.#accept(record, true);
      } else if (record && record.signedInAt < this.#record.signedInAt) {
        // A tab with a replaced session wrote late.
        await this.#write(this.#record);
      } else if (record || !text) {
        // Another tab may have found the store full, and then responds so.
        if (this.#kept && !record) {
          this.#asking ??= this.query().finally(() => (this.#asking = undefined));
          await this.#asking;
        }
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
    if (theirs?.id !== this.#record.id) return false;
    if (!theirs.state) return this.#accept(theirs, kept !== false);
    void this.end({ state: theirs.state, reason: "refused" }, false);
    return true;
  }

  #broadcast(): void {
    const { id } = this.#record;
    const record = JSON.stringify(this.#record);
    this.#channel?.broadcast({ id, record, kept: this.#kept, storeName: this.#storeName });
  }

  #accept(record: SessionRecord, isKept: boolean): boolean {
    if (this.state !== "signed-in" || record.version <= this.#record.version) return false;
    const before = this.#record;
    this.#record = record;
    this.#kept = isKept;
    // Otherwise the tab's own store would keep the old refresh token.
    if (this.#storeName === "sessionStorage") void this.#write(record).catch(() => undefined);
    else if (!isKept) void this.#writeForSender(record);
    const isSameToken = record.tokenResponse.access_token === before.tokenResponse.access_token;
    if (!isSameToken || record.userId !== before.userId) {
      this.#options.target.dispatchEvent(new SessionChangedEvent());
    }
    return true;
  }

  /** Stores a record for a sender that cannot, such as a service worker older than the page. */
  async #writeForSender(record: SessionRecord): Promise<void> {
    const write = async () => {
      if (this.#record === record) await this.#write(record);
    };
    await this.withLock(undefined, write).catch(() => undefined);
  }

  async end(end: SessionEnd, isByThisTab = true): Promise<void> {
    if (this.state !== "signed-in") return;
    this.#record = endedRecord(this.#record, end.state);
    if (isByThisTab) this.#channel?.broadcast({ id: this.#record.id, end });
    if (isByThisTab || this.#storeName === "sessionStorage") await this.#clear();
    else if (this.#storeName === "localStorage") await this.#untilEnded();
    this.close();
    this.#reportEnd(end);
  }

  /** Waits until the store shows another tab's change: a router calls `hasSession()` next. */
  async #untilEnded(): Promise<void> {
    try {
      for (let left = LATE_MS / READ_INTERVAL_MS; left > 0; left -= 1) {
        const record = parseRecord(await this.#getItem());
        if (record?.id !== this.#record.id || record.state) return;
        await wait(READ_INTERVAL_MS);
      }
    } catch {
      // The store cannot be reached.
    }
  }

  #reportEnd({ state, reason }: SessionEnd): void {
    const softLogout = state === "soft-logout";
    this.#options.target.dispatchEvent(new SessionEndedEvent({ softLogout, reason }));
  }
}

function isSessionEnd(value: unknown): value is SessionEnd {
  const { state, reason } = Object(value) as Partial<SessionEnd>;
  const reasons: readonly unknown[] = ["signed-out", "refused", "replaced"];
  return (state === "soft-logout" || state === "signed-out") && reasons.includes(reason);
}
