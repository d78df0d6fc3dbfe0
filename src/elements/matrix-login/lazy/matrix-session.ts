import { HomeserverClient } from "../../../core/homeserver/homeserver-client.js";
import type {
  AuthorizationCodeGrantResult,
  LegacyLoginResult,
  MatrixSession,
  SessionOptions,
} from "../../../core/index.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { LegacySession } from "../../../core/session/legacy-session.js";
import { OidcSession } from "../../../core/session/oidc-session.js";
import { listSessions, restoreSession } from "../../../core/session/restore-session.js";

/** Who has signed in, and what keeps it so. */
export interface SignedInUser {
  readonly session: MatrixSession;
  readonly client: HomeserverClient;
}

/** The session of a legacy login, once it is stored. */
export async function keepLegacy(
  result: LegacyLoginResult,
  options: SessionOptions,
): Promise<SignedInUser> {
  const session = await stored(new LegacySession(result, options));
  const { homeserverUrl: baseUrl, userId, deviceId } = result;
  return { session, client: new HomeserverClient({ baseUrl, userId, deviceId, session }) };
}

/**
 * The session of an OAuth 2.0 login, once it is stored. The homeserver is asked who has signed in; if it cannot be
 * reached, nobody knows yet.
 *
 * @throws {LoginError} `user_mismatch`, for another user than `expectedUserId`; the tokens are revoked.
 */
export async function keepOAuth(
  result: AuthorizationCodeGrantResult,
  options: SessionOptions,
  expectedUserId: string | undefined,
): Promise<SignedInUser> {
  const session = await stored(new OidcSession(result, options));
  const { homeserverUrl: baseUrl, deviceId } = result;
  const client = new HomeserverClient({ baseUrl, deviceId, session });
  const userId = await client.whoami().then(
    ({ user_id }) => user_id,
    () => undefined,
  );
  if (userId === undefined) return { session, client };
  if (expectedUserId && userId !== expectedUserId) {
    await session.signOut();
    throw new LoginError("user_mismatch", `${userId} has signed in instead of ${expectedUserId}`);
  }
  await session.noteUserId(userId);
  return { session, client: new HomeserverClient({ baseUrl, userId, deviceId, session }) };
}

/** Signs out the same user's other session at the same homeserver: of several accounts, each has one. */
export async function replaceSameUser(
  { key, user, homeserverUrl }: MatrixSession,
  options: SessionOptions,
): Promise<void> {
  const others = await listSessions(options).catch(() => []);
  for (const other of others) {
    const isSame = other.userId === user.userId && other.homeserverUrl === homeserverUrl;
    if (!isSame || other.key === key || user.userId === undefined) continue;
    const session = await restoreSession({ ...options, key: other.key });
    await session?.signOut();
  }
}

async function stored<S extends MatrixSession>(session: S): Promise<S> {
  try {
    await session.stored;
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}
