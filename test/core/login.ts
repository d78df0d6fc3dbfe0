import {
  generateOidcAuthorizationUrl,
  validateAuthMetadata,
  type OidcAuthorizationOptions,
} from "matrix-auth-elements/core";
import type { ProviderResponse, ScriptedProvider } from "../support/scripted-provider.ts";

export const HOMESERVER = "https://matrix.example";
export const REDIRECT_URI = "https://app.example/callback";

/** Starts a sign-in that the user allows. */
export async function logIn(
  provider: ScriptedProvider,
  options: Partial<OidcAuthorizationOptions> = {},
  extra: Record<string, string> = {},
): Promise<ProviderResponse> {
  return provider.authorize(await startLogin(provider, options), extra);
}

/** Starts a sign-in. Resolves to the URL for the browser. */
export function startLogin(
  provider: ScriptedProvider,
  options: Partial<OidcAuthorizationOptions> = {},
): Promise<string> {
  return generateOidcAuthorizationUrl({
    metadata: validateAuthMetadata(provider.metadata),
    clientId: provider.clientId,
    homeserverUrl: HOMESERVER,
    redirectUri: REDIRECT_URI,
    nonce: "nonce-of-this-test",
    ...options,
  });
}
