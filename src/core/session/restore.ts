import type { LegacyLoginResult } from "../legacy/login.js";
import { OidcError, OidcFlowError } from "../oauth/errors.js";
import { LegacySession } from "./legacy.js";
import { OidcSession } from "./oauth.js";
import { type LegacyRecord, parseRecord, type SessionRecord } from "./record.js";
import {
  DEFAULT_KEY,
  type MatrixSession,
  type MatrixUser,
  type SessionOptions,
} from "./session.js";
import type { SessionState } from "./shared-record.js";
import { listKeys, openStore, readStore, storageError } from "./store.js";

/**
 * The session that a store keeps, of either kind; undefined where it keeps none, or nothing that can be read.
 * After a soft logout its `state` says so: the user has to sign in again, as the same device. A session whose user ID
 * is not known yet asks the homeserver; `session-changed` tells it.
 *
 * @param options As those that the session was made with.
 * @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`): the browser refuses the store.
 * @experimental
 */
export async function restoreSession(options: SessionOptions): Promise<MatrixSession | undefined> {
  const record = parseRecord(await readStore(options.store, options.key ?? DEFAULT_KEY));
  if (!record) return undefined;
  return record.kind === "legacy"
    ? new LegacySession(record as LegacyRecord & LegacyLoginResult, options)
    : new OidcSession(record, options);
}

/**
 * Whether a store keeps a session whose user is signed in, without waiting: for the guards of routers. A
 * session after a soft logout does not count.
 *
 * @throws {OidcFlowError} `StorageUnavailable`: `storage_unavailable`; `store_not_synchronous` for a store that
 *   responds with a promise.
 * @experimental
 */
export function hasSession({ store, key = DEFAULT_KEY }: SessionOptions): boolean {
  let text: unknown;
  try {
    text = openStore(store).getItem(key);
  } catch (cause) {
    throw storageError(cause);
  }
  if (text instanceof Promise) {
    throw new OidcFlowError(OidcError.StorageUnavailable, "store_not_synchronous");
  }
  const record = parseRecord(text);
  return record !== undefined && record.state === undefined;
}

/** A session in a store: who and where, but no token. */
export interface StoredSession extends MatrixUser {
  readonly key: string;
  readonly kind: MatrixSession["kind"];
  readonly state: SessionState;
  readonly homeserverUrl: string;
}

/**
 * The sessions that a store keeps, for a choice of accounts.
 *
 * @throws {OidcFlowError} `StorageUnavailable`: `storage_unavailable`; `store_not_listable` for a store without
 *   `keys()`.
 * @experimental
 */
export async function listSessions({
  store,
}: Pick<SessionOptions, "store">): Promise<readonly StoredSession[]> {
  const keys = await listKeys(store);
  const sessions: StoredSession[] = [];
  for (const key of keys) {
    const record = parseRecord(await readStore(store, key));
    if (record) sessions.push(describeRecord(key, record));
  }
  return sessions;
}

export function describeRecord(key: string, record: SessionRecord): StoredSession {
  const { kind, state = "signed-in", userId, deviceId, homeserverUrl } = record;
  return { key, kind, state, userId, deviceId, homeserverUrl };
}
