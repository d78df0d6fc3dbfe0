import type { JsonObject } from "../http/json.js";
import type { SessionEndReason } from "./events.js";
import { type RecordFormat, RecordPlace, type StoredRecord } from "./record.js";
import { isSharedByTabs, type SessionStore, storageError } from "./store.js";
import { TabChannel } from "./tab-channel.js";
import { type TabLockOptions, withTabLock } from "./tab-lock.js";

/** `soft-logout`: over, but the homeserver keeps the device for when the user signs in again. */
export type SessionState = "signed-in" | "soft-logout" | "signed-out";

/** How a session ended. */
export interface SessionEnd {
  readonly state: Exclude<SessionState, "signed-in">;
  readonly reason: SessionEndReason;
}

/** Is notified of what becomes of a record, through this tab or another. */
export interface RecordListener<R> {
  changed(before: R): void;
  ended(end: SessionEnd): void;
  /** This sign-in has taken the place of an older one, whose tokens nobody has any more. */
  replaced(older: R): void;
}

export interface SharedRecordOptions extends Pick<TabLockOptions, "waitMs" | "leaseMs"> {
  readonly store: SessionStore;
  /** `memory`: nobody shares it; `sessionStorage`: a duplicated tab has a copy. */
  readonly storeName: string;
  readonly key: string;
  /** Whether the user has just signed in. */
  readonly isNew: boolean;
}

/** A session's record, as all tabs that have the session know it. */
export class SharedRecord<R extends StoredRecord> {
  /** Resolves when it is in its store. */
  readonly stored: Promise<void>;
  readonly #format: RecordFormat<R>;
  readonly #place: RecordPlace<R>;
  readonly #options: SharedRecordOptions;
  readonly #listener: RecordListener<R>;
  readonly #channel: TabChannel | undefined;
  #record: R;
  /** Whether the store has it, as far as this tab knows. */
  #kept = true;
  #state: SessionState;
  #successor: R | undefined;

  constructor(
    record: R,
    format: RecordFormat<R>,
    options: SharedRecordOptions,
    listener: RecordListener<R>,
  ) {
    this.#record = record;
    this.#state = record.state ?? "signed-in";
    this.#format = format;
    this.#place = new RecordPlace(options.store, options.key, format);
    this.#options = options;
    this.#listener = listener;
    const { storeName, key, isNew } = options;
    if (storeName !== "memory" && this.#state === "signed-in") {
      this.#channel = new TabChannel(key, (message) => this.#onMessage(message));
    }
    this.stored = isNew ? this.#begin() : Promise.resolve();
    this.stored.catch(() => undefined);
  }

  get current(): R {
    return this.#record;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The sign-in that has taken this one's place. */
  get successor(): R | undefined {
    return this.#successor;
  }

  /**
   * Makes a call in only one of all tabs, with what they have received meanwhile.
   *
   * @param signal Ends the waiting for one's turn; not the call.
   * @param isKnown Whether this tab has received enough.
   * @throws {RequestError} `timeout` where another tab keeps this one waiting.
   */
  withLock<T>(
    signal: AbortSignal | undefined,
    call: () => Promise<T>,
    isKnown: () => boolean = () => false,
  ): Promise<T> {
    const { store, waitMs, leaseMs } = this.#options;
    return withTabLock(this.#lockName, store, { signal, waitMs, leaseMs }, async () => {
      await this.stored.catch(() => undefined);
      await this.#read();
      // A store may show another tab's writing late, and that of one tab never; a message does not.
      if (!isKnown()) await this.#query();
      return call();
    });
  }

  /** Takes new members, and lets every tab know. To be called {@link withLock}. */
  async update(members: Partial<R>): Promise<void> {
    // Another user may have signed in meanwhile.
    await this.#read();
    if (this.state !== "signed-in") return;
    const record = { ...this.#record, ...members, version: this.#record.version + 1 };
    // Without its store the session lives in this page.
    await this.#write(record).catch(() => undefined);
    // It may have ended meanwhile.
    if (this.#state !== "signed-in") return this.#place.leave(this.#record);
    this.#accept(record, this.#kept);
    this.#broadcast();
  }

  /** Gives up the tokens, in every tab. */
  end(end: SessionEnd): Promise<void> {
    return this.#end(end, true);
  }

  /** After a soft logout: forgets who and where, too. */
  async forget(): Promise<void> {
    this.#state = "signed-out";
    await this.#place.clear(this.#record.id);
    this.#listener.ended({ state: "signed-out", reason: "signed-out" });
  }

  /** Stops listening to other tabs. */
  close(): void {
    this.#channel?.close();
  }

  /** Sessions in memory share nothing but the browser's locks. */
  get #lockName(): string {
    const { key, storeName } = this.#options;
    return storeName === "memory" ? `${key}:${this.#record.id}` : key;
  }

  /** Whether the store is the tab's own. */
  get #isPerTab(): boolean {
    return this.#options.storeName === "sessionStorage";
  }

  /** Puts a new sign-in in the place of an older one: at once, because the page may be about to leave. */
  async #begin(): Promise<void> {
    let older: R | undefined;
    try {
      const found = this.#place.read();
      ({ record: older } = found instanceof Promise ? await found : found);
    } catch {
      // Writing reports it.
    }
    // Also where the clock was set back.
    const signedInAt = Math.max(this.#record.signedInAt ?? 0, (older?.signedInAt ?? 0) + 1);
    this.#record = { ...this.#record, signedInAt };
    await this.#write(this.#record).finally(() => this.#broadcast());
    if (!older || older.id === this.#record.id) return;
    this.#listener.replaced(older);
    // A tab that was just refreshing the older one's tokens may write them after this.
    const look = async (): Promise<void> => this.#read();
    this.withLock(undefined, look, () => true).catch(() => undefined);
  }

  async #write(record: R): Promise<void> {
    try {
      await this.#place.write(record);
      this.#kept = true;
    } catch (cause) {
      this.#kept = false;
      // A refresh token that is used up must not be found there.
      await this.#place.clear(this.#record.id);
      throw storageError(cause);
    }
  }

  /** Takes what another tab wrote. */
  async #read(): Promise<void> {
    try {
      const { record, isEmpty } = await this.#place.read();
      if (record?.id === this.#record.id) {
        if (record.state) await this.#end({ state: record.state, reason: "refused" }, false);
        else this.#accept(record, true);
      } else if (record && (record.signedInAt ?? 0) < (this.#record.signedInAt ?? 0)) {
        // Written late by a tab whose session this one has replaced.
        await this.#write(this.#record);
      } else if (record || isEmpty) {
        // Another tab may have found the store full; if so, it says so now.
        if (this.#kept && !record) await this.#query();
        const reason = record ? "replaced" : "signed-out";
        this.#successor = record;
        if (this.#kept) await this.#end({ state: "signed-out", reason }, false);
      }
    } catch {
      // What this page knows is all there is.
    }
  }

  /** Takes what another tab sends; whether that is newer. */
  #onMessage({ id, query, end, record, kept, storeName }: JsonObject): boolean {
    const theirs = this.#format.parse(record);
    if (id !== this.#record.id) {
      // The store may show that only later.
      const isShared = isSharedByTabs(storeName) && storeName === this.#options.storeName;
      if (isShared && (theirs?.signedInAt ?? 0) > (this.#record.signedInAt ?? 0)) {
        this.#successor = theirs;
        void this.#end({ state: "signed-out", reason: "replaced" }, false);
        return true;
      }
      if (typeof query === "number") this.#broadcast();
      void this.#read();
      return false;
    }
    if (isSessionEnd(end)) void this.#end(end, false);
    else if (typeof query === "number" && query < this.#record.version) this.#broadcast();
    return theirs?.id === this.#record.id && this.#accept(theirs, kept !== false);
  }

  #broadcast(): void {
    const { id } = this.#record;
    const { storeName } = this.#options;
    const record = JSON.stringify(this.#record);
    this.#channel?.broadcast({ id, record, kept: this.#kept, storeName });
  }

  async #query(): Promise<void> {
    const { id, version } = this.#record;
    await this.#channel?.query({ id, query: version });
  }

  #accept(record: R, isKept: boolean): boolean {
    if (this.#state !== "signed-in" || record.version <= this.#record.version) return false;
    const before = this.#record;
    this.#record = record;
    this.#kept = isKept;
    // Else the store would still have the old refresh token.
    if (this.#isPerTab) void this.#write(record).catch(() => undefined);
    else if (!isKept) void this.#writeFor(record);
    this.#listener.changed(before);
    return true;
  }

  /** Stores what its sender could not, as a service worker that is older than the page; unless there is a newer one. */
  async #writeFor(record: R): Promise<void> {
    const write = async (): Promise<void> => {
      if (this.#record === record) await this.#write(record);
    };
    await this.withLock(undefined, write, () => true).catch(() => undefined);
  }

  async #end(end: SessionEnd, isByThisTab: boolean): Promise<void> {
    if (this.#state !== "signed-in") return;
    this.#state = end.state;
    const { id } = this.#record;
    this.#record = this.#format.withoutTokens(this.#record);
    if (end.state === "soft-logout") this.#record = { ...this.#record, state: end.state };
    if (isByThisTab) this.#channel?.broadcast({ id, end });
    if (isByThisTab || this.#isPerTab) await this.#place.leave(this.#record);
    else if (this.#options.storeName === "localStorage") await this.#place.untilEnded(id);
    this.close();
    this.#listener.ended(end);
  }
}

function isSessionEnd(value: unknown): value is SessionEnd {
  const { state, reason } = Object(value) as Partial<SessionEnd>;
  const reasons: readonly unknown[] = ["signed-out", "refused", "replaced"];
  return (state === "soft-logout" || state === "signed-out") && reasons.includes(reason);
}
