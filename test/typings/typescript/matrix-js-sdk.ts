// An app for matrix-js-sdk that imports this package. The types of matrix-js-sdk's versions differ.
import {
  completeAuthorizationCodeGrant,
  generateAuthorizationParams,
  generateAuthorizationUrl,
  generateOidcAuthorizationUrl,
  HomeserverClient,
  InteractiveAuth,
  registerOidcClient,
  startDeviceAuthorization,
  type MatrixSession,
  type OidcAuthorizationOptions,
} from "matrix-auth-elements/core";
import {
  attachSession,
  AuthType,
  type InteractiveAuthOptions,
  OidcError,
  OidcTokenRefresher,
} from "matrix-auth-elements/matrix-js-sdk";
import type { MatrixClient as Client34 } from "matrix-js-sdk-34";
import type { MatrixClient as Client41 } from "matrix-js-sdk-41";
import type { OidcClientConfig } from "matrix-js-sdk-41/lib/oidc/index.js";
import type { AccessTokens } from "matrix-js-sdk-41/lib/http-api/index.js";
import type { OidcRegistrationClientMetadata } from "matrix-js-sdk-41/lib/oidc/register.js";
import type { OidcTokenRefresher as OldRefresher } from "matrix-js-sdk-41/lib/oidc/tokenRefresher.js";
import type { ValidatedAuthMetadata } from "matrix-js-sdk-42/lib/oauth/discover.js";
import type { MatrixClient as Client43 } from "matrix-js-sdk-43";

type Options = Omit<OidcAuthorizationOptions, "metadata">;

export async function start(
  metadata: OidcClientConfig | ValidatedAuthMetadata,
  client: OidcRegistrationClientMetadata & { redirectUris: string[] },
  options: Options,
): Promise<string> {
  const clientId = await registerOidcClient(metadata, client);
  await startDeviceAuthorization({ metadata, clientId });
  const params = generateAuthorizationParams({ redirectUri: options.redirectUri });
  await generateAuthorizationUrl(metadata.authorization_endpoint, clientId, params, {
    responseMode: "fragment",
    prompt: "create",
  });
  return generateOidcAuthorizationUrl({ ...options, metadata, clientId });
}

/** The third parameter of 41.9's function. */
declare const mode: Parameters<
  typeof import("matrix-js-sdk-41/lib/oidc/authorize.js").completeAuthorizationCodeGrant
>[2];
export const end = (code: string, state: string): Promise<unknown> =>
  completeAuthorizationCodeGrant(code, state, mode);

class Refresher extends OidcTokenRefresher {
  protected override async persistTokens(tokens: {
    accessToken: string;
    refreshToken?: string;
  }): Promise<void> {
    sessionStorage.setItem(this.deviceId, tokens.accessToken);
  }
}
const refresher = new Refresher("https://idp.example", "client", "https://app.example/", "DEVICE");
export const refresh: (token: string) => Promise<AccessTokens> =
  refresher.doRefreshAccessToken.bind(refresher);
export const ready: OldRefresher["oidcClientReady"] = refresher.oidcClientReady;
// @ts-expect-error The method is protected, as in matrix-js-sdk.
void refresher.persistTokens;

const password: AuthType.Password = AuthType.Password;
export const stage: AuthType = password;
export const failed: OidcError.CodeExchangeFailed = OidcError.CodeExchangeFailed;
// @ts-expect-error It is another member.
export const other: OidcError.General = failed;
// @ts-expect-error The enum has no such member.
export type None = AuthType.None;

const options: InteractiveAuthOptions<number> = {
  matrixClient: new HomeserverClient({ baseUrl: "https://hs.example" }),
  doRequest: async () => 1,
  requestEmailToken: async () => ({ sid: "1" }),
  startAuthStage: async (nextStage: string) => void nextStage,
  stateUpdated: () => undefined,
};
export const attempt: InteractiveAuth<number> = new InteractiveAuth(options);

export const attach = (
  client: Client34 | Client41 | Client43,
  session: MatrixSession,
): (() => void) => attachSession(client, session);
// @ts-expect-error It is not a client.
attachSession({}, {} as MatrixSession);
