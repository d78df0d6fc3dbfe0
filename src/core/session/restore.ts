import type { LegacyLoginResult } from "../legacy/login.js";
import { LegacySession } from "./legacy.js";
import { OidcSession } from "./oauth.js";
import type { LegacyRecord, SessionRecord } from "./record.js";
import {
  type MatrixSession,
  type MatrixUser,
  type SessionOptions,
  unlessEnded,
} from "./session.js";
import { indexedDb, inTime, openStore, storageError, storageUnavailable } from "./store.js";
import { findRecord, type Found, readStoredRecord, StoredRecord } from "./stored-record.js";

/**
 * Restores the session of either kind in a store; `undefined` if there is none or it can't be read.
 * After a soft logout, which its `state` shows, the user must sign in again with the same device.
 * If the user ID is missing, the session requests it and fires `session-changed`.
 *
 * @param options The options the session was created with.
 * @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`): the browser blocks the
 * store.
 * @experimental
 */
export async function restoreSession(options: SessionOptions): Promise<MatrixSession | undefined> {
  const record = await readStoredRecord(options.store, options.key);
  return record && unlessEnded(sessionOf(record, options));
}

export const sessionOf = (record: SessionRecord, options: SessionOptions): MatrixSession =>
  record.kind === "legacy"
    ? new LegacySession(record as LegacyRecord & LegacyLoginResult, options)
    : new OidcSession(record, options);

/**
 * Whether a store contains the session of a signed-in user. It is synchronous, for route guards.
 * After a soft logout, it returns false.
 *
 * @throws {OidcFlowError} `StorageUnavailable`: `storage_unavailable`; `store_not_synchronous` for
 *   a store that responds with a promise.
 * @experimental
 */
export function hasSession({ store, key }: SessionOptions): boolean {
  let found: Found | Promise<Found>;
  try {
    found = new StoredRecord(store, key).read();
  } catch (cause) {
    throw storageError(cause);
  }
  if (found instanceof Promise) {
    found.catch(() => undefined);
    throw storageUnavailable("store_not_synchronous");
  }
  return found.record !== undefined && found.record.state === undefined;
}

/** A session in a store, without its tokens. */
export interface StoredSession
  extends MatrixUser, Pick<MatrixSession, "key" | "kind" | "state" | "homeserverUrl"> {}

/**
 * Lists the sessions in a store, for an account switcher. An item that can't be read is left out. If
 * no session is left then, it throws.
 *
 * @throws {OidcFlowError} `StorageUnavailable`: `storage_unavailable`; `store_not_listable` for a
 *   store without `keys()`.
 * @experimental
 */
export async function listSessions({
  store,
}: Pick<SessionOptions, "store">): Promise<readonly StoredSession[]> {
  const opened = openStore(store);
  if (!opened.keys) throw storageUnavailable("store_not_listable");
  // Another app might use a session in `localStorage`, so it isn't moved.
  const read = async (key: string) =>
    store === "indexedDB"
      ? inTime((await indexedDb.load()).indexedDbStore.peek(key))
      : opened.getItem(key);
  const sessions: StoredSession[] = [];
  let failure: unknown;
  try {
    for (const key of await opened.keys()) {
      const text = await read(key).catch((cause: unknown) => void (failure = cause));
      const { record } = findRecord(text);
      if (record) sessions.push(describeRecord(key, record));
    }
  } catch (cause) {
    failure = cause;
  }
  if (failure && sessions.length === 0) throw storageError(failure);
  return sessions;
}

export function describeRecord(key: string, record: SessionRecord): StoredSession {
  const { kind, state = "signed-in", userId, deviceId, homeserverUrl } = record;
  return { key, kind, state, userId, deviceId, homeserverUrl };
}
