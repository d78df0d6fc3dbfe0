import {
  discoverHomeserver,
  HomeserverClient,
  loginWithPassword,
  UiaError,
  type AuthorizationCodeGrantResult,
} from "matrix-auth-elements/core";

/** A signed-in user; in memory, so a reload signs out. */
export interface Session {
  readonly client: HomeserverClient;
  readonly userId: string;
  readonly deviceId: string | undefined;
  /** With OAuth 2.0, the provider's page for the account. */
  readonly accountPage?: string | undefined;
}

/** The session from `oidc-success`. */
export async function openIdSession(result: AuthorizationCodeGrantResult): Promise<Session> {
  const client = new HomeserverClient({
    baseUrl: result.homeserverUrl,
    accessToken: result.tokenResponse.access_token,
  });
  const [{ user_id: userId }, metadata] = await Promise.all([
    client.whoami(),
    client.getAuthMetadata(),
  ]);
  const accountPage = metadata.account_management_uri;
  return { client, userId, deviceId: result.deviceId, accountPage };
}

/** Signs in if the homeserver has no OAuth 2.0. */
export async function passwordSession(
  homeserver: string,
  user: string,
  password: string,
): Promise<Session> {
  const { baseUrl } = await discoverHomeserver(homeserver);
  const { userId, deviceId, accessToken } = await loginWithPassword({
    homeserverUrl: baseUrl,
    identifier: { type: "m.id.user", user },
    password,
  });
  return { client: new HomeserverClient({ baseUrl, accessToken, userId }), userId, deviceId };
}

/** What to show to the user: nothing if they cancelled. */
export function messageOf(error: unknown): string {
  if (error instanceof UiaError && error.code === "cancelled") return "";
  return error instanceof Error ? error.message : String(error);
}
