import { html, nothing, type TemplateResult } from "lit";
import type { OidcCancelEvent, OidcErrorEvent, OidcRedirectEvent } from "../../../events/oidc.js";
import { starterOf } from "../../../sign-in/lazy/starter.js";
import { LoginElement } from "../../../sign-in/login-element.js";
import { exportParts } from "../../../ui/lazy/styles.js";
import { OidcLoginElement } from "../../oidc-login/oidc-login.js";
import type { MatrixLoginController } from "./controller.js";
import type { FoundHomeserver } from "./lookup.js";
import { serverNameOf, sessionOptions } from "./settings.js";
import { term } from "./texts.js";

const OIDC_PARTS = exportParts("oidc", "button label spinner error text link cancel");

const settingsOf = (host: LoginElement): Partial<LoginElement> =>
  Object.fromEntries(
    Object.keys(LoginElement.properties).map((name) => [name, Reflect.get(host, name) as unknown]),
  );

/** The button shows its target: the homeserver, or a provider on another domain. */
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

/** The events of the inner `<oidc-login>` become those of this element. */
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
    // The user ID must be available before the page is left.
    event.preventDefault();
    controller.completeOAuth(event.target as OidcLoginElement);
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
      loginHint: host.userId && `mxid:${host.userId}`,
      starter: starterOf("matrix-login", host),
      chooseSession: sessionOptions,
      disabled: host.disabled || (isBusy && !isStarted),
    }}
    @oidc-login-start=${onStart}
    @oidc-redirect=${onRedirect}
    @oidc-success=${onSuccess}
    @oidc-cancel=${onCancel}
    @oidc-error=${onError}
    >${label}</oidc-login
  >`;
}
