import type { MatrixSession, SessionOptions } from "../core/index.js";
import { loadSession } from "./session-attributes.js";
import { DEFAULT_KEY, isOwnKey } from "./session-options.js";

/** Ends the other sessions of a session's account. */
export async function endOlderSessions(
  { key, user, homeserverUrl }: MatrixSession,
  options: SessionOptions,
): Promise<void> {
  if (user.userId === undefined) return;
  const { listSessions, restoreSession } = await loadSession();
  const isSame = (userId: string | undefined, url: string) =>
    userId === user.userId && url === homeserverUrl;
  const others = await listSessions(options).catch(() => []);
  for (const other of others) {
    if (other.key === key || !isOwnKey(other.key, options.key ?? DEFAULT_KEY)) continue;
    if (!isSame(other.userId, other.homeserverUrl)) continue;
    const session = await restoreSession({ ...options, key: other.key }).catch(() => undefined);
    // Another tab may have changed the session since then.
    if (!session || !isSame(session.user.userId, session.homeserverUrl)) continue;
    // Some servers remove a device when any of its tokens is revoked.
    const notify = session.user.deviceId !== user.deviceId;
    await session.signOut({ notify }).catch(() => false);
  }
}
