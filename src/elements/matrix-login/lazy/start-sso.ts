import { LoginError } from "../../../core/legacy/errors.js";
import { startSsoLogin } from "../../../core/legacy/sso.js";
import { MatrixLoginRedirectEvent } from "../../../events/matrix-login.js";
import { absoluteUrl, sameOriginUrl } from "../../shared/lazy/page-urls.js";
import type { MatrixLoginHost } from "../matrix-login-host.js";
import type { FoundHomeserver } from "./find-methods.js";
import type { StartOptions } from "./login-model.js";
import { deviceNameOf } from "./matrix-login-settings.js";

/**
 * Begins a single sign-on: leaves the page, unless it wants to navigate itself.
 *
 * @throws {LoginError} `login_not_supported`, `storage_unavailable`, `storage_full`
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`).
 */
export function startSso(
  host: MatrixLoginHost,
  { homeserver, homeserverUrl, identityServerUrl, flows }: FoundHomeserver,
  options: StartOptions,
): void {
  if (!flows.sso) {
    throw new LoginError("login_not_supported", "The homeserver offers no single sign-on");
  }
  const { redirectUri, returnTo, deviceId, userId, sessionKey } = host;
  const appState = {
    startUrl: location.href,
    homeserver,
    ...(returnTo && { returnTo: sameOriginUrl(returnTo, "return-to") }),
    ...(sessionKey && { sessionKey }),
  };
  const { url } = startSsoLogin({
    ...{ homeserverUrl, identityServerUrl, deviceId, appState },
    deviceName: deviceNameOf(host),
    ...options,
    expectedUserId: userId,
    redirectUri: redirectUri
      ? absoluteUrl(redirectUri, "redirect-uri")
      : location.origin + location.pathname,
  });
  const goes = host.dispatchEvent(new MatrixLoginRedirectEvent({ method: "sso", url }));
  if (goes) location.assign(url);
}
