import type { JsonObject } from "../http/json.js";
import { SessionEndedEvent, type TypedEventTarget } from "./events.js";
import { parseRecord } from "./record.js";
import { describeRecord, restoreSession, type StoredSession } from "./restore.js";
import { DEFAULT_KEY, type MatrixSession, type SessionOptions } from "./session.js";
import { readStore } from "./store.js";
import { TabChannel } from "./tab-channel.js";

/** Somebody has signed in, in another tab or elsewhere on this page; `detail` says who, without tokens. */
export class SessionStartedEvent extends Event {
  /** `userId` is undefined until the homeserver was asked: `listSessions()` has it then. */
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
 * Who is signed in, for as long as a page is open. It fires `session-started` when somebody signs in in another tab, or
 * elsewhere on this page; and `session-ended` when the session is over, by whichever tab, and no other has taken its
 * place.
 *
 * @experimental
 */
export class SessionWatcher extends WatcherEventTarget {
  readonly #channel: TabChannel;
  readonly #closing = new AbortController();
  readonly #options: SessionOptions & { readonly key: string };
  /** The session that was given last, and its record's ID. */
  #current:
    | { readonly id: Promise<unknown>; readonly session: ReturnType<typeof restoreSession> }
    | undefined;
  /** Of the session that the store had, or that was reported last. */
  #lastId: Promise<string | undefined>;

  /** @param options As those of the session; its store is `localStorage` by default. */
  constructor({ store = "localStorage", key = DEFAULT_KEY, ...others }: SessionOptions) {
    super();
    this.#options = { store, key, ...others };
    this.#lastId = this.#storedId();
    this.#hold();
    this.#channel = new TabChannel(key, (message) => {
      void this.#onMessage(message);
      return false;
    });
  }

  /**
   * The session that the store keeps: the same object until it ends or another takes its place. Undefined where nobody
   * is signed in.
   *
   * @throws {OidcFlowError} as `restoreSession()`.
   */
  async current(): Promise<MatrixSession | undefined> {
    const before = this.#current;
    const isOver = before && (await before.session.catch(() => undefined))?.state !== "signed-in";
    if (isOver && before === this.#current) this.#current = undefined;
    this.#current ??= { id: this.#storedId(), session: this.#restore() };
    return this.#current.session;
  }

  /** Stops listening. A session that it has given goes on. */
  close(): void {
    this.#channel.close();
    this.#closing.abort();
  }

  /** Sessions also send their record when they have new tokens: that is no new session. */
  async #onMessage({ record: text, kept, storeName }: JsonObject): Promise<void> {
    const { store, key } = this.#options;
    const record = parseRecord(text);
    const ownName = typeof store === "string" ? store : "custom";
    if (!record || record.state || kept === false || storeName !== ownName) return;
    // Each tab has one of its own.
    if (store === "sessionStorage" && (await this.#storedId()) !== record.id) return;
    const lastId = this.#lastId;
    this.#lastId = Promise.resolve(record.id);
    if ((await lastId) === record.id) return;
    const before = this.#current;
    const isOther = (await before?.id) !== record.id;
    if (this.#closing.signal.aborted) return;
    if (isOther && before === this.#current) this.#current = undefined;
    this.#hold();
    this.dispatchEvent(new SessionStartedEvent(describeRecord(key, record)));
  }

  /** Its end is reported also where nobody asks for it. */
  #hold(): void {
    this.current().catch(() => undefined);
  }

  async #restore(): Promise<MatrixSession | undefined> {
    const session = await restoreSession(this.#options);
    if (session?.state !== "signed-in") return undefined;
    const { signal } = this.#closing;
    const onEnded = ({ detail }: SessionEndedEvent): void => {
      // Another one has begun.
      if (detail.reason !== "replaced") this.dispatchEvent(new SessionEndedEvent(detail));
    };
    session.addEventListener("session-ended", onEnded, { signal });
    return session;
  }

  async #storedId(): Promise<string | undefined> {
    try {
      return parseRecord(await readStore(this.#options.store, this.#options.key))?.id;
    } catch {
      return undefined;
    }
  }
}
