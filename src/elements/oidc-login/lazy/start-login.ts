import type { RequestOptions } from "../../../core/index.js";
import { createFlow } from "../../../core/oauth/authorization.js";
import {
  findClient,
  registerClient,
  type RegisteredClient,
  REGISTRATION_STATE,
} from "../../../core/oauth/client-cache.js";
import { secureRandomString } from "../../../core/shared/base64url.js";
import { POPUP_STATE } from "../../../sign-in/captured-response.js";
import type { LoginSettings, LoginTarget } from "./settings.js";

export type StartedLogin = Awaited<ReturnType<typeof createFlow>>;

/** Registers the app if no client ID is known, and starts the sign-in. */
export async function startLogin(
  settings: LoginSettings,
  target: LoginTarget,
  options: RequestOptions,
): Promise<StartedLogin> {
  const { metadata } = target;
  const { clientMetadata, homeserver, mode, registration, request, returnTo } = settings;
  const known = (): RegisteredClient | undefined => {
    if (mode === "popup" && registration === "per-login") return undefined;
    try {
      return findClient(metadata, clientMetadata, registration);
    } catch (error) {
      // A sign-in in a popup needs no storage; any other fails here without it, before any request.
      if (mode === "popup") return undefined;
      throw error;
    }
  };
  const client =
    settings.clientId === undefined
      ? (known() ?? (await registerClient(metadata, clientMetadata, registration, options)))
      : { clientId: settings.clientId };
  return createFlow({
    ...request,
    metadata,
    clientId: client.clientId,
    homeserverUrl: target.homeserverUrl,
    identityServerUrl: request.identityServerUrl ?? target.identityServerUrl,
    nonce: secureRandomString(32),
    urlState: mode === "popup" ? POPUP_STATE : undefined,
    responseMode:
      request.responseMode ??
      (metadata.response_modes_supported?.includes("fragment") ? "fragment" : "query"),
    appState: {
      startUrl: location.href,
      ...(returnTo !== undefined && { returnTo }),
      ...(homeserver !== undefined && { homeserver }),
      ...("fingerprint" in client && { [REGISTRATION_STATE]: client.fingerprint }),
    },
  });
}
