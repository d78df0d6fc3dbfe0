import { html, type LitElement, nothing, type TemplateResult } from "lit";
import { LoginModel, type Notice } from "./model.js";
import { LoginError } from "../../../core/legacy/errors.js";
import type { SsoRedirectOptions } from "../../../core/matrix/request.js";
import {
  completionTexts,
  fieldTexts,
  loginTexts,
  matrixLoginTexts,
  oauthTexts,
  requestTexts,
} from "../../../locales/en.js";
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
} from "../../../errors/lazy/error-text.js";
import { onThisPage } from "../../../sign-in/lazy/page.js";
import { addTexts, type Texts } from "../../../texts/texts.js";
import { hasFocus } from "../../../ui/focus.js";
import { lazyPart } from "../../../ui/lazy.js";
import { Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import { fieldStyles } from "../../../ui/lazy/field.js";
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
  visuallyHidden,
} from "../../../ui/lazy/styles.js";
import { panelStyles } from "../../../ui/styles.js";
import type { AccountForm } from "./account-form.js";
import { HomeserverField } from "./homeserver-field.js";
import { OAuthLogin } from "./oauth.js";
import { PasswordForm } from "./password.js";
import type {
  AccountAction,
  LoginAction,
  LoginMethod,
  MatrixLoginHost,
  MatrixLoginState,
} from "./settings.js";
import { blankPageStyles, matrixLoginStyles } from "./styles.js";

addTexts({
  $code: "en",
  ...fieldTexts,
  ...requestTexts,
  ...oauthTexts,
  ...loginTexts,
  ...completionTexts,
  ...matrixLoginTexts,
});

const loadForm = /* @__PURE__ */ lazyPart(() => import("./account-form.js"));

const STYLES = [
  visuallyHidden,
  panelStyles,
  buttonStyles,
  doneStyles,
  errorBox,
  fieldStyles,
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

const LINKS = {
  registration: { part: "register", text: "createAccount" },
  reset: { part: "forgot", text: "passwordForgotten" },
} as const;

const PROGRESS: Partial<Record<MatrixLoginState, keyof Texts>> = {
  checking: "preparing",
  submitting: "completing",
  completing: "completing",
};

export class MatrixLoginController extends LoginModel {
  readonly #form: LightForm;
  readonly #countdown: Countdown;
  readonly #homeserver: HomeserverField;
  readonly #oauth: OAuthLogin;
  readonly #password: PasswordForm;
  #accountForm: AccountForm | undefined;
  /** The notice of the form that was closed. */
  #formNotice: Notice | undefined;
  /** The link that gets the focus, because the form that had it is gone. */
  #focusNext: string | undefined;
  #hadFocus = false;

  constructor(host: MatrixLoginHost) {
    super(host);
    this.#form = new LightForm(host);
    this.#countdown = new Countdown(host);
    this.#homeserver = new HomeserverField(this);
    this.#oauth = new OAuthLogin(this);
    this.#password = new PasswordForm(this, this.#form);
    if (document.styleSheets.length === 0) adoptStyles(document, blankPageStyles);
    // If the user continues to type in the current form, another one must not replace it.
    host.addEventListener("input", () => this.stopOpening());
  }

  render(): TemplateResult {
    addStyles(this.host, ...STYLES);
    const { found, state } = this;
    const success = state === "success";
    const account = this.#account;
    // After the return from a provider, the homeserver field isn't shown.
    const away = success || (state === "completing" && !found);
    const isAtField = !away && this.#homeserver.hasButton;
    const alert = this.#renderAlert(this.#passwordError ? undefined : this.#shownError);
    const field = this.#homeserver.render(isAtField ? alert : nothing);
    const homeserver = html`<slot name="homeserver">${field}</slot>`;
    const afterSuccess = html`<slot name="after-success"></slot>`;
    const { clientName } = this.host;
    const logoUri = this.host.logoUri ? onThisPage(this.host.logoUri)?.href : undefined;
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
      ${away ? nothing : account ? this.#homeserver.renderName() : homeserver}
      <div role="status" tabindex="-1">${this.#renderNotice()}</div>
      ${isAtField ? nothing : alert} ${this.#renderRetry()}
      ${success ? afterSuccess : (account?.render() ?? this.#renderMethods())}
    </div>`;
  }

  hostUpdate(): void {
    const { found } = this;
    // What belongs to the form's homeserver ends with it.
    if (found && this.#accountForm?.homeserverUrl !== found.homeserverUrl) {
      this.#accountForm = undefined;
    }
    this.#hadFocus = this.state === "success" && hasFocus(this.host);
  }

  hostUpdated(): void {
    const { found, state } = this;
    if (!found || !this.#hasPassword || state === "success") this.#form.remove();
    else if (this.#accountForm) this.#accountForm.updated();
    else this.#password.updated(found);
    if (this.#focusNext) this.#focus(`[part=${this.#focusNext}]`);
    this.#focusNext = undefined;
    if (this.#homeserver.takeDone()) void this.#focusMethod();
    if (this.#hadFocus && !hasFocus(this.host)) this.#focus("[role=status]");
    this.#hadFocus = false;
  }

  override cancel(...reason: Parameters<LoginModel["cancel"]>): void {
    super.cancel(...reason);
    this.#form.clearSecrets();
  }

  /** Opens the provider or the single sign-on, or shows a form. */
  async start(
    method: Exclude<LoginAction, "password">,
    options: SsoRedirectOptions = {},
  ): Promise<void> {
    if (this.isBusy) return;
    const start = this.starts.begin();
    if (!this.found) await this.check();
    if (!this.found || start.isOver()) return;
    if (method === "sso") return this.startSso(this.found, options);
    const creates = method === "registration";
    const isElsewhere = creates && this.#oauth.canCreate;
    if (method !== "oauth" && this.#hasPassword && !isElsewhere) return this.#open(method);
    if (method !== "reset" && (await this.#oauth.start(creates))) return;
    const message = "The homeserver does not support this action";
    this.fail(new LoginError("login_not_supported", message), { method });
  }

  reset(): void {
    this.method = undefined;
    this.#homeserver.reset();
    this.#password.reset();
    this.#close();
    this.#form.remove();
    void this.check();
  }

  settingsChanged(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has("homeserver") && !changed.has("methods")) return;
    this.#homeserver.reset();
    // The page might set it letter by letter.
    this.checkSoon(() => void this.check());
  }

  get #hasPassword(): boolean {
    return !!this.found?.methods.includes("password");
  }

  get #account(): AccountForm | undefined {
    return this.#hasPassword ? this.#accountForm : undefined;
  }

  async #open(action: AccountAction): Promise<void> {
    this.dismissError();
    this.#formNotice = undefined;
    this.opening = action;
    this.host.requestUpdate();
    try {
      const { AccountForm } = await loadForm();
      // The user has done something else since then.
      const { found } = this;
      if (action !== this.opening || this.state !== "ready" || !found) return;
      const form: AccountForm = new AccountForm(this, this.#form, action, found, (notice) => {
        const isOther = this.#accountForm !== undefined && this.#accountForm !== form;
        const isHere = this.found?.homeserverUrl === found.homeserverUrl;
        if (isHere && !isOther) this.#close(notice);
      });
      this.#accountForm = form;
    } catch (error) {
      if (action === this.opening) this.fail(error, { method: action });
    } finally {
      if (action === this.opening) this.opening = undefined;
      this.host.requestUpdate();
    }
  }

  #close(notice?: Notice): void {
    this.#focusNext = this.#accountForm && LINKS[this.#accountForm.action].part;
    this.#formNotice = notice;
    this.opening = this.#accountForm = undefined;
    this.dismissError();
    this.host.requestUpdate();
  }

  #renderMethods(): TemplateResult {
    const { found } = this;
    return html`<slot name="before"></slot>
      <div part="methods" class="methods">
        ${found?.methods.map((method, index) => {
          const divider = html`<div part="divider" class="divider">${this.#term("or")}</div>`;
          return html`${index > 0 ? divider : nothing}${this.#renderMethod(method)}`;
        })}
        ${found ? this.#renderLinks() : nothing}
      </div>
      <slot name="after"></slot>`;
  }

  #renderLinks(): TemplateResult | typeof nothing {
    const { noRegistration, noReset } = this.host;
    const elsewhere = this.#oauth.canCreate ? this.#oauth.renderRegistration() : undefined;
    if (!this.#hasPassword)
      return elsewhere ? html`<div class="links">${elsewhere}</div>` : nothing;
    return html`${this.#formNotice ? this.#renderFormNotice(this.#formNotice) : nothing}
      <div class="links">
        ${noReset ? nothing : this.#renderLink("reset")}
        ${elsewhere ?? (noRegistration ? nothing : this.#renderLink("registration"))}
      </div>`;
  }

  #renderFormNotice({ text, reason }: Notice): TemplateResult {
    const isDone = text === "passwordChanged";
    return html`<div part="notice" class=${isDone ? "done" : nothing} role="status">
      ${withReason(this.#term(text), reason)}
    </div>`;
  }

  #renderLink(action: AccountAction): TemplateResult {
    const { part, text } = LINKS[action];
    const isOpening = action === this.opening;
    const spinner = html`<span part="spinner"></span>`;
    return html`<button
      part=${part}
      class="link"
      type="button"
      ?disabled=${this.host.disabled || this.isBusy}
      aria-busy=${isOpening ? "true" : nothing}
      @pointerenter=${loadForm}
      @focus=${loadForm}
      @click=${() => this.start(action)}
    >
      <span>${this.#term(text)}${isOpening ? spinner : nothing}</span>
    </button>`;
  }

  #renderMethod(method: LoginMethod): TemplateResult {
    if (method === "oauth") return this.#oauth.render();
    if (method === "sso") return this.#renderSso();
    return this.#password.render(this.#renderAlert(this.#passwordError));
  }

  #renderSso(): TemplateResult {
    const providers = this.found?.flows.identityProviders ?? [];
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
      ?disabled=${this.host.disabled || this.isBusy}
      @click=${() => this.start("sso", { idpId })}
    >
      ${icon ?? nothing}<span>${text}</span>
    </button>`;
  }

  #renderNotice(): TemplateResult | typeof nothing {
    const { state, notice } = this;
    if (state === "success") {
      const done = html`<div part="notice" class="done">${this.#term("signedIn")}</div>`;
      return html`<slot name="success">${done}</slot>`;
    }
    if (notice) {
      return html`<div part="notice">${withReason(this.#term(notice.text), notice.reason)}</div>`;
    }
    const progress = this.opening ? "working" : PROGRESS[state];
    if (!progress) return nothing;
    const text = this.#term(progress);
    // A button shows it, so it is announced only to screen readers.
    const hasButton = state === "checking" && this.#homeserver.hasButton;
    if (this.opening || state === "submitting" || hasButton)
      return html`<div class="visually-hidden">${text}</div>`;
    return html`<div part="notice" class="busy">
      <span part="spinner"></span><span>${text}</span>
    </div>`;
  }

  get #shownError(): CodedError | undefined {
    return this.isShown ? undefined : this.error;
  }

  get #passwordError(): CodedError | undefined {
    const { found, method } = this;
    const isAsked = found && method === "password" && !this.#account;
    return isAsked ? this.#shownError : undefined;
  }

  #renderAlert(error: CodedError | undefined): TemplateResult {
    return html`<div role="alert">${error ? this.#renderError(error) : nothing}</div>`;
  }

  #renderError(error: CodedError): TemplateResult {
    const { found, soughtServer } = this;
    const { localize } = this.host;
    const server = found ? undefined : soughtServer;
    const context = refusalContext(error) ?? lookUpContext(ERROR_TEXTS, server);
    const sentence = insertServer(errorSentence(localize, error.code, context), server);
    const text = renderSentence(this.#countdown, localize, error, sentence);
    return html`<div id="error" class="error" part="error" dir="auto">
      <slot name="error-${error.code}"><slot name="error">${text}</slot></slot>
    </div>`;
  }

  #renderRetry(): TemplateResult | typeof nothing {
    const { retry, method } = this;
    // The button next to the homeserver does the same.
    if (!retry || (!method && this.#homeserver.hasButton)) return nothing;
    return html`<button part="retry" type="button" @click=${() => void this.#tryAgain(retry)}>
      ${this.#term("tryAgain")}
    </button>`;
  }

  /** The view after the user has chosen a homeserver. */
  async #focusMethod(): Promise<void> {
    const root = this.host.shadowRoot;
    const { element } = this.#form;
    const [method] = this.found?.methods ?? [];
    const next =
      method === "password" && element
        ? (firstEmpty(element) ?? root?.querySelector<HTMLElement>("[part=submit]"))
        : root?.querySelector<HTMLElement>("oidc-login, [part=provider]");
    // `<oidc-login>` has no button until it has rendered.
    await (next as Partial<LitElement> | undefined)?.updateComplete;
    next?.focus();
  }

  /** The pressed button disappears, so the focus moves to the status message. */
  async #tryAgain(retry: () => Promise<void>): Promise<void> {
    void retry();
    await this.host.updateComplete;
    this.#focus("[role=status]");
  }

  #focus(selector: string): void {
    this.host.shadowRoot?.querySelector<HTMLElement>(selector)?.focus();
  }

  #term(key: keyof Texts): string {
    return this.host.localize.term(key);
  }
}
