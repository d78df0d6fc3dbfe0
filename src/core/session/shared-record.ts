import { toJson } from "../http/json.js";
import type { JsonObject } from "../http/json.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import { decide, type Place, placeOf, SIGNED_OUT } from "./decide.js";
import { isEnded, markEnded } from "./ended-sessions.js";
import { SessionChangedEvent, sessionEnded, SessionEndedEvent } from "./events.js";
import {
  endedRecord,
  isFresh,
  isSameUser,
  mayShareDevice,
  parseRecord,
  replacing,
  type SessionEnd,
  type SessionRecord,
  type SessionState,
  softLogoutKey,
} from "./record.js";
import { leaseStores, type SessionStoreOption, storageError } from "./store.js";
import { afterwards, type Found, StoredRecord, tabLock } from "./stored-record.js";
import { TabChannel } from "./tab-channel.js";

interface SharedRecordOptions {
  readonly store: SessionStoreOption;
  readonly key: string;
  /** Whether the user has just signed in. */
  readonly isNew: boolean;
  readonly timeoutMs: number | undefined;
  /** Receives `session-changed` and `session-ended`, for changes by this tab and by others. */
  readonly target: EventTarget;
  /** Called if this sign-in has replaced an older one. No session uses the older tokens anymore. */
  readonly onReplaced: (older: SessionRecord) => void;
}

/**
 * The record of a session that tabs share. Messages from other tabs only tell this tab to read the
 * store. The store's content counts, except for tokens that the sender of a message could not
 * store. docs/development/session.md has the states and the events.
 */
export class SharedRecord {
  readonly stored: Promise<void>;
  readonly #stored: StoredRecord;
  readonly #options: SharedRecordOptions;
  readonly #channel: TabChannel | undefined;
  #record: SessionRecord;
  /** Whether the store has the record, as far as this tab knows. */
  #kept: boolean;
  #successor: SessionRecord | undefined;
  /** The soft logout that this sign-in has replaced. */
  #softLogout: SessionRecord | undefined;
  /** The query in progress after the store was found empty. Reads in the meantime join it. */
  #asking: Promise<boolean> | undefined;
  /**
   * The latest version that another tab has announced as stored, but that the store does not show
   * yet.
   */
  #announced = 0;
  /** The ID of the session that this tab asks the other tabs about. */
  #askedFor: { readonly id: string; isUsed: boolean } | undefined;

  constructor(record: SessionRecord, options: SharedRecordOptions) {
    this.#record = record;
    const { store, key, isNew } = options;
    this.#stored = new StoredRecord(store, key);
    this.#options = options;
    // With `memory`, no other tab has the record.
    if (store !== "memory" && this.state === "signed-in") {
      const onMissed = () => this.#read();
      this.#channel = new TabChannel(key, (message) => this.#onMessage(message), onMissed);
    }
    this.#kept = !isNew;
    // A restored session may have ended after it was read, but before this tab could receive
    // messages.
    this.stored = isNew ? this.#begin() : this.#read();
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

  /** @throws as `withTabLock()` and {@link LazyModule.load} do. */
  async withLock<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const { key, timeoutMs } = this.#options;
    const { store, storeName } = this.#stored;
    // A session in memory doesn't share its key with other tabs.
    const lockName = storeName === "memory" ? `${key}:${this.#record.id}` : key;
    const { withTabLock } = await tabLock.load();
    return withTabLock(lockName, leaseStores(store), { signal, timeoutMs }, async () => {
      await this.stored.catch(() => undefined);
      await this.#read();
      return call();
    });
  }

  /**
   * Asks the other tabs for later tokens, and uses them. The store may show their changes late, or
   * never, if it belongs to this tab.
   *
   * @throws {OidcFlowError} `RefreshTokenFailed` (`timeout`) if another tab has later tokens that
   *   the store does not show yet. This tab's tokens are then used up, so their rejection means
   *   nothing.
   */
  async query(): Promise<void> {
    const { id, version } = this.#record;
    this.#announced = 0;
    await this.#channel?.query({ id, query: version });
    if (this.#announced <= this.#record.version) return;
    throw new OidcFlowError("Failed to refresh token", "timeout");
  }

  /**
   * Changes the record in every tab. Call it within {@link withLock}.
   *
   * @param replaced The access token that `members` replaces. If another tab has already replaced
   *   it, nothing changes.
   */
  async update(members: Partial<SessionRecord>, replaced?: string): Promise<void> {
    // Another user might have signed in since then.
    await this.#read();
    if (this.state !== "signed-in") return;
    if (replaced !== undefined && replaced !== this.#record.tokenResponse.access_token) return;
    const version = this.#record.version + 1;
    const record = { ...this.#record, ...members, version } as SessionRecord;
    const { storeName } = this.#stored;
    if ((await this.#write(record)) === "none") {
      await this.#read();
      // The session has moved to another store since it was read.
      if (storeName !== this.#stored.storeName) return this.update(members, replaced);
      // Otherwise, the store has lost the session, but another tab has it.
      if (this.#kept) return;
    }
    if (this.#accept(record, this.#kept)) this.#broadcast();
    if (members.userId !== undefined) await this.#forgetSoftLogout();
  }

  /**
   * Ends the session in every tab, regardless of its version in the store. This starts in the
   * caller's task. Call {@link reportSignOut} at the end.
   *
   * @returns The record that was in the store. Synchronous if the store is.
   */
  signOut(): SessionRecord | undefined | Promise<SessionRecord | undefined> {
    const { id } = this.#record;
    this.#record = endedRecord(this.#record, "signed-out");
    const removed = this.#stored.end(id);
    this.#channel?.broadcast({ id, end: SIGNED_OUT });
    this.close();
    return removed;
  }

  /** Restores the soft logout that this sign-in has replaced. */
  async restoreSoftLogout(): Promise<void> {
    await this.stored.catch(() => undefined);
    const softLogout = this.#softLogout;
    if (!softLogout) return;
    await this.#stored.change(({ record }) => (record ? undefined : softLogout));
    // Another user may have signed in in the meantime.
    if ((await this.#stored.tryRead())?.id !== softLogout.id) return;
    const remove = ({ record }: Found) => (record?.id === softLogout.id ? null : undefined);
    await this.#softLogoutOf(softLogout).change(remove);
  }

  reportSignOut(): void {
    this.#reportEnd(SIGNED_OUT);
  }

  /**
   * Ends the session because its tokens are rejected, unless the store or another tab has later
   * tokens. Then this tab uses those. After a soft logout, the record stays, without tokens.
   *
   * @param version The version whose tokens are rejected.
   * @throws as {@link query} does.
   */
  async refuse(state: SessionEnd["state"], version: number): Promise<void> {
    await this.query();
    // A message from another tab has brought later tokens in the meantime.
    if (this.#record.version > version) return;
    const { id } = this.#record;
    const rest = state === "soft-logout" ? endedRecord(this.#record, state) : null;
    const later = await this.#replace(version, rest)
      // If the remaining record can't be written, it is removed together with the tokens.
      .catch(() => rest && this.#replace(version, null))
      .catch(() => undefined);
    if (later) this.#accept(later, true);
    if (this.state !== "signed-in" || this.#record.version > version) return;
    const end: SessionEnd = { state, reason: "refused" };
    this.#channel?.broadcast({ id, end });
    this.#endHere(end);
  }

  close(): void {
    this.#channel?.close();
  }

  /**
   * Replaces an older sign-in in the store. It does so immediately, because the user might be about
   * to leave the page.
   */
  async #begin(): Promise<void> {
    let older = undefined as SessionRecord | undefined;
    try {
      const moving = afterwards(this.#stored.read(), ({ record }) => this.#keepSoftLogout(record));
      if (moving) await moving;
      await this.#stored.change(({ record }) => {
        older = undefined;
        if (this.state !== "signed-in") return undefined;
        older = record;
        if (record) this.#record = replacing(this.#record, record);
        return this.#record;
      });
      this.#kept = this.state === "signed-in";
    } catch (cause) {
      throw storageError(cause);
    } finally {
      this.#broadcast();
    }
    // Another tab may have written it in between.
    if (older?.state) await Promise.resolve(this.#keepSoftLogout(older)).catch(() => undefined);
    // After this user's sign-out, the store is empty, and another tab might store the older tokens again.
    else if (older && !this.#stored.isOfTab) markEnded(older.id);
    // If the user leaves the page while the store is busy, the sign-out might be incomplete.
    if (this.state === "signed-in") await this.#forgetSoftLogout();
    // After a soft logout there are no tokens.
    if (!older || older.state) return;
    void this.#endOlder(older).catch(() => undefined);
    // A tab to which the store showed the older tokens late might write them after this.
    const readAgain = () => this.#read();
    this.withLock(undefined, readAgain).catch(() => undefined);
  }

  /** Moves another user's soft logout to its own key. Synchronous if the store is. */
  #keepSoftLogout(record: SessionRecord | undefined): void | Promise<void> {
    if (!record?.state) return undefined;
    this.#softLogout = record;
    if (isSameUser(record, this.#record)) return undefined;
    // The page might have signed in the user with that key.
    return this.#softLogoutOf(record).change((kept) =>
      kept.record && !kept.record.state ? undefined : record,
    );
  }

  /** The user has signed in again. */
  async #forgetSoftLogout(): Promise<void> {
    const signedIn = this.#record;
    if (signedIn.userId === undefined) return;
    const remove = ({ record }: Found) =>
      record?.state && isSameUser(record, signedIn) ? null : undefined;
    try {
      await this.#softLogoutOf(signedIn).change(remove);
    } catch {
      // The store cannot be reached.
    }
  }

  #softLogoutOf(record: SessionRecord): StoredRecord {
    const { store, key } = this.#options;
    return new StoredRecord(store, softLogoutKey(key, record));
  }

  /** A duplicate of this tab might still use a session that was replaced in this tab's store. */
  async #endOlder(older: SessionRecord): Promise<void> {
    const mayHaveCopy = this.#stored.isOfTab;
    if (mayHaveCopy && (!this.#channel || (await this.#isUsedElsewhere(older.id)))) return;
    this.#options.onReplaced(older);
  }

  /** Whether another tab has this session, either in the tab's own store or only in its page. */
  async #isUsedElsewhere(id: string): Promise<boolean> {
    const asked = (this.#askedFor = { id, isUsed: false });
    await this.#channel?.query({ id, query: -1 });
    return asked.isUsed;
  }

  /** If the store fails, the session exists only in pages. @param isLost as {@link placeOf}. */
  async #write(record: SessionRecord, isLost?: boolean): Promise<Place> {
    // Undefined until the store was read.
    let place: Place | undefined;
    const tryToWrite = async (): Promise<Place> => {
      await this.#stored.change((found) => {
        const known = { record, isKept: this.#kept, isMarked: isEnded(record.id) };
        place = this.state === "signed-in" ? placeOf(known, found, isLost) : "none";
        return place === "store" ? record : undefined;
      });
      this.#kept ||= place === "store";
      return place as Place;
    };
    try {
      return await tryToWrite();
    } catch {
      if (place) this.#kept = false;
    }
    try {
      // The store must not keep a used refresh token. Removing it may also make room in a full
      // store. If the store was not even read, another tab may have kept its lock for too long.
      if (!place || (await this.#removeBefore(record))) return await tryToWrite();
    } catch {
      // The store cannot be reached.
    }
    this.#kept = false;
    return "pages";
  }

  /** Removes earlier versions of a record. @returns Whether the store had one. */
  async #removeBefore({ id, version }: SessionRecord): Promise<boolean> {
    let isRemoved = false;
    await this.#stored.change(({ record }) => {
      isRemoved = record?.id === id && record.version < version;
      return isRemoved ? null : undefined;
    });
    return isRemoved;
  }

  /** Replaces or removes the session in the store. @returns A version after `last`, which stays. */
  async #replace(last: number, next: SessionRecord | null): Promise<SessionRecord | undefined> {
    const { id } = this.#record;
    let later: SessionRecord | undefined;
    await this.#stored.change(({ record }) => {
      const own = record?.id === id ? record : undefined;
      later = own && own.version > last ? own : undefined;
      return own && !later ? next : undefined;
    });
    return later;
  }

  /**
   * A message handler must not wait for this: it may query the tabs, which waits for the handlers.
   */
  async #read(): Promise<void> {
    // A read that begins before the first write and ends after it means nothing, either.
    const wasKept = this.#kept;
    // Its mark might be removed before this tab gets what it reads.
    isEnded(this.#record.id);
    try {
      const found = await this.#stored.read();
      await this.#apply(found, wasKept && this.#kept);
    } catch {
      // The store cannot be reached.
    }
  }

  async #apply(found: Found, isKept = this.#kept): Promise<void> {
    const step = decide({ record: this.#record, isKept }, found);
    if (step.kind === "accept") this.#accept(step.record, true);
    // If the other record is of an ended session, it may be gone by then.
    if (step.kind === "restore") await this.#write(this.#record, true);
    if (step.kind === "ask") {
      if (await this.#stored.followMove(this.#record.id)) return this.#read();
      this.#asking ??= this.#isUsedElsewhere(this.#record.id).finally(() => {
        this.#asking = undefined;
      });
      if (await this.#asking) {
        this.#kept = false;
        this.#stored.hasMoved = true;
      }
      if (this.#kept) this.#endHere(SIGNED_OUT);
    }
    if (step.kind === "end") {
      this.#successor = step.successor;
      this.#endHere(step.end);
    }
  }

  /** Handles a message from another tab. @returns Whether this tab has a newer record now. */
  async #onMessage(message: JsonObject): Promise<boolean> {
    const { id, query, end, storeName } = message;
    const record = parseRecord(message["record"]);
    if (this.#askedFor && record?.id === this.#askedFor.id) this.#askedFor.isUsed = true;
    if (this.state !== "signed-in") return false;
    const { version } = this.#record;
    if (id !== this.#record.id) {
      if (record && !this.#stored.isOfTab && storeName === this.#stored.storeName) {
        // The store might show the other sign-in late.
        const isShown = (found: Found) => found.record?.id === record.id;
        await this.#stored.readUntil(isShown).catch(() => undefined);
      }
      // Otherwise, tabs whose session the store has lost would confirm it to each other.
      if (typeof query === "number" && (await this.#isKnown())) this.#broadcast();
      void this.#read();
      return false;
    }
    if (isSessionEnd(end)) await this.#onEnd(end);
    else if (record?.id === id && record.state) {
      await this.#onEnd({ state: record.state, reason: "refused" });
    } else if (record?.id === id && record.version > version) {
      await this.#onTokens(record, message);
    } else if (typeof query === "number" && query < version) {
      if (await this.#isKnown()) this.#broadcast();
      else void this.#read();
    }
    return this.#record.version > version;
  }

  async #onEnd(end: SessionEnd): Promise<void> {
    const { id } = this.#record;
    const isOver = ({ record }: Found) => record?.id !== id || record.state !== undefined;
    // Without a store that has the session and can be read, nothing can confirm its end.
    const isConfirmed = !this.#kept || (await this.#stored.readUntil(isOver).catch(() => true));
    if (isConfirmed) this.#endHere(end);
  }

  async #onTokens(record: SessionRecord, { kept, storeName }: JsonObject): Promise<void> {
    const isElsewhere = storeName !== this.#stored.storeName;
    if (isElsewhere) this.#stored.hasMoved = true;
    // A session that exists only in this page isn't expected in its store.
    const isKept = kept !== false && (this.#kept || !isElsewhere);
    const { id, version, tokenResponse, refreshedAt, refusedTokens, backoff } = record;
    if (isKept && !this.#stored.isOfTab) {
      const isShown = (found: Found) => found.record?.id === id && found.record.version >= version;
      const shown = await this.#stored.readUntil(isShown).catch(() => null);
      if (shown?.record) this.#accept(shown.record, true);
      if (shown === undefined) {
        this.#announced = Math.max(this.#announced, version);
        if (this.#stored.hasMoved && (await this.#stored.followMove(id))) void this.#read();
      }
      if (shown !== null) return;
    }
    // Accept only the tokens, because this tab's store cannot confirm them: it belongs to this tab,
    // or the sender cannot write to it, such as a service worker that is older than the page.
    const tokens = { version, tokenResponse, refreshedAt, refusedTokens, backoff };
    const next: SessionRecord = { ...this.#record, ...tokens };
    if ((await this.#write(next, !isKept)) === "none") void this.#read();
    else this.#accept(next, this.#kept);
  }

  /** Whether the store has this session, or only this tab has it. */
  async #isKnown(): Promise<boolean> {
    if (!this.#kept) return true;
    return (await this.#stored.tryRead())?.id === this.#record.id;
  }

  #broadcast(): void {
    if (this.state !== "signed-in") return;
    const { id } = this.#record;
    const { storeName } = this.#stored;
    const record = toJson(this.#record);
    this.#channel?.broadcast({ id, record, kept: this.#kept, storeName });
  }

  /** @returns Whether it is a later version of this session. */
  #accept(record: SessionRecord, isKept: boolean): boolean {
    const before = this.#record;
    if (this.state !== "signed-in" || record.version <= before.version) return false;
    if (!isSameAccount(before, record)) return false;
    this.#record = record;
    this.#kept = isKept;
    const isSameToken = record.tokenResponse.access_token === before.tokenResponse.access_token;
    const isSameUrl = record.homeserverUrl === before.homeserverUrl;
    if (!isSameToken || !isSameUrl || record.userId !== before.userId) {
      this.#options.target.dispatchEvent(new SessionChangedEvent());
    }
    return true;
  }

  /** Ends the session here, after the store has confirmed its end. */
  #endHere(end: SessionEnd): void {
    if (this.state !== "signed-in") return;
    this.#record = endedRecord(this.#record, end.state);
    this.close();
    this.#reportEnd(end);
  }

  #reportEnd({ state, reason }: SessionEnd): void {
    const softLogout = state === "soft-logout";
    this.#options.target.dispatchEvent(new SessionEndedEvent({ softLogout, reason }));
  }
}

/** A record with another user or device is not a later version. */
function isSameAccount(before: SessionRecord, after: SessionRecord): boolean {
  return before.kind === after.kind && mayShareDevice(before, after);
}

function isSessionEnd(value: unknown): value is SessionEnd {
  const { state, reason } = Object(value) as Partial<SessionEnd>;
  const reasons: readonly unknown[] = ["signed-out", "refused", "replaced"];
  return (state === "soft-logout" || state === "signed-out") && reasons.includes(reason);
}

/** A fresh token of the session, if it differs from this one. */
export function tokenOtherThan(
  old: string,
  { state, current }: Pick<SharedRecord, "state" | "current">,
): string | undefined {
  const tokens = current.tokenResponse;
  const isOther = state === "signed-in" && tokens.access_token !== old && isFresh(tokens);
  return isOther ? tokens.access_token : undefined;
}
