import { html, nothing, type TemplateResult } from "lit";
import type { OidcCancelEvent, OidcErrorEvent, OidcRedirectEvent } from "../../../events/oidc.js";
import { starterOf } from "../../../sign-in/lazy/starter.js";
import { LoginElement } from "../../../sign-in/login-element.js";
import { exportParts } from "../../../ui/lazy/styles.js";
import { OidcLoginElement } from "../../oidc-login/oidc-login.js";
import type { LoginModel } from "./model.js";
import { identified } from "./returned-login.js";
import { serverNameOf, sessionOptions } from "./settings.js";

const OIDC_PARTS = exportParts("oidc", "button label spinner error text link cancel");

const settingsOf = (host: LoginElement): Partial<LoginElement> =>
  Object.fromEntries(
    Object.keys(LoginElement.properties).map((name) => [name, Reflect.get(host, name) as unknown]),
  );

/** The OAuth 2.0 buttons: each is an `<oidc-login>`, whose events become those of this element. */
export class OAuthLogin {
  readonly #model: LoginModel;

  constructor(model: LoginModel) {
    this.#model = model;
    OidcLoginElement.define();
  }

  get canCreate(): boolean {
    const { noRegistration, prompt } = this.#model.host;
    const { methods, target } = this.#model.found ?? {};
    const isOffered = methods?.includes("oauth") && !noRegistration && !prompt;
    return !!isOffered && !!target?.provider.named.prompt_values_supported?.includes("create");
  }

  /** The button shows its target: the homeserver, or a provider on another domain. */
  render(): TemplateResult {
    const { localize, prompt } = this.#model.host;
    if (prompt === "create") return this.renderRegistration("");
    const { homeserver = "", target } = this.#model.found ?? {};
    const server = serverNameOf(homeserver);
    const host = target ? new URL(target.provider.named.issuer).host : server;
    const provider = `.${host}`.endsWith(`.${server}`) ? server : host;
    const label = localize.term("continueWith").replace("{provider}", () => provider);
    return this.#renderButton(prompt, label);
  }

  renderRegistration(className = "link"): TemplateResult {
    return this.#renderButton("create", this.#model.host.localize.term("createAccount"), className);
  }

  /** Clicks the first button, or the one that creates an account. @returns Whether it exists. */
  async start(creates: boolean): Promise<boolean> {
    await this.#model.host.updateComplete;
    const button = this.#model.host.shadowRoot?.querySelector<OidcLoginElement>(
      creates ? "oidc-login.link" : "oidc-login",
    );
    await button?.login();
    return !!button;
  }

  #renderButton(prompt: string | undefined, label: string, className = ""): TemplateResult {
    const host = this.#model.host;
    const { found, isBusy, method, oauthButton } = this.#model;
    const isStarted = method === "oauth" && !!oauthButton && prompt === oauthButton.prompt;
    return html`<oidc-login
      class=${className || nothing}
      exportparts=${OIDC_PARTS}
      .settings=${{
        ...settingsOf(host),
        target: found?.target,
        homeserver: found?.homeserver,
        prompt,
        loginHint: host.userId && `mxid:${host.userId}`,
        starter: starterOf("matrix-login", host),
        chooseSession: sessionOptions,
        disabled: host.disabled || (isBusy && !isStarted),
      }}
      @oidc-login-start=${this.#onStart}
      @oidc-redirect=${this.#onRedirect}
      @oidc-success=${this.#onSuccess}
      @oidc-cancel=${this.#onCancel}
      @oidc-error=${this.#onError}
      >${label}</oidc-login
    >`;
  }

  readonly #onStart = (event: Event): void => {
    const button = event.target as OidcLoginElement;
    // Both buttons were clicked before either could be disabled.
    const isSecond = this.#model.isBusy && button !== this.#model.oauthButton;
    if (isSecond || !this.#model.startOAuth(button)) event.preventDefault();
  };

  readonly #onRedirect = (event: OidcRedirectEvent): void => {
    if (!this.#model.announceRedirect("oauth", event.detail.url)) event.preventDefault();
  };

  readonly #onSuccess = (event: Event): void => {
    event.stopPropagation();
    // The user ID must be available before the page is left.
    event.preventDefault();
    const { session } = event.target as OidcLoginElement;
    if (!session) return;
    void this.#model.signIn("oauth", () => identified(session));
  };

  readonly #onCancel = (event: OidcCancelEvent): void => {
    event.stopPropagation();
    this.#model.cancel(event.detail.reason);
  };

  readonly #onError = (event: OidcErrorEvent): void => {
    event.stopPropagation();
    const { error } = event.detail;
    const isLeft = this.#model.fail(error, { method: "oauth", isShown: true });
    if (isLeft) event.preventDefault();
  };
}
