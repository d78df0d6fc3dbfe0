import { html, type LitElement, nothing, type ReactiveController, type TemplateResult } from "lit";
import { LoginError } from "../../../core/legacy/errors.js";
import {
  type CodedError,
  errorSentence,
  LEGACY_ERRORS,
  LOGIN_ERRORS,
  insertServer,
  lookUpContext,
  OAUTH_ERRORS,
  refusalContext,
  REQUEST_ERRORS,
} from "../../../sign-in/lazy/error-text.js";
import type { Texts } from "../../../texts/texts.js";
import { Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import { LightForm } from "../../../ui/lazy/form.js";
import { insert, withReason } from "../../../ui/lazy/format-text.js";
import {
  addStyles,
  adoptStyles,
  buttonStyles,
  doneStyles,
  errorBox,
  initialStyles,
  renderInitial,
  scrollIntoView,
  visuallyHidden,
} from "../../../ui/lazy/styles.js";
import { panelStyles } from "../../../ui/styles.js";
import type { AccountAction } from "./account-form.js";
import { AccountLinks } from "./account-links.js";
import { HomeserverField } from "./homeserver-field.js";
import type { LoginModel } from "./model.js";
import { OAuthLogin } from "./oauth.js";
import { PasswordForm } from "./password.js";
import type { LoginMethod, MatrixLoginHost, MatrixLoginState } from "./settings.js";
import { blankPageStyles, matrixLoginStyles } from "./styles.js";

const STYLES = [
  visuallyHidden,
  panelStyles,
  buttonStyles,
  doneStyles,
  errorBox,
  initialStyles,
  matrixLoginStyles,
];

/** An image that cannot be loaded leaves no gap. */
const onLogo = ({ type, currentTarget }: Event): void => {
  (currentTarget as HTMLElement).hidden = type === "error";
};

const firstEmpty = ({ elements }: HTMLFormElement): HTMLInputElement | undefined =>
  [...elements].find(
    (each): each is HTMLInputElement =>
      each instanceof HTMLInputElement && each.type !== "submit" && !each.readOnly && !each.value,
  );

const ERROR_TEXTS = { ...REQUEST_ERRORS, ...OAUTH_ERRORS, ...LOGIN_ERRORS, ...LEGACY_ERRORS };

const PROGRESS: Partial<Record<MatrixLoginState, keyof Texts>> = {
  checking: "preparing",
  submitting: "completing",
  completing: "completing",
};

export class MatrixLoginView implements ReactiveController {
  readonly #host: MatrixLoginHost;
  readonly #model: LoginModel;
  readonly #form: LightForm;
  readonly #countdown: Countdown;
  readonly homeserver: HomeserverField;
  readonly oauth: OAuthLogin;
  readonly #password: PasswordForm;
  readonly account: AccountLinks;
  #hadFocus = false;
  #lastError: CodedError | undefined;

  constructor(host: MatrixLoginHost, model: LoginModel) {
    this.#host = host;
    this.#model = model;
    this.#form = new LightForm(host);
    this.#countdown = new Countdown(host);
    this.homeserver = new HomeserverField(host, model);
    this.oauth = new OAuthLogin(host, model);
    this.#password = new PasswordForm(host, model, this.#form);
    this.account = new AccountLinks(host, model, this.#form);
    if (document.styleSheets.length === 0) adoptStyles(document, blankPageStyles);
    host.addController(this);
  }

  render(): TemplateResult {
    addStyles(this.#host, ...STYLES);
    const { found, state } = this.#model;
    const success = state === "success";
    const account = found && this.account.form;
    // After the return from a provider, the homeserver field isn't shown.
    const away = success || (state === "completing" && !found);
    const isAtField = !away && this.homeserver.hasButton;
    const alert = this.#renderAlert(this.#passwordError ? undefined : this.#shownError);
    const field = this.homeserver.render(isAtField ? alert : nothing);
    const homeserver = html`<slot name="homeserver">${field}</slot>`;
    const afterSuccess = html`<slot name="after-success"></slot>`;
    const { clientName, logoUri } = this.#host;
    const logo = html`<img part="logo" src=${logoUri} alt="" @load=${onLogo} @error=${onLogo} />`;
    const key = account?.heading ?? "signIn";
    const title =
      clientName && key === "signIn"
        ? insert(this.#term("signInToApplication"), "name", html`<bdi>${clientName}</bdi>`)
        : this.#term(key);
    // Announcements have one place, independent of the content below.
    return html`<div part="form" class="form panel">
      <slot name="logo">${logoUri ? logo : nothing}</slot>
      <slot name="heading">${success ? nothing : html`<h2 part="heading">${title}</h2>`}</slot>
      ${away ? nothing : account ? this.homeserver.renderName() : homeserver}
      <div role="status" tabindex="-1">${this.#renderNotice()}</div>
      ${isAtField ? nothing : alert} ${this.#renderRetry()}
      ${success ? afterSuccess : (account?.render() ?? this.#renderMethods())}
    </div>`;
  }

  hostUpdate(): void {
    this.#hadFocus = this.#model.state === "success" && this.#hasFocus;
  }

  hostUpdated(): void {
    const { found, state } = this.#model;
    if (!found?.methods.includes("password") || state === "success") this.#form.remove();
    else (this.account.form ?? this.#password).updated(found);
    this.account.updated();
    if (this.homeserver.takeDone()) void this.#focusMethod();
    if (this.#hadFocus && !this.#hasFocus) this.#focusStatus();
    this.#hadFocus = false;
    const error = this.#shownError;
    if (error && error !== this.#lastError) {
      scrollIntoView(this.#host.shadowRoot?.querySelector("#error"));
    }
    this.#lastError = error;
  }

  hostDisconnected(): void {
    this.#form.clearPasswords();
  }

  reset(): void {
    this.homeserver.reset();
    this.#password.reset();
    this.account.close();
    this.#form.remove();
  }

  /** Opens the provider if it creates accounts, otherwise shows the form. */
  async open(action: AccountAction | "oauth"): Promise<void> {
    const isElsewhere = action === "registration" && this.oauth.canCreate;
    const hasForm = action !== "oauth" && this.#model.found?.methods.includes("password");
    if (hasForm && !isElsewhere) return this.account.open(action);
    if (action !== "reset" && (await this.oauth.start(action === "registration"))) return;
    const message = "The homeserver does not support this action";
    this.#model.fail(action, new LoginError("login_not_supported", message));
  }

  #renderMethods(): TemplateResult {
    const { found } = this.#model;
    const registration = this.oauth.canCreate ? this.oauth.renderRegistration() : undefined;
    return html`<slot name="before"></slot>
      <div part="methods" class="methods">
        ${found?.methods.map((method, index) => {
          const divider = html`<div part="divider" class="divider">${this.#term("or")}</div>`;
          return html`${index > 0 ? divider : nothing}${this.#renderMethod(method)}`;
        })}
        ${found ? this.account.render(registration) : nothing}
      </div>
      <slot name="after"></slot>`;
  }

  #renderMethod(method: LoginMethod): TemplateResult {
    if (method === "oauth") return this.oauth.render();
    if (method === "sso") return this.#renderSso();
    return this.#password.render(this.#renderAlert(this.#passwordError));
  }

  #renderSso(): TemplateResult {
    const providers = this.#model.found?.flows.identityProviders ?? [];
    if (providers.length === 0) return this.#renderProvider(this.#term("continueWithSso"));
    return html`${providers.map(({ id, name, brand }) => {
      const text = this.#term("continueWith").replace("{provider}", () => name);
      const isSlotName = brand !== undefined && /^[\w-]+$/.test(brand);
      const initial = renderInitial(name);
      const icon = isSlotName ? html`<slot name="idp-icon-${brand}">${initial}</slot>` : initial;
      return this.#renderProvider(text, id, icon);
    })}`;
  }

  #renderProvider(text: string, idpId?: string, icon?: TemplateResult): TemplateResult {
    return html`<button
      part="provider"
      class="secondary"
      type="button"
      ?disabled=${this.#host.disabled || this.#model.isBusy}
      @click=${() => this.#model.start("sso", { idpId })}
    >
      ${icon ?? nothing}<span>${text}</span>
    </button>`;
  }

  #renderNotice(): TemplateResult | typeof nothing {
    const { state, notice } = this.#model;
    if (state === "success") {
      const done = html`<div part="notice" class="done">${this.#term("signedIn")}</div>`;
      return html`<slot name="success">${done}</slot>`;
    }
    if (notice) {
      return html`<div part="notice">${withReason(this.#term(notice.text), notice.reason)}</div>`;
    }
    const { opening } = this.account;
    const progress = opening ? "working" : PROGRESS[state];
    if (!progress) return nothing;
    const text = this.#term(progress);
    // A button shows it, so it is announced only to screen readers.
    const hasButton = state === "checking" && this.homeserver.hasButton;
    if (opening || state === "submitting" || hasButton)
      return html`<div class="visually-hidden">${text}</div>`;
    return html`<div part="notice" class="busy">
      <span part="spinner"></span><span>${text}</span>
    </div>`;
  }

  get #shownError(): CodedError | undefined {
    return this.#model.isShown ? undefined : this.#model.error;
  }

  get #passwordError(): CodedError | undefined {
    const { found, method } = this.#model;
    const isAsked = found && method === "password" && !this.account.form;
    return isAsked ? this.#shownError : undefined;
  }

  #renderAlert(error: CodedError | undefined): TemplateResult {
    return html`<div role="alert">${error ? this.#renderError(error) : nothing}</div>`;
  }

  #renderError(error: CodedError): TemplateResult {
    const { found, soughtServer } = this.#model;
    const { localize } = this.#host;
    const server = found ? undefined : soughtServer;
    const context = refusalContext(error) ?? lookUpContext(ERROR_TEXTS, server);
    const sentence = insertServer(errorSentence(localize, error.code, context), server);
    const text = renderSentence(this.#countdown, localize, error, sentence);
    return html`<div id="error" class="error" part="error" dir="auto">
      <slot name="error-${error.code}"><slot name="error">${text}</slot></slot>
    </div>`;
  }

  #renderRetry(): TemplateResult | typeof nothing {
    const { retry, method } = this.#model;
    // The button next to the homeserver does the same.
    if (!retry || (!method && this.homeserver.hasButton)) return nothing;
    return html`<button part="retry" type="button" @click=${() => void this.#retry(retry)}>
      ${this.#term("tryAgain")}
    </button>`;
  }

  /** The view after the user has chosen a homeserver. */
  async #focusMethod(): Promise<void> {
    const root = this.#host.shadowRoot;
    const { element } = this.#form;
    const [method] = this.#model.found?.methods ?? [];
    const next =
      method === "password" && element
        ? (firstEmpty(element) ?? root?.querySelector<HTMLElement>("[part=submit]"))
        : root?.querySelector<HTMLElement>("oidc-login, [part=provider]");
    // `<oidc-login>` has no button until it has rendered.
    await (next as Partial<LitElement> | undefined)?.updateComplete;
    next?.focus();
  }

  /** The pressed button disappears, so the focus moves to the status message. */
  async #retry(retry: () => Promise<void>): Promise<void> {
    void retry();
    await this.#host.updateComplete;
    this.#focusStatus();
  }

  /** Whether the focus is in the shadow tree or in the light DOM. */
  get #hasFocus(): boolean {
    const root = this.#host.getRootNode() as Document | ShadowRoot;
    return this.#host.contains(root.activeElement);
  }

  #focusStatus(): void {
    this.#host.shadowRoot?.querySelector<HTMLElement>("[role=status]")?.focus();
  }

  #term(key: keyof Texts): string {
    return this.#host.localize.term(key);
  }
}
