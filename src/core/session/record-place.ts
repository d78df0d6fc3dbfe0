import { wait } from "../http/index.js";
import type { SessionStore } from "./session-store.js";

/** How long `localStorage` may take to show what another tab has written, and how often it is read, in milliseconds. */
const LATE_MS = 500;
const READ_MS = 10;

/** What every stored session has, however the user signed in. */
export interface StoredRecord {
  /** Distinguishes this sign-in from every other. */
  readonly id: string;
  /** How often the record was changed. */
  readonly version: number;
  /**
   * In milliseconds since the epoch, and later than that of any sign-in before it; absent in records of
   * earlier versions.
   */
  readonly signedInAt?: number;
  /** Present once the session has ended. */
  readonly state?: "soft-logout";
}

export interface RecordFormat<R> {
  /** Parses a record; undefined if it is not one. Other code on the page can write to the store too. */
  parse(text: unknown): R | undefined;
  withoutTokens(record: R): R;
}

/** Where a session's record is in its store. */
export class RecordPlace<R extends StoredRecord> {
  readonly #store: SessionStore;
  readonly #key: string;
  readonly #format: RecordFormat<R>;

  constructor(store: SessionStore, key: string, format: RecordFormat<R>) {
    this.#store = store;
    this.#key = key;
    this.#format = format;
  }

  /** The record that is there, at once where the store responds at once; `isEmpty`: nothing is. */
  read(): Found<R> | Promise<Found<R>> {
    const found = (text: string | null | undefined): Found<R> => ({
      record: this.#format.parse(text),
      isEmpty: !text,
    });
    const text = this.#store.getItem(this.#key);
    return text instanceof Promise ? text.then(found) : found(text);
  }

  async write(record: R): Promise<void> {
    await this.#store.setItem(this.#key, JSON.stringify(record));
  }

  /**
   * Removes the record of this sign-in, and what cannot be read, but nobody else's.
   *
   * @param rest What stays in its place.
   */
  async clear(id: string, rest?: R): Promise<void> {
    try {
      const found = this.read();
      // A sign-in that follows at once must not be removed in its place.
      const { record } = found instanceof Promise ? await found : found;
      if (record && record.id !== id) return;
      const remove = (): unknown => this.#store.removeItem(this.#key);
      // Rather nothing than tokens.
      await (record && rest ? this.write(rest).catch(remove) : remove());
    } catch {
      // There is nothing that could be done about it.
    }
  }

  /** Leaves what stays after the end: after a soft logout the record, which has no tokens by then. */
  leave(ended: R): Promise<void> {
    return this.clear(ended.id, ended.state && ended);
  }

  /** Waits for the store to show that another tab has ended the session: `hasSession()` is what a router asks next. */
  async untilEnded(id: string): Promise<void> {
    try {
      for (let left = LATE_MS / READ_MS; left > 0; left -= 1) {
        const { record } = await this.read();
        if (record?.id !== id || record.state) return;
        await wait(READ_MS);
      }
    } catch {
      // What this page knows is all there is.
    }
  }
}

interface Found<R> {
  readonly record: R | undefined;
  readonly isEmpty: boolean;
}
