import { startSsoLogin } from "../../../core/legacy/sso-login.js";
import { sameOriginUrl } from "../../shared/lazy/page-urls.js";
import type { MatrixLoginHost } from "../matrix-login-host.js";
import type { FoundHomeserver } from "./find-methods.js";
import type { StartOptions } from "./login-model.js";

/**
 * Begins a single sign-on; returns where it goes on.
 *
 * @throws {LoginError} `storage_unavailable`, `storage_full`
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`).
 */
export function startSso(
  { redirectUri, returnTo, deviceId, deviceName, userId, sessionKey }: MatrixLoginHost,
  { homeserverUrl, identityServerUrl }: FoundHomeserver,
  options: StartOptions,
): string {
  const appState = {
    startUrl: location.href,
    ...(returnTo && { returnTo: sameOriginUrl(returnTo, "return-to") }),
    ...(sessionKey && { sessionKey }),
  };
  return startSsoLogin({
    ...{ homeserverUrl, identityServerUrl, deviceId, deviceName, appState },
    ...options,
    expectedUserId: userId,
    redirectUri: redirectUri
      ? new URL(redirectUri, document.baseURI).href
      : location.origin + location.pathname,
  }).url;
}
