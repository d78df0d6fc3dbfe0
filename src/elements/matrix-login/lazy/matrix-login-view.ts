import { html, nothing, type TemplateResult } from "lit";
import type { OidcCancelEvent } from "../../../events/oidc-cancel.js";
import type { OidcErrorEvent } from "../../../events/oidc-error.js";
import type { OidcRedirectEvent } from "../../../events/oidc-redirect.js";
import type { OidcSuccessEvent } from "../../../events/oidc-success.js";
import { MatrixLoginRedirectEvent } from "../../../events/matrix-login-redirect.js";
import { OidcLoginElement } from "../../oidc-login/oidc-login.js";
import { addStyles } from "../../shared/lazy/add-styles.js";
import { field, valueOf } from "../../shared/lazy/field.js";
import { LightForm } from "../../shared/lazy/light-form.js";
import type { LoginAction, MatrixLoginHost } from "../matrix-login-host.js";
import { codedErrorKey } from "./coded-error.js";
import { AccountForms } from "./account-forms.js";
import type { LoginModel } from "./login-model.js";
import { localpartOf, readSuggestions } from "./matrix-login-settings.js";
import { matrixLoginStyles } from "./matrix-login.styles.js";

/** How long to wait for the next keystroke before asking a homeserver that is being typed. */
const TYPING_PAUSE_MS = 400;

/** A server name, a user ID or a URL that could be a homeserver's. */
const PLAUSIBLE =
  /^(@[^:\s]+:|https?:\/\/)?[\w.-]+\.\w{2,}(:\d+)?(\/\S*)?$|^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

let views = 0;

/** What `<matrix-login>` shows. */
export class MatrixLoginView {
  readonly #host: MatrixLoginHost;
  readonly #controller: LoginModel;
  readonly #form: LightForm;
  readonly #account: AccountForms;
  readonly #prefix = `matrix-login-${(views += 1)}-`;
  #typing: ReturnType<typeof setTimeout> | undefined;
  /** The homeserver that the user has typed. */
  #typed: string | undefined;

  constructor(host: MatrixLoginHost, controller: LoginModel) {
    this.#host = host;
    this.#controller = controller;
    this.#form = new LightForm(host);
    this.#account = new AccountForms(host, controller, this.#form, this.#id);
    OidcLoginElement.define();
  }

  render(): TemplateResult {
    addStyles(this.#host, matrixLoginStyles);
    const { state } = this.#controller;
    return html`<div part="form" class="form">
      <slot name="heading"></slot>
      ${state === "success" ? this.#renderSuccess() : this.#renderSignIn()} ${this.#renderStatus()}
    </div>`;
  }

  /** Shows the password's form where password managers look for it. */
  updated(): void {
    const { found, state } = this.#controller;
    if (!found?.methods.includes("password") || state === "success") return this.#form.remove();
    if (this.#account.shown) return this.#account.updated(found);
    const term = this.#host.localize.term.bind(this.#host.localize);
    const context = {
      id: this.#id,
      invalid: this.#controller.error?.code === "credentials_invalid",
    };
    const user = this.#host.userId ?? localpartOf(this.#host.homeserver) ?? "";
    const fields = html`${field(context, {
      name: "username",
      label: term("matrixUser"),
      autocomplete: "username",
      value: user,
      readonly: this.#host.userId !== undefined && this.#host.userId !== "",
    })}${field(context, {
      name: "password",
      label: term("matrixPassword"),
      type: "password",
      autocomplete: "current-password",
    })}`;
    // The password is given to nobody but the homeserver that it was typed for.
    this.#form.show(found.homeserverUrl, fields, nothing, () => this.#submit());
  }

  readonly #id = (name: string): string => this.#prefix + name;

  /** Forgets what was typed. */
  forget(): void {
    clearTimeout(this.#typing);
    this.#typed = undefined;
    this.#form.remove();
  }

  startOAuth(): Promise<void> | undefined {
    return this.#oidcLogin?.login();
  }

  show(action: "registration" | "reset"): void {
    this.#account.show(action);
  }

  /** The page has set another homeserver. */
  checkSoon(): void {
    clearTimeout(this.#typing);
    this.#typed = undefined;
    this.#typing = setTimeout(() => void this.#controller.check(), TYPING_PAUSE_MS);
  }

  get #oidcLogin(): OidcLoginElement | null | undefined {
    return this.#host.shadowRoot?.querySelector("oidc-login");
  }

  #renderSignIn(): TemplateResult {
    const { found } = this.#controller;
    if (found && this.#account.shown) return this.#account.render();
    return html`<slot name="homeserver">${this.#renderHomeserver()}</slot>
      <slot name="before"></slot>
      <div part="methods" class="methods">
        ${found?.methods.map(
          (method, i) =>
            html`${
              i > 0
                ? html`<div part="divider" class="divider">${this.#term("matrixOr")}</div>`
                : nothing
            }${this.#renderMethod(method)}`,
        )}
      </div>
      <slot name="after"></slot>`;
  }

  #renderHomeserver(): TemplateResult {
    const { homeserver, homeserverLocked } = this.#host;
    if (homeserverLocked) {
      return html`<div part="server-name" class="server-name"><bdi>${homeserver}</bdi></div>`;
    }
    const suggestions = readSuggestions(this.#host);
    return html`<div part="homeserver" class="field">
      <label for="homeserver">${this.#term("matrixHomeserver")}</label>
      <input
        id="homeserver"
        name="homeserver"
        list=${suggestions.length > 0 ? "suggestions" : nothing}
        .defaultValue=${homeserver ?? ""}
        inputmode="url"
        autocomplete="off"
        autocapitalize="none"
        autocorrect="off"
        spellcheck="false"
        dir="ltr"
        placeholder="example.org"
        ?disabled=${this.#host.disabled}
        @input=${this.#onInput}
        @change=${this.#onChange}
        @keydown=${this.#onKeydown}
      />
      ${
        suggestions.length > 0
          ? html`<datalist id="suggestions">
              ${suggestions.map((each) => html`<option value=${each}></option>`)}
            </datalist>`
          : nothing
      }
    </div>`;
  }

  #renderMethod(method: LoginAction): TemplateResult | typeof nothing {
    if (method === "oauth") return this.#renderOAuth();
    return method === "sso" ? this.#renderSso() : this.#renderPassword();
  }

  #renderOAuth(): TemplateResult {
    const { found } = this.#controller;
    const mayCreate =
      !this.#host.noRegistration &&
      !this.#host.prompt &&
      found?.metadata?.prompt_values_supported?.includes("create");
    return html`${this.#renderOidcLogin(this.#host.prompt)}
    ${mayCreate ? this.#renderOidcLogin("create") : nothing}`;
  }

  #renderOidcLogin(prompt: string | undefined): TemplateResult {
    const host = this.#host;
    const { found } = this.#controller;
    return html`<oidc-login
      class=${prompt === "create" ? "secondary" : nothing}
      exportparts="button:oidc-button, label:oidc-label, spinner:oidc-spinner, error:oidc-error, text:oidc-text, link:oidc-link"
      .target=${found?.metadata && { foundAt: Date.now(), ...found, metadata: found.metadata }}
      .homeserver=${found?.homeserver}
      .clientId=${host.clientId}
      .redirectUri=${host.redirectUri}
      .clientName=${host.clientName}
      .clientUri=${host.clientUri}
      .logoUri=${host.logoUri}
      .tosUri=${host.tosUri}
      .policyUri=${host.policyUri}
      .clientMetadata=${host.clientMetadata}
      .prompt=${prompt}
      .loginHint=${host.userId ? `mxid:${host.userId}` : undefined}
      .deviceId=${host.deviceId}
      .returnTo=${host.returnTo}
      .responseMode=${host.responseMode}
      .registration=${host.registration}
      .mode=${host.mode}
      .additionalScopes=${host.additionalScopes}
      .disabled=${host.disabled}
      @oidc-login-start=${this.#onOAuthStart}
      @oidc-redirect=${this.#onOAuthRedirect}
      @oidc-success=${this.#onOAuthSuccess}
      @oidc-cancel=${this.#onOAuthCancel}
      @oidc-error=${this.#onOAuthError}
    ></oidc-login>`;
  }

  #renderSso(): TemplateResult {
    const providers = this.#controller.flows?.identityProviders ?? [];
    if (providers.length === 0) return this.#renderProvider(this.#term("matrixSso"));
    return html`${providers.map(({ id, name, brand }) => {
      const label = this.#term("matrixContinueWith").replace("{provider}", name);
      return this.#renderProvider(label, id, brand);
    })}`;
  }

  #renderProvider(label: string, idpId?: string, brand?: string): TemplateResult {
    return html`<button
      part="provider"
      type="button"
      ?disabled=${this.#host.disabled}
      @click=${() => this.#controller.start("sso", idpId === undefined ? {} : { idpId })}
    >
      ${brand && /^[\w-]+$/.test(brand) ? html`<slot name="idp-icon-${brand}"></slot>` : nothing}
      <span>${label}</span>
    </button>`;
  }

  #renderPassword(): TemplateResult {
    const { found, state } = this.#controller;
    const busy = state === "submitting";
    const server = found?.homeserverUrl ? new URL(found.homeserverUrl).host : "";
    const label = this.#term("matrixSignInTo").replace("{server}", server);
    return html`<slot name="fields"></slot>
      <button
        part="submit"
        type="button"
        ?disabled=${this.#host.disabled}
        aria-disabled=${busy ? "true" : nothing}
        aria-busy=${busy ? "true" : nothing}
        @click=${() => this.#form.element?.requestSubmit()}
      >
        <span>${label}</span>${busy ? html`<span part="spinner"></span>` : nothing}
      </button>
      ${this.#account.renderLinks()}`;
  }

  #renderSuccess(): TemplateResult {
    return html`<slot name="success"><div part="notice">${this.#term("signedIn")}</div></slot>`;
  }

  #renderStatus(): TemplateResult {
    const { state, error } = this.#controller;
    const text = { checking: "matrixChecking", completing: "completing" } as const;
    const notice = text[state as keyof typeof text] as keyof typeof text | undefined;
    return html`<div role="status">
        ${
          notice
            ? html`<div part="notice" class="notice">
                <span part="spinner"></span> ${this.#term(notice as never)}
              </div>`
            : nothing
        }
      </div>
      <div id="error" class="error" part="error" role="alert" dir="auto" ?hidden=${!error}>
        ${
          error
            ? html`<slot name="error-${error.code}"
                ><slot name="error">${this.#term(codedErrorKey(error))}</slot></slot
              >`
            : nothing
        }
      </div>`;
  }

  #term(key: Parameters<MatrixLoginHost["localize"]["term"]>[0]): string {
    return this.#host.localize.term(key);
  }

  #submit(): void {
    const form = this.#form.element;
    if (!form || this.#controller.state === "submitting" || this.#host.disabled) return;
    const values = new FormData(form);
    const password = values.get("password");
    const user = valueOf(values, "username");
    if (typeof password !== "string" || !password || !user) return;
    const input = form.querySelector<HTMLInputElement>('[name="password"]');
    if (input) input.value = "";
    const isEmail = /^[^@\s]+@[^@\s]+$/.test(user);
    void this.#controller.submitPassword(
      isEmail
        ? { type: "m.id.thirdparty", medium: "email", address: user }
        : { type: "m.id.user", user },
      password,
    );
  }

  readonly #onInput = (event: Event): void => {
    clearTimeout(this.#typing);
    const { value } = event.target as HTMLInputElement;
    this.#typed = value.trim();
    // No request, and no error, for what is no name yet.
    if (!PLAUSIBLE.test(this.#typed)) return;
    this.#typing = setTimeout(() => this.#check(), TYPING_PAUSE_MS);
  };

  readonly #onChange = (): void => this.#check();

  readonly #onKeydown = ({ key }: KeyboardEvent): void => {
    if (key === "Enter") this.#check();
  };

  #check(): void {
    clearTimeout(this.#typing);
    const typed = this.#typed;
    if (typed === undefined || typed === this.#controller.found?.homeserver) return;
    this.#form.remove();
    void this.#controller.check(typed);
  }

  readonly #onOAuthStart = (event: Event): void => {
    if (!this.#controller.announceStart("oauth")) event.preventDefault();
  };

  readonly #onOAuthRedirect = (event: OidcRedirectEvent): void => {
    const { url } = event.detail;
    this.#controller.followOAuth(this.#host.mode === "popup" ? "waiting" : "redirecting");
    const redirect = new MatrixLoginRedirectEvent({ method: "oauth", url });
    if (!this.#host.dispatchEvent(redirect)) event.preventDefault();
  };

  readonly #onOAuthSuccess = (event: OidcSuccessEvent): void => {
    event.stopPropagation();
    // The session comes first.
    event.preventDefault();
    void this.#controller.keepPopup(event.detail);
  };

  readonly #onOAuthCancel = (event: OidcCancelEvent): void => {
    event.stopPropagation();
    this.#controller.cancel(event.detail.reason);
  };

  readonly #onOAuthError = (event: OidcErrorEvent): void => {
    event.stopPropagation();
    this.#controller.fail("oauth", event.detail.error);
  };
}
