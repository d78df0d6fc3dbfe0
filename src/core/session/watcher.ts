import type { JsonObject } from "../http/json.js";
import { SessionEndedEvent, type TypedEventTarget } from "./events.js";
import { DEFAULT_KEY, parseRecord, type SessionRecord } from "./record.js";
import { describeRecord, sessionOf, type StoredSession } from "./restore.js";
import {
  type MatrixSession,
  sessionMadeHere,
  type SessionOptions,
  unlessEnded,
} from "./session.js";
import type { SessionStoreOption } from "./store.js";
import { type Found, readStoredRecord, StoredRecord } from "./stored-record.js";
import { TabChannel } from "./tab-channel.js";

/** A user has signed in, in another tab or elsewhere on this page. `detail` has no tokens. */
export class SessionStartedEvent extends Event {
  /** Its `userId` might still be `undefined`. `listSessions()` returns it later. */
  readonly detail: StoredSession;

  constructor(detail: StoredSession) {
    super("session-started");
    this.detail = detail;
  }
}

const WatcherEventTarget = EventTarget as new () => TypedEventTarget<{
  "session-started": SessionStartedEvent;
  "session-ended": SessionEndedEvent;
}>;

/**
 * Watches which user is signed in. It fires `session-started` when a user signs in, in another tab
 * or elsewhere on this page. It fires `session-ended` when the session ends, in any tab, and no
 * other session has replaced it.
 *
 * @experimental
 */
export class SessionWatcher extends WatcherEventTarget {
  readonly #channel: TabChannel;
  readonly #closing = new AbortController();
  readonly #stored: StoredRecord;
  readonly #options: SessionOptions & { readonly store: SessionStoreOption; readonly key: string };
  /** The last result of `current()`, and the ID of its record. */
  #current:
    | { readonly id: Promise<unknown>; readonly session: Promise<MatrixSession | undefined> }
    | undefined;
  /** The ID of the session that was in the store or was reported last. */
  #lastId: Promise<string | undefined>;

  /** @param options The session's options. The default of `store` is `localStorage`. */
  constructor({ store = "localStorage", key = DEFAULT_KEY, ...others }: SessionOptions) {
    super();
    this.#options = { store, key, ...others };
    this.#stored = new StoredRecord(store, key);
    this.#lastId = this.#stored.tryRead().then((record) => record?.id);
    this.#hold();
    const onMessage = (message: JsonObject) => this.#onMessage(message);
    this.#channel = new TabChannel(key, onMessage, () => this.#onMissed());
  }

  /**
   * The session in the store. It is the same object until the session ends or another one replaces
   * it. If the user signed in on this page, it is the session object of that sign-in. Undefined if
   * no user is signed in.
   *
   * @throws {OidcFlowError} as `restoreSession()`.
   */
  async current(): Promise<MatrixSession | undefined> {
    const before = this.#current;
    const isOver = before && (await before.session.catch(() => undefined))?.state !== "signed-in";
    if (isOver && before === this.#current) this.#current = undefined;
    if (!this.#current) {
      const { store, key } = this.#options;
      const found = readStoredRecord(store, key);
      const id = found.then((record) => record?.id).catch(() => undefined);
      this.#current = { id, session: this.#restore(found) };
    }
    return this.#current.session;
  }

  /** Stops watching. Sessions from `current()` stay active. */
  close(): void {
    this.#channel.close();
    this.#closing.abort();
  }

  async #onMessage({ record: text, kept, storeName }: JsonObject): Promise<void> {
    const { id, state } = parseRecord(text) ?? {};
    if (id === undefined || state || kept === false) return;
    if (storeName !== this.#stored.storeName) return;
    // The store may show the session late. This tab's `sessionStorage` doesn't contain another
    // tab's session.
    const isStored = ({ record }: Found) => record?.id === id && record.state === undefined;
    const found = await this.#stored.readUntil(isStored).catch(() => undefined);
    if (found?.record) await this.#note(found.record);
  }

  async #onMissed(): Promise<void> {
    const record = await this.#stored.tryRead();
    if (record && !record.state) await this.#note(record);
  }

  /** A record with a known ID is not a new session: it only has new tokens. */
  async #note(record: SessionRecord): Promise<void> {
    const { id } = record;
    const lastId = this.#lastId;
    this.#lastId = Promise.resolve(id);
    if ((await lastId) === id) return;
    const before = this.#current;
    const isOther = (await before?.id) !== id;
    if (this.#closing.signal.aborted) return;
    if (isOther && before === this.#current) this.#current = undefined;
    this.#hold();
    this.dispatchEvent(new SessionStartedEvent(describeRecord(this.#options.key, record)));
  }

  /** Restores the session, so that its end can be reported. */
  #hold(): void {
    this.current().catch(() => undefined);
  }

  async #restore(found: Promise<SessionRecord | undefined>): Promise<MatrixSession | undefined> {
    const record = await found;
    const session =
      record &&
      (sessionMadeHere(record.id, this.#options) ??
        (await unlessEnded(sessionOf(record, this.#options))));
    if (session?.state !== "signed-in") return undefined;
    const { signal } = this.#closing;
    session.addEventListener("session-ended", this.#onEnded, { signal });
    return session;
  }

  readonly #onEnded = ({ detail }: SessionEndedEvent): void => {
    if (detail.reason !== "replaced") this.dispatchEvent(new SessionEndedEvent(detail));
  };
}
