import type {
  AuthorizationCodeGrantResult,
  OidcSession,
  SessionStoreName,
} from "../../core/index.js";
import { HomeserverClient } from "../../core/homeserver/homeserver-client.js";
import { loadSession } from "../shared/load.js";

/** What a page has once somebody has signed in. */
export interface SignedIn {
  /** Undefined where the login was for an issuer alone. */
  readonly client: HomeserverClient | undefined;
  /** Where the page wants one to be kept. */
  readonly session: OidcSession | undefined;
}

/**
 * Loads what {@link signedIn} needs: before the code is used, for tokens that nobody can hold are lost.
 *
 * @throws {OidcFlowError} `General` (`load_failed`).
 */
export async function prepareSignedIn(store: SessionStoreName | undefined): Promise<void> {
  if (store) await loadSession();
}

/**
 * What is made of the tokens.
 *
 * @param store Where to keep the session; undefined where the page wants none.
 * @throws {OidcFlowError} `StorageUnavailable`; `General` (`load_failed`).
 */
export async function signedIn(
  result: AuthorizationCodeGrantResult,
  store: SessionStoreName | undefined,
): Promise<SignedIn> {
  const { homeserverUrl: baseUrl, tokenResponse, deviceId } = result;
  if (store) {
    const kept = await loadSession();
    const session = await stored(new kept.OidcSession(result, { store }));
    // Two that refresh the same tokens would end the session: so the client asks it for them.
    const client = baseUrl ? new kept.HomeserverClient({ baseUrl, deviceId, session }) : undefined;
    return { client, session };
  }
  const accessToken = tokenResponse.access_token;
  const client = baseUrl ? new HomeserverClient({ baseUrl, deviceId, accessToken }) : undefined;
  return { client, session: undefined };
}

/** Whoever leaves the page now finds the session on the next one. */
async function stored(session: OidcSession): Promise<OidcSession> {
  try {
    await session.stored;
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}
