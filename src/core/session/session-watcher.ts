import type { JsonObject } from "../http/index.js";
import type { SessionOptions } from "./matrix-session.js";
import { describeRecord, type StoredSession } from "./restore-session.js";
import type { TypedEventTarget } from "./session-events.js";
import { parseRecord } from "./session-record.js";
import { readStore } from "./session-store.js";
import { TabChannel } from "./tab-channel.js";
import { DEFAULT_KEY } from "./token-session.js";

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
}>;

/**
 * Fires `session-started` when somebody signs in in another tab, or elsewhere on this page: for a page that shows its
 * sign-in form, or the user's name. It holds no token, and keeps nothing from ending; a session's own end is
 * `session-ended` of that session.
 *
 * @experimental
 */
export class SessionWatcher extends WatcherEventTarget {
  readonly #channel: TabChannel;
  readonly #key: string;
  readonly #storeName: string;
  /** Of the session that the store had, or that was reported last. */
  #lastId: Promise<string | undefined>;

  /** @param options As those of the session: `localStorage`, or a store of the page's own that tabs share. */
  constructor({
    store = "localStorage",
    key = DEFAULT_KEY,
  }: Pick<SessionOptions, "store" | "key">) {
    super();
    this.#key = key;
    this.#storeName = typeof store === "string" ? store : "custom";
    this.#lastId = readStore(store, key).then(
      (text) => parseRecord(text)?.id,
      () => undefined,
    );
    this.#channel = new TabChannel(key, (message) => {
      void this.#onMessage(message);
      return false;
    });
  }

  /** Stops listening. */
  close(): void {
    this.#channel.close();
  }

  /** Sessions also send their record when they have new tokens: that is no new session. */
  async #onMessage({ record: text, kept, storeName }: JsonObject): Promise<void> {
    const record = parseRecord(text);
    if (!record || record.state || kept === false || storeName !== this.#storeName) return;
    const lastId = this.#lastId;
    this.#lastId = Promise.resolve(record.id);
    if ((await lastId) === record.id) return;
    this.dispatchEvent(new SessionStartedEvent(describeRecord(this.#key, record)));
  }
}
