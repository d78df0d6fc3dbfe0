// The end of a sign-in whose session is stored. It is a part of `session.js`, which is loaded before a session is created.
import type {
  AuthorizationCodeGrantResult,
  LegacyLoginResult,
  MatrixSession,
  SessionOptions,
} from "../core/index.js";
import { retry } from "../core/http/retry.js";
import { wait } from "../core/http/wait.js";
import { HomeserverClient } from "../core/matrix/client.js";
import { LegacySession } from "../core/session/legacy.js";
import { OidcSession, type OidcSessionOptions } from "../core/session/oauth.js";

/** The delay between requests for the user ID while the homeserver can't be reached. */
const FIRST_WAIT_MS = 5000;
const LAST_WAIT_MS = 5 * 60_000;

/**
 * Stores the session of a sign-in with OAuth 2.0. The client is undefined if the sign-in was for an
 * issuer only.
 *
 * @throws {OidcFlowError} `StorageUnavailable`.
 */
export async function keepLogin(
  result: AuthorizationCodeGrantResult,
  options: OidcSessionOptions,
): Promise<{ readonly session: OidcSession; readonly client: HomeserverClient | undefined }> {
  const { homeserverUrl: baseUrl } = result;
  const session = new OidcSession(result, options);
  // The next page must find the session in its store.
  await session.stored.catch((error: unknown) => {
    session.close();
    throw error;
  });
  // The client gets its tokens from the session: if both refreshed them, the session would end.
  return { session, client: baseUrl ? new HomeserverClient({ baseUrl, session }) : undefined };
}

/**
 * Stores the session of a legacy sign-in. Undoes a sign-in that cannot be stored. A device that the
 * page named is kept, together with its keys.
 *
 * @throws {OidcFlowError} `StorageUnavailable`.
 */
export async function keepLegacyLogin(
  result: LegacyLoginResult,
  options: SessionOptions,
  isDeviceNamed = false,
): Promise<{ readonly session: MatrixSession; readonly client: HomeserverClient }> {
  const { homeserverUrl: baseUrl, accessToken } = result;
  const session = new LegacySession(result, options);
  try {
    await session.stored;
  } catch (error) {
    session.close();
    const client = new HomeserverClient({ baseUrl, accessToken });
    if (!isDeviceNamed) await client.logout().catch(() => undefined);
    throw error;
  }
  return { session, client: new HomeserverClient({ baseUrl, session }) };
}

/** The user of an OAuth 2.0 login. If the homeserver can't be reached, the user ID is missing. */
export async function identifyUser(session: OidcSession, client: HomeserverClient): Promise<void> {
  if (session.user.userId !== undefined) return;
  await identify(session, client).catch(() => void identifyLater(session, client));
}

async function identify(session: OidcSession, client: HomeserverClient): Promise<void> {
  const { user_id } = await client.whoami();
  await session.noteUserId(user_id);
}

/** Retries until the homeserver responds. `session-changed` notifies the page. */
async function identifyLater(session: OidcSession, client: HomeserverClient): Promise<void> {
  const pause = (attempts: number) => wait(Math.min(FIRST_WAIT_MS * 2 ** attempts, LAST_WAIT_MS));
  const attempt = async () => {
    if (session.state === "signed-in") await identify(session, client);
  };
  await pause(0);
  await retry(attempt, (_, attempts) => pause(attempts));
}
