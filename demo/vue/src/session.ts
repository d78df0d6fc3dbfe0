import {
  discoverHomeserver,
  HomeserverClient,
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
  const response = await fetch(`${baseUrl}/_matrix/client/v3/login`, {
    method: "POST",
    body: JSON.stringify({
      type: "m.login.password",
      identifier: { type: "m.id.user", user },
      password,
    }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error);
  const { user_id: userId, device_id: deviceId, access_token: accessToken } = body;
  return { client: new HomeserverClient({ baseUrl, accessToken, userId }), userId, deviceId };
}

/** What to show to the user: nothing if they cancelled. */
export function messageOf(error: unknown): string {
  if (error instanceof UiaError && error.code === "cancelled") return "";
  return error instanceof Error ? error.message : String(error);
}
