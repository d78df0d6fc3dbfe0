import { LoginError } from "../../core/legacy/errors.js";
import type * as SsoPart from "../../core/legacy/sso.js";
import type { SsoRedirectOptions } from "../../core/matrix/request.js";
import { settingsInvalid } from "../../core/oauth/errors.js";
import { deviceNameOf } from "../../sign-in/device-name.js";
import { absoluteUrl, sameOriginUrl } from "../../sign-in/page-urls.js";
import { ambiguityOf, asAppState, starterOf } from "../../sign-in/starter.js";
import { lazyPart, type Load } from "../../ui/loading.js";
import type { FoundHomeserver } from "./lookup.js";
import type { MatrixLoginElement } from "./matrix-login.js";

/** Starts a single sign-on, and completes it after the user's return. */
export const loadSso: Load<typeof SsoPart> = /* @__PURE__ */ lazyPart(
  () => import("../../core/legacy/sso.js"),
);

/**
 * Starts a single sign-on with the page's current settings. Later changes apply to the next
 * sign-in.
 *
 * @returns The homeserver's URL for the browser.
 * @throws {LoginError} `login_not_supported`, and as `startSsoLogin` does.
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`).
 */
export async function startSso(
  host: MatrixLoginElement,
  { homeserver, homeserverUrl, identityServerUrl, flows }: FoundHomeserver,
  { idpId, action }: SsoRedirectOptions,
  signal: AbortSignal,
): Promise<string> {
  if (!flows.sso) {
    throw new LoginError("login_not_supported", "The homeserver does not support single sign-on");
  }
  const ambiguity = ambiguityOf("matrix-login", host);
  if (ambiguity) throw settingsInvalid(ambiguity);
  const { redirectUri, returnTo, deviceId, userId } = host;
  const appState = {
    startUrl: location.href,
    homeserver,
    ...asAppState(starterOf("matrix-login", host)),
    ...(returnTo && { returnTo: sameOriginUrl(returnTo, "return-to") }),
  };
  const login = {
    ...{ homeserverUrl, identityServerUrl, deviceId, appState, idpId, action },
    deviceName: deviceNameOf(host),
    expectedUserId: userId,
    redirectUri: redirectUri
      ? absoluteUrl(redirectUri, "redirect-uri")
      : location.origin + location.pathname,
  };
  const { startSsoLogin } = await loadSso();
  signal.throwIfAborted();
  return startSsoLogin(login).url;
}
