import type {
  AuthorizationCodeGrantResult,
  LegacyLoginResult,
  MatrixSession,
  OidcSession,
  SessionOptions,
} from "../core/index.js";
import { retry, wait } from "../core/http/wait.js";
import { HomeserverClient } from "../core/matrix/client.js";
import { MatrixLoginSuccessEvent } from "../events/matrix-login.js";
import { OidcSuccessEvent } from "../events/oidc.js";
import { lazyPart } from "../ui/loading.js";
import { loadSession } from "./session-attributes.js";
import { goingTo } from "./page-urls.js";

/** Needed for pages with several accounts. */
const loadSameUser = /* @__PURE__ */ lazyPart(() => import("./same-user.js"));

/** The outcome of a sign-in with OAuth 2.0. */
export interface Success {
  /** Undefined in a popup, because the page that opened it has the result. */
  readonly result: AuthorizationCodeGrantResult | undefined;
  /** Undefined if the sign-in was for an issuer only. */
  readonly client: HomeserverClient | undefined;
  /** Present if the session is stored. */
  readonly session: OidcSession | undefined;
}

/** @throws {OidcFlowError} `StorageUnavailable`, `LoadFailed`. */
export async function createSession(
  result: AuthorizationCodeGrantResult,
  options: SessionOptions | undefined,
  userId?: string,
): Promise<Success> {
  const { homeserverUrl: baseUrl, tokenResponse, deviceId } = result;
  if (options) {
    // Use this part's classes, because the page's scripts import the same ones.
    const part = await loadSession();
    const session = new part.OidcSession(result, { ...options, userId });
    // The next page must find the session in its store.
    await session.stored.catch((error: unknown) => {
      session.close();
      throw error;
    });
    // The client gets its tokens from the session: if both refreshed them, the session would end.
    const client = baseUrl ? new part.HomeserverClient({ baseUrl, session }) : undefined;
    return { result, client, session };
  }
  const accessToken = tokenResponse.access_token;
  const client = baseUrl ? new HomeserverClient({ baseUrl, deviceId, accessToken }) : undefined;
  return { result, client, session: undefined };
}

/** The delay between requests for the user ID while the homeserver can't be reached. */
const FIRST_WAIT_MS = 5000;
const LAST_WAIT_MS = 5 * 60_000;

export interface SignedInUser {
  readonly session: MatrixSession;
  readonly client: HomeserverClient;
}

/**
 * Fires `oidc-success`, and requests a missing user ID if `identifies` is set. @returns Whether the
 * browser may open `returnTo`.
 */
export async function reportTokens(
  host: EventTarget,
  { result, session, client }: Success,
  returnTo: string | undefined,
  identifies = true,
): Promise<boolean> {
  const leaves = !result || host.dispatchEvent(new OidcSuccessEvent(goingTo(result, returnTo)));
  // A sign-in with only an issuer has no homeserver that could return the user ID.
  if (identifies && session && client) await identifyUser(session, client);
  return leaves;
}

/** Fires `matrix-login-success`. @returns Whether the browser may open `returnTo`. */
export function reportUser(
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
 * Undoes a sign-in that cannot be stored. A device that the page named is kept, together with its
 * keys.
 */
export async function keepLegacyLogin(
  result: LegacyLoginResult,
  options: SessionOptions,
  isDeviceNamed = false,
): Promise<SignedInUser> {
  const { homeserverUrl: baseUrl, accessToken } = result;
  const { HomeserverClient, LegacySession } = await loadSession();
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

/**
 * Ends older sessions of the same account, so that each account has one session. A failure here
 * doesn't affect the new session.
 */
export async function replaceSameUser(
  session: MatrixSession,
  options: SessionOptions,
): Promise<void> {
  const part = await loadSameUser().catch(() => undefined);
  await part?.endOlderSessions(session, options);
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
