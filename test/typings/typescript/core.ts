// Only the core, for Node: it declares neither elements nor their events.
import {
  completeAuthorizationCodeGrant,
  discoverHomeserver,
  generateOidcAuthorizationUrl,
  HomeserverClient,
  InteractiveAuth,
  OidcError,
  OidcFlowError,
  registerOidcClient,
  secureRandomString,
  validateAuthMetadata,
} from "matrix-auth-elements/core";

export async function begin(metadata: unknown): Promise<string> {
  const { baseUrl } = await discoverHomeserver("example.org");
  const validated = validateAuthMetadata(metadata);
  const clientId: string = await registerOidcClient(validated, {
    clientName: "Client",
    clientUri: "https://app.example",
    redirectUris: ["https://app.example/callback"],
  });
  return generateOidcAuthorizationUrl({
    metadata: validated,
    clientId,
    homeserverUrl: baseUrl,
    redirectUri: "https://app.example/callback",
    nonce: secureRandomString(32),
  });
}

export async function end(code: string, state: string): Promise<string | undefined> {
  try {
    const { tokenResponse, homeserverUrl } = await completeAuthorizationCodeGrant(code, state);
    return `${homeserverUrl} ${tokenResponse.access_token}`;
  } catch (error) {
    if (!(error instanceof OidcFlowError)) throw error;
    return error.message === OidcError.CodeExchangeFailed ? error.code : undefined;
  }
}

export const attempt = (): Promise<{ id: number }> =>
  new InteractiveAuth({
    matrixClient: new HomeserverClient({ baseUrl: "https://hs.example" }),
    doRequest: async (auth) => ({ id: auth ? 1 : 0 }),
    requestEmailToken: async () => ({ sid: "1" }),
    stateUpdated: () => undefined,
    inputs: {},
  }).attemptAuth();

// @ts-expect-error A required member is missing.
void registerOidcClient(validateAuthMetadata({}), { clientName: "Client" });
// @ts-expect-error The core declares no elements.
document.createElement("oidc-login").prepare();
