import type { RequestOptions } from "../../core/index.js";
import { createFlow } from "../../core/oauth/authorization.js";
import {
  findClient,
  registerClient,
  type RegisteredClient,
} from "../../core/oauth/client-cache.js";
import { REGISTRATION_STATE } from "../../core/oauth/dropped-client.js";
import { assertPrompt } from "../../core/oauth/metadata.js";
import { secureRandomString } from "../../core/shared/base64url.js";
import { POPUP_STATE } from "../../sign-in/captured-response.js";
import { asAppState } from "../../sign-in/starter.js";
import type { LoginSettings, LoginTarget } from "./settings.js";

export { noteClosedPopup } from "../../core/oauth/dropped-client.js";

/**
 * Creates the authorization request for the confirmed provider. Registers the app if no client ID is
 * known.
 */
export async function createRequest(
  settings: LoginSettings,
  target: LoginTarget,
  options: RequestOptions,
): ReturnType<typeof createFlow> {
  const { provider, homeserverUrl } = target;
  const { clientMetadata, homeserver, mode, registration, request, returnTo, starter } = settings;
  const registrant = { provider, homeserverUrl, clientMetadata, policy: registration };
  const known = (): RegisteredClient | undefined => {
    if (mode === "popup" && registration === "per-login") return undefined;
    try {
      return findClient(registrant);
    } catch (error) {
      // A sign-in in a popup needs no storage. Without storage, any other sign-in fails here,
      // before any request.
      if (mode === "popup") return undefined;
      throw error;
    }
  };
  const [client, metadata] = await Promise.all([
    settings.clientId === undefined
      ? (known() ?? registerClient(registrant, options))
      : { clientId: settings.clientId },
    provider.confirm(options),
  ]);
  assertPrompt(metadata, request.prompt);
  return createFlow({
    ...request,
    metadata,
    clientId: client.clientId,
    homeserverUrl,
    identityServerUrl: request.identityServerUrl ?? target.identityServerUrl,
    nonce: secureRandomString(32),
    urlState: mode === "popup" ? POPUP_STATE : undefined,
    responseMode:
      request.responseMode ??
      (metadata.response_modes_supported?.includes("fragment") ? "fragment" : "query"),
    appState: {
      startUrl: location.href,
      ...asAppState(starter),
      ...(returnTo !== undefined && { returnTo }),
      ...(homeserver !== undefined && { homeserver }),
      ...("fingerprint" in client && { [REGISTRATION_STATE]: client.fingerprint }),
    },
  });
}
