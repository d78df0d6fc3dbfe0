import { html, nothing, type TemplateResult } from "lit";
import type { HomeserverClient, OidcSession } from "../../core/index.js";
import { isRetryable } from "../../errors/coded-error.js";
import type { OidcCancelEvent, OidcErrorEvent, OidcRedirectEvent } from "../../events/oidc.js";
import { loadSession } from "../../sign-in/session-attributes.js";
import { starterOf } from "../../sign-in/starter.js";
import { exportParts } from "../../ui/form/styles.js";
import type { SurroundingSettings } from "../oidc-login/settings.js";
import { OidcLoginElement } from "../oidc-login/oidc-login.js";
import type { Attempt } from "./attempts.js";
import type { MatrixLoginElement } from "./matrix-login.js";
import type { MatrixLoginController } from "./controller.js";
import type { FoundHomeserver } from "./lookup.js";
import { type Given, serverNameOf, sessionOptions } from "./settings.js";
import { term } from "./texts.js";

const OIDC_PARTS = exportParts("oidc", "button label spinner error text link cancel");

/** The settings of the inner `<oidc-login>`. If one is missing here, the code doesn't compile. */
function settingsOf(host: MatrixLoginElement): Omit<SurroundingSettings, "target" | "prompt"> {
  const { clientId, redirectUri, clientName, clientUri, logoUri, tosUri, policyUri } = host;
  const { clientMetadata, deviceId, returnTo, responseMode, registration, mode } = host;
  const { additionalScopes, persist, store, sessionKey, homeserver, disabled, userId } = host;
  const { timeoutMs } = host;
  return {
    ...{ clientId, redirectUri, clientName, clientUri, logoUri, tosUri, policyUri },
    ...{ clientMetadata, deviceId, returnTo, responseMode, registration, mode },
    ...{ additionalScopes, persist, store, sessionKey, homeserver, disabled },
    timeoutMs,
    issuer: undefined,
    identityServer: undefined,
    loginHint: userId && `mxid:${userId}`,
    starter: starterOf("matrix-login", host),
    chooseSession: sessionOptions,
  };
}

/** The attempt after a sign-in in a popup. */
const popupAttempt = (session: OidcSession, client: HomeserverClient, given: Given): Attempt => ({
  method: "oauth",
  state: { name: "completing" },
  given,
  work: async () => {
    const { identifyUser } = await loadSession();
    await identifyUser(session, client);
    return { session, client };
  },
  canRetry: isRetryable,
});

/**
 * Shows the button. Its label names its target: the homeserver, or a provider on another domain.
 */
export function renderOAuth(
  controller: MatrixLoginController,
  found: FoundHomeserver,
): TemplateResult {
  const { prompt } = controller.host;
  if (prompt === "create") return renderRegistration(controller, found, "");
  const { homeserver, target } = found;
  const server = serverNameOf(homeserver);
  const host = target ? new URL(target.provider.named.issuer).host : server;
  const provider = `.${host}`.endsWith(`.${server}`) ? server : host;
  const label = term(controller.host, "continueWith").replace("{provider}", () => provider);
  return renderButton(controller, found, prompt, label);
}

export const renderRegistration = (
  controller: MatrixLoginController,
  found: FoundHomeserver,
  className = "link",
): TemplateResult =>
  renderButton(controller, found, "create", term(controller.host, "createAccount"), className);

/** The button, whose events become events of this element. */
function renderButton(
  controller: MatrixLoginController,
  { homeserver, target }: FoundHomeserver,
  prompt: string | undefined,
  label: string,
  className = "",
): TemplateResult {
  const { host, isBusy, state } = controller;
  OidcLoginElement.define();
  const isStarted = "button" in state && state.button.prompt === prompt;
  const onStart = (event: Event): void => {
    if (!controller.startOAuth(event.target as OidcLoginElement)) event.preventDefault();
  };
  const onRedirect = (event: OidcRedirectEvent): void => {
    if (!controller.announceRedirect("oauth", event.detail.url)) event.preventDefault();
  };
  const onSuccess = (event: Event): void => {
    event.stopPropagation();
    // The user ID must be available before the user leaves the page.
    event.preventDefault();
    const button = event.target as OidcLoginElement;
    const { session, client } = button;
    if (session && client) {
      controller.completeOAuth(button, (given) => popupAttempt(session, client, given));
    }
  };
  const onCancel = (event: OidcCancelEvent): void => {
    event.stopPropagation();
    controller.cancel(event.detail.reason);
  };
  const onError = (event: OidcErrorEvent): void => {
    event.stopPropagation();
    const { error } = event.detail;
    if (controller.fail(error, { method: "oauth", isShown: true })) event.preventDefault();
  };
  return html`<oidc-login
    class=${className || nothing}
    exportparts=${OIDC_PARTS}
    .settings=${{
      ...settingsOf(host),
      target,
      homeserver,
      prompt,
      disabled: isBusy && !isStarted,
    }}
    @oidc-login-start=${onStart}
    @oidc-redirect=${onRedirect}
    @oidc-success=${onSuccess}
    @oidc-cancel=${onCancel}
    @oidc-error=${onError}
    >${label}</oidc-login
  >`;
}
