import type {
  AuthorizationCodeGrantResult,
  MatrixSession,
  OidcSession,
  SessionOptions,
} from "../core/index.js";
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
  // Use this part's classes, because the page's scripts import the same ones.
  if (options)
    return { result, ...(await (await loadSession()).keepLogin(result, { ...options, userId })) };
  const accessToken = tokenResponse.access_token;
  const client = baseUrl ? new HomeserverClient({ baseUrl, deviceId, accessToken }) : undefined;
  return { result, client, session: undefined };
}

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
  if (identifies && session && client) {
    // It was loaded for the session.
    const part = await loadSession().catch(() => undefined);
    await part?.identifyUser(session, client);
  }
  return leaves;
}

/**
 * Fires `matrix-login-success`, unless the user has already signed out in another tab. @returns
 * Whether the browser may open `returnTo`.
 */
export function reportUser(
  host: EventTarget,
  method: MatrixLoginSuccessEvent["detail"]["method"],
  { session, client }: SignedInUser,
  returnTo: string | undefined,
): boolean {
  if (session.state !== "signed-in") return false;
  const { homeserverUrl } = session;
  const { userId, deviceId } = session.user;
  const detail = { method, session, client, userId, deviceId, homeserverUrl };
  return host.dispatchEvent(new MatrixLoginSuccessEvent(goingTo(detail, returnTo)));
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
