import {
  discoverHomeserver,
  fetchAuthMetadata,
  HomeserverClient,
  LegacySession,
  loginWithPassword,
} from "matrix-auth-elements/core";
import { KEPT, sessions } from "./session";

export interface Account {
  readonly client: HomeserverClient;
  readonly userId: string;
  readonly deviceId: string;
  /** With OAuth 2.0, the provider's page for the account. */
  readonly accountPage: string | undefined;
}

/** Opens the signed-in user's account, even after a reload. */
export async function openAccount(): Promise<Account> {
  const session = await sessions.current();
  if (!session) throw new Error("The user is not signed in");
  const { homeserverUrl: baseUrl, user, kind } = session;
  const { deviceId } = user;
  const client = new HomeserverClient({ baseUrl, session });
  const userId = user.userId ?? (await client.whoami()).user_id;
  const metadata = kind === "oauth" ? await fetchAuthMetadata(baseUrl) : undefined;
  return { client, userId, deviceId, accountPage: metadata?.account_management_uri };
}

/** Signs in with a password, if the homeserver has no OAuth 2.0. */
export async function enterByPassword(
  homeserver: string,
  user: string,
  password: string,
): Promise<void> {
  const { baseUrl: homeserverUrl } = await discoverHomeserver(homeserver);
  const identifier = { type: "m.id.user", user } as const;
  const login = await loginWithPassword({ homeserverUrl, identifier, password });
  await new LegacySession(login, KEPT).stored;
}
