import type {
  HomeserverClient,
  LegacyLoginResult,
  MatrixSession,
  OidcSession,
  SessionOptions,
} from "../../../core/index.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { MatrixLoginSuccessEvent } from "../../../events/matrix-login-success.js";
import { loadSession } from "../load-session.js";
import { goingTo } from "./page-urls.js";

/** Between two questions who has signed in, while the homeserver cannot be reached. */
const FIRST_WAIT_MS = 5000;
const LAST_WAIT_MS = 5 * 60_000;

/** Who has signed in, and what keeps it so. */
export interface SignedInUser {
  readonly session: MatrixSession;
  readonly client: HomeserverClient;
}

/**
 * Fires `matrix-login-success`.
 *
 * @param returnTo Where the page goes then.
 * @returns Whether it may go there: no listener keeps it.
 */
export function reportSuccess(
  host: EventTarget,
  method: MatrixLoginSuccessEvent["detail"]["method"],
  { session, client }: SignedInUser,
  returnTo: string | undefined,
): boolean {
  const { homeserverUrl } = session;
  const { userId, deviceId } = session.user;
  const detail = { method, session, client, userId, deviceId, homeserverUrl };
  return host.dispatchEvent(new MatrixLoginSuccessEvent(goingTo(detail, returnTo)));
}

/**
 * The user of a legacy login, once its session is stored. Where that fails, the login is undone.
 *
 * @throws {OidcFlowError} `StorageUnavailable`
 */
export async function keepLegacyLogin(
  result: LegacyLoginResult,
  options: SessionOptions,
): Promise<SignedInUser> {
  const { homeserverUrl: baseUrl, accessToken } = result;
  const { HomeserverClient, LegacySession } = await loadSession();
  const session = new LegacySession(result, options);
  try {
    await session.stored;
  } catch (error) {
    session.close();
    await new HomeserverClient({ baseUrl, accessToken }).logout().catch(() => undefined);
    throw error;
  }
  return { session, client: new HomeserverClient({ baseUrl, session }) };
}

/**
 * The user of an OAuth 2.0 login. The homeserver is asked who has signed in; if it cannot be reached, nobody knows
 * yet.
 *
 * @param expectedUserId The only user for whom the session goes on, where the page expects one.
 * @throws {LoginError} `user_mismatch`: another user has signed in; the tokens are revoked.
 */
export async function identifyUser(
  session: OidcSession,
  expectedUserId?: string,
): Promise<SignedInUser> {
  const { HomeserverClient } = await loadSession();
  const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session });
  if (!(await identify(session, client))) void identifyLater(session, client, expectedUserId);
  if (await signOutAnother(session, expectedUserId)) {
    const { userId } = session.user;
    throw new LoginError("user_mismatch", `${userId} has signed in instead of ${expectedUserId}`);
  }
  return { session, client };
}

/** Signs out who is not the expected user. @returns whether that was so. */
async function signOutAnother(
  session: OidcSession,
  expectedUserId: string | undefined,
): Promise<boolean> {
  const { userId } = session.user;
  if (!expectedUserId || userId === undefined || userId === expectedUserId) return false;
  await session.signOut();
  return true;
}

/** Whether the homeserver says who has signed in, and the session keeps it. */
async function identify(session: OidcSession, client: HomeserverClient): Promise<boolean> {
  try {
    const { user_id } = await client.whoami();
    await session.noteUserId(user_id);
    return true;
  } catch {
    return false;
  }
}

/** Asks again until the homeserver responds; the page learns it by `session-changed`. */
async function identifyLater(
  session: OidcSession,
  client: HomeserverClient,
  expectedUserId: string | undefined,
): Promise<void> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LAST_WAIT_MS)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (session.state !== "signed-in") return;
    if (await identify(session, client)) break;
  }
  await signOutAnother(session, expectedUserId);
}

/**
 * Signs out the same user's other session at the same homeserver: of several accounts, each has one. What fails
 * there does not undo the new session.
 */
export async function replaceSameUser(
  { key, user, homeserverUrl }: MatrixSession,
  options: SessionOptions,
): Promise<void> {
  if (user.userId === undefined) return;
  const { listSessions, restoreSession } = await loadSession();
  const others = await listSessions(options).catch(() => []);
  for (const other of others) {
    const isSame = other.userId === user.userId && other.homeserverUrl === homeserverUrl;
    if (!isSame || other.key === key) continue;
    const session = await restoreSession({ ...options, key: other.key }).catch(() => undefined);
    await session?.signOut().catch(() => false);
  }
}
