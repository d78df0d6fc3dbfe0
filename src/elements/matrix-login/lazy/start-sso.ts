import { startSsoLogin } from "../../../core/legacy/sso-login.js";
import { MatrixLoginRedirectEvent } from "../../../events/matrix-login-redirect.js";
import { absoluteUrl, sameOriginUrl } from "../../shared/lazy/page-urls.js";
import type { MatrixLoginHost } from "../matrix-login-host.js";
import type { FoundHomeserver } from "./find-methods.js";
import type { StartOptions } from "./login-model.js";

/**
 * Begins a single sign-on: leaves the page, unless it wants to navigate itself.
 *
 * @throws {LoginError} `storage_unavailable`, `storage_full`
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`).
 */
export function startSso(
  host: MatrixLoginHost,
  { homeserverUrl, identityServerUrl }: FoundHomeserver,
  options: StartOptions,
): void {
  const { redirectUri, returnTo, deviceId, deviceName, userId, sessionKey } = host;
  const appState = {
    startUrl: location.href,
    ...(returnTo && { returnTo: sameOriginUrl(returnTo, "return-to") }),
    ...(sessionKey && { sessionKey }),
  };
  const { url } = startSsoLogin({
    ...{ homeserverUrl, identityServerUrl, deviceId, deviceName, appState },
    ...options,
    expectedUserId: userId,
    redirectUri: redirectUri
      ? absoluteUrl(redirectUri, "redirect-uri")
      : location.origin + location.pathname,
  });
  const goes = host.dispatchEvent(new MatrixLoginRedirectEvent({ method: "sso", url }));
  if (goes) location.assign(url);
}
