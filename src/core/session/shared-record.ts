import type { JsonObject } from "../http/index.js";
import { OidcError, OidcFlowError } from "../oidc/index.js";
import { parseRecord, type SessionRecord } from "./session-record.js";
import { openStore, type SessionStore, type SessionStoreName } from "./session-store.js";
import { TabChannel } from "./tab-channel.js";
import { withTabLock } from "./tab-lock.js";

/** `soft-logout`: over, but the homeserver keeps the device for when the user signs in again. */
export type SessionState = "signed-in" | "soft-logout" | "signed-out";

export type EndedState = Exclude<SessionState, "signed-in">;

/** Hears what becomes of a record, through this tab or another. */
export interface RecordListener {
  changed(): void;
  ended(state: EndedState): void;
}

/** A session's record, as all tabs that have the session know it. */
export class SharedRecord {
  /** Resolves when it is in its store. */
  readonly stored: Promise<void>;
  readonly #store: SessionStore;
  /** Whether the store is the tab's own, of which a duplicated tab has a copy. */
  readonly #perTab: boolean;
  readonly #key: string;
  readonly #listener: RecordListener;
  readonly #channel: TabChannel | undefined;
  #record: SessionRecord;
  /** Whether the store has it, as far as this tab knows. */
  #kept = true;
  #state: SessionState = "signed-in";

  constructor(
    record: SessionRecord,
    store: SessionStoreName | SessionStore | undefined,
    key: string,
    isNew: boolean,
    listener: RecordListener,
  ) {
    this.#record = record;
    this.#store = openStore(store);
    this.#perTab = store === "sessionStorage";
    this.#key = key;
    this.#listener = listener;
    if (store !== undefined && store !== "memory") {
      this.#channel = new TabChannel(key, (message) => this.#onMessage(message));
    }
    // Tabs in which another user was signed in have to be notified too.
    this.stored = isNew ? this.#write(record).finally(() => this.#broadcast()) : Promise.resolve();
    this.stored.catch(() => undefined);
  }

  get current(): SessionRecord {
    return this.#record;
  }

  get state(): SessionState {
    return this.#state;
  }

  /**
   * Makes a call in only one of all tabs, with what they have received meanwhile.
   *
   * @param signal Ends the waiting for one's turn; not the call.
   * @param isKnown Whether this tab has heard enough.
   */
  withLock<T>(
    signal: AbortSignal | undefined,
    call: () => Promise<T>,
    isKnown: () => boolean = () => false,
  ): Promise<T> {
    return withTabLock(`${this.#key}:${this.#record.id}`, this.#store, signal, async () => {
      await this.stored.catch(() => undefined);
      await this.#read();
      // A store may show another tab's writing late, and that of one tab never; a message does not.
      if (!isKnown()) await this.#query();
      return call();
    });
  }

  /** Takes new members, and lets every tab know. To be called {@link withLock}. */
  async update(members: Partial<SessionRecord>): Promise<void> {
    const record = { ...this.#record, ...members, version: this.#record.version + 1 };
    // Without its store the session lives in this page.
    await this.#write(record).catch(() => undefined);
    // It may have ended meanwhile.
    if (this.#state !== "signed-in") return this.#forget();
    this.#accept(record, this.#kept);
    this.#broadcast();
  }

  /** Forgets it, in every tab. */
  end(as: EndedState): Promise<void> {
    return this.#end(as, true);
  }

  /** Stops listening to other tabs. */
  close(): void {
    this.#channel?.close();
  }

  async #write(record: SessionRecord): Promise<void> {
    try {
      await this.#store.setItem(this.#key, JSON.stringify(record));
      this.#kept = true;
    } catch (cause) {
      this.#kept = false;
      // A refresh token that is used up must not be found there.
      await this.#forget();
      const isFull = cause instanceof DOMException && cause.name === "QuotaExceededError";
      const code = isFull ? "storage_full" : "storage_unavailable";
      throw new OidcFlowError(OidcError.StorageUnavailable, code, cause);
    }
  }

  /** Takes what another tab wrote. */
  async #read(): Promise<void> {
    try {
      const text = await this.#store.getItem(this.#key);
      const record = parseRecord(text);
      if (record?.id === this.#record.id) this.#accept(record, true);
      else if (record || !text) {
        // Another tab may have found the store full; if so, it says so now.
        if (this.#kept && !record) await this.#query();
        // Signed out, or another user has signed in.
        if (this.#kept) await this.#end("signed-out", false);
      }
    } catch {
      // What this page knows is all there is.
    }
  }

  /** Takes what another tab says; whether that is newer. */
  #onMessage({ id, query, softLogout, record, kept }: JsonObject): boolean {
    if (id !== this.#record.id) void this.#read();
    else if (typeof softLogout === "boolean") void this.#end(endedState(softLogout), false);
    else if (typeof query === "number" && query < this.#record.version) this.#broadcast();
    const newer = parseRecord(record);
    return newer?.id === this.#record.id && this.#accept(newer, kept !== false);
  }

  #broadcast(): void {
    const { id } = this.#record;
    this.#channel?.broadcast({ id, record: JSON.stringify(this.#record), kept: this.#kept });
  }

  async #query(): Promise<void> {
    const { id, version } = this.#record;
    await this.#channel?.query({ id, query: version });
  }

  #accept(record: SessionRecord, isKept: boolean): boolean {
    if (this.#state !== "signed-in" || record.version <= this.#record.version) return false;
    this.#record = record;
    this.#kept = isKept;
    // Else the tab's own store would still have the old refresh token.
    if (this.#perTab) void this.#write(record).catch(() => undefined);
    this.#listener.changed();
    return true;
  }

  async #end(as: EndedState, byThisTab: boolean): Promise<void> {
    if (this.#state !== "signed-in") return;
    this.#state = as;
    const { id } = this.#record;
    this.#record = { ...this.#record, tokenResponse: { access_token: "", token_type: "Bearer" } };
    if (byThisTab || this.#perTab) await this.#forget();
    if (byThisTab) this.#channel?.broadcast({ id, softLogout: as === "soft-logout" });
    this.close();
    this.#listener.ended(as);
  }

  async #forget(): Promise<void> {
    try {
      const record = parseRecord(await this.#store.getItem(this.#key));
      if (!record || record.id === this.#record.id) await this.#store.removeItem(this.#key);
    } catch {
      // There is nothing that could be done about it.
    }
  }
}

export const endedState = (softLogout: boolean): EndedState =>
  softLogout ? "soft-logout" : "signed-out";
