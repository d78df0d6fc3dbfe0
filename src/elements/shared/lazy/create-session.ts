import type {
  AuthorizationCodeGrantResult,
  OidcSession,
  SessionOptions,
} from "../../../core/index.js";
import { HomeserverClient } from "../../../core/matrix/client.js";
import { loadSession } from "../load-session.js";

/** What a page has once the user has signed in. */
export interface SignedIn {
  /** Undefined if the login was for an issuer only. */
  readonly client: HomeserverClient | undefined;
  /** Present if the page wants the session to be stored. */
  readonly session: OidcSession | undefined;
}

/**
 * Loads what {@link createSession} needs. Call it before the code is used: otherwise the tokens could be lost.
 *
 * @throws {OidcFlowError} `General` (`load_failed`).
 */
export async function prepareSession(options: SessionOptions | undefined): Promise<void> {
  if (options) await loadSession();
}

/**
 * Makes a client, and a session if wanted, from the tokens.
 *
 * @param options Where to keep the session; undefined if the page wants none.
 * @throws {OidcFlowError} `StorageUnavailable`; `General` (`load_failed`).
 */
export async function createSession(
  result: AuthorizationCodeGrantResult,
  options: SessionOptions | undefined,
): Promise<SignedIn> {
  const { homeserverUrl: baseUrl, tokenResponse, deviceId } = result;
  if (options) {
    const part = await loadSession();
    const session = await stored(new part.OidcSession(result, options));
    // The client gets its tokens from the session: if both refreshed them, the session would end.
    const client = baseUrl ? new part.HomeserverClient({ baseUrl, session }) : undefined;
    return { client, session };
  }
  const accessToken = tokenResponse.access_token;
  const client = baseUrl ? new HomeserverClient({ baseUrl, deviceId, accessToken }) : undefined;
  return { client, session: undefined };
}

/** Waits until the session is stored, so that the next page finds it. */
async function stored(session: OidcSession): Promise<OidcSession> {
  try {
    await session.stored;
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}
