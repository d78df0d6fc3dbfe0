import { html, type LitElement, nothing, type ReactiveController, type TemplateResult } from "lit";
import type { CodedError } from "../../../errors/lazy/error-text.js";
import { onThisPage } from "../../../sign-in/lazy/page.js";
import { focusedElement } from "../../../ui/focus.js";
import { hasFocus, isFocusLost } from "../../../ui/lazy/focus-path.js";
import type { LoadedPart } from "../../../ui/lazy.js";
import { fieldStyles } from "../../../ui/lazy/field.js";
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
import type { MatrixLoginElement } from "../matrix-login.js";
import type { AccountForm } from "./account-form.js";
import { loadAccountPart, loadedAccountPart, MatrixLoginController } from "./controller.js";
import { renderHomeserver, renderServerName } from "./homeserver-view.js";
import { canCreateAtProvider, type FoundHomeserver } from "./lookup.js";
import { renderOAuth, renderRegistration } from "./oauth-view.js";
import { renderPassword, showPasswordFields } from "./password-view.js";
import type { AccountAction, LoginMethod } from "./settings.js";
import type { LoginState } from "./state.js";
import { blankPageStyles, matrixLoginStyles } from "./styles.js";
import { term, type TextKey } from "./texts.js";

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

const LINKS = {
  registration: { part: "register", text: "createAccount" },
  reset: { part: "forgot", text: "passwordForgotten" },
} as const;

const PROGRESS: Partial<Record<LoginState["name"], TextKey>> = {
  checking: "preparing",
  opening: "working",
  submitting: "completing",
  completing: "completing",
};

/** An image that cannot be loaded leaves no gap. */
const onLogo = ({ type, currentTarget }: Event): void => {
  (currentTarget as HTMLElement).hidden = type === "error";
};

const firstEmpty = ({ elements }: HTMLFormElement): HTMLInputElement | undefined =>
  [...elements].find(
    (each): each is HTMLInputElement =>
      each instanceof HTMLInputElement && each.type !== "submit" && !each.readOnly && !each.value,
  );

export function createMatrixLogin(host: MatrixLoginElement): LoadedPart<MatrixLoginController> {
  const controller = new MatrixLoginController(host);
  const view = new MatrixLoginView(controller);
  return { controller, render: () => view.render() };
}

/** What a state looks like, and where the focus goes when it changes. */
class MatrixLoginView implements ReactiveController {
  readonly #host: MatrixLoginElement;
  readonly #controller: MatrixLoginController;
  #hadFocus = false;
  /** What the last render has shown. */
  #last: {
    readonly state?: LoginState;
    readonly error?: CodedError | undefined;
    readonly account?: AccountForm | undefined;
    readonly refusal?: AccountForm["refusal"];
  } = {};

  constructor(controller: MatrixLoginController) {
    this.#host = controller.host;
    this.#controller = controller;
    this.#host.addController(this);
    if (document.styleSheets.length === 0) adoptStyles(document, blankPageStyles);
  }

  render(): TemplateResult {
    addStyles(this.#host, ...STYLES);
    const { state, place, asksForHomeserver } = this.#controller;
    const { found, form: account } = place;
    const success = state.name === "success";
    // After the return from a provider, the homeserver field isn't shown.
    const away = success || (state.name === "completing" && !found);
    const isAtField = !away && asksForHomeserver;
    const alert = this.#renderError("error");
    const field = renderHomeserver(this.#controller, isAtField ? alert : nothing);
    const homeserver = html`<slot name="homeserver">${field}</slot>`;
    const form = account && loadedAccountPart()?.renderAccountForm(this.#controller, account);
    const afterSuccess = html`<slot name="after-success"></slot>`;
    const { clientName } = this.#host;
    const logoUri = this.#host.logoUri ? onThisPage(this.#host.logoUri)?.href : undefined;
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
      ${away ? nothing : account ? renderServerName(this.#controller) : homeserver}
      <div role="status" tabindex="-1">${this.#renderNotice()}</div>
      ${isAtField ? nothing : alert} ${success ? afterSuccess : (form ?? this.#renderMethods())}
    </div>`;
  }

  hostUpdate(): void {
    this.#hadFocus = this.#controller.state.name === "success" && hasFocus(this.#host);
  }

  hostUpdated(): void {
    const { form, state, place, error } = this.#controller;
    const { found, form: account } = place;
    const refusal = account?.refusal;
    const last = this.#last;
    this.#last = { state, error, account, refusal };
    if (!found?.methods.includes("password") || state.name === "success") form.remove();
    else if (account) {
      const fields = loadedAccountPart()?.showAccountFields(this.#controller, account);
      const isNew = account !== last.account;
      const next = isNew ? "input" : refusal !== last.refusal && "[aria-invalid=true]";
      if (next) fields?.querySelector<HTMLElement>(next)?.focus();
    } else {
      const fields = showPasswordFields(this.#controller, found);
      const isWrong = error !== last.error && error?.code === "credentials_invalid";
      if (isWrong) fields.querySelector<HTMLElement>("[name=password]")?.focus();
      // The form that had the focus is gone.
      if (last.account?.homeserverUrl === found.homeserverUrl) {
        this.#focus(`[part=${LINKS[last.account.action].part}]`);
      }
    }
    if (error !== last.error) scrollIntoView(this.#host.shadowRoot?.querySelector("[part=error]"));
    if (state !== last.state && state.name === "ready" && state.movesFocus) void this.#moveFocus();
    if (this.#hadFocus && !hasFocus(this.#host)) this.#focus("[role=status]");
    this.#hadFocus = false;
  }

  #renderMethods(): TemplateResult {
    const { found } = this.#controller.place;
    return html`<slot name="before"></slot>
      <div part="methods" class="methods">
        ${found?.methods.map((method, index) => {
          const divider = html`<div part="divider" class="divider">${this.#term("or")}</div>`;
          return html`${index > 0 ? divider : nothing}${this.#renderMethod(method, found)}`;
        })}
        ${found ? this.#renderLinks(found) : nothing}
      </div>
      <slot name="after"></slot>`;
  }

  #renderMethod(method: LoginMethod, found: FoundHomeserver): TemplateResult {
    if (method === "oauth") return renderOAuth(this.#controller, found);
    if (method === "sso") return this.#renderSso(found);
    return renderPassword(this.#controller, found, this.#renderError("password-error"));
  }

  #renderLinks(found: FoundHomeserver): TemplateResult | typeof nothing {
    const { noRegistration, noReset } = this.#host;
    const { outcome } = this.#controller.place;
    const elsewhere = canCreateAtProvider(this.#host, found)
      ? renderRegistration(this.#controller, found)
      : undefined;
    if (!found.methods.includes("password")) {
      return elsewhere ? html`<div class="links">${elsewhere}</div>` : nothing;
    }
    return html`${outcome ? loadedAccountPart()?.renderOutcome(this.#host, outcome) : nothing}
      <div class="links">
        ${noReset ? nothing : this.#renderLink("reset")}
        ${elsewhere ?? (noRegistration ? nothing : this.#renderLink("registration"))}
      </div>`;
  }

  #renderLink(action: AccountAction): TemplateResult {
    const { part, text } = LINKS[action];
    const { isBusy, state } = this.#controller;
    const isOpening = state.name === "opening" && state.action === action;
    const spinner = html`<span part="spinner"></span>`;
    return html`<button
      part=${part}
      class="link"
      type="button"
      ?disabled=${this.#host.disabled || isBusy}
      aria-busy=${isOpening ? "true" : nothing}
      @pointerenter=${loadAccountPart}
      @focus=${loadAccountPart}
      @click=${() => this.#controller.start(action)}
    >
      <span>${this.#term(text)}${isOpening ? spinner : nothing}</span>
    </button>`;
  }

  #renderSso({ flows }: FoundHomeserver): TemplateResult {
    const providers = flows.identityProviders;
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
      ?disabled=${this.#host.disabled || this.#controller.isBusy}
      @click=${() => this.#controller.start("sso", { idpId })}
    >
      ${icon ?? nothing}<span>${text}</span>
    </button>`;
  }

  #renderNotice(): TemplateResult | typeof nothing {
    const { state, asksForHomeserver } = this.#controller;
    if (state.name === "success") {
      const done = html`<div part="notice" class="done">${this.#term("signedIn")}</div>`;
      return html`<slot name="success">${done}</slot>`;
    }
    if ("declined" in state && state.declined) {
      const text = withReason(this.#term("errorDenied"), state.declined.reason);
      return html`<div part="notice">${text}</div>`;
    }
    const progress = PROGRESS[state.name];
    if (!progress) return nothing;
    const text = this.#term(progress);
    // A button shows it, so it is announced only to screen readers.
    const isAtButton = state.name === "checking" ? asksForHomeserver : state.name !== "completing";
    if (isAtButton) return html`<div class="visually-hidden">${text}</div>`;
    return html`<div part="notice" class="busy">
      <span part="spinner"></span><span>${text}</span>
    </div>`;
  }

  /** The error, at its place: in the password form if it belongs to that. */
  #renderError(id: "error" | "password-error"): TemplateResult {
    const { state, place, error, errors, method, asksForHomeserver } = this.#controller;
    const isOfPassword = !!place.found && method === "password" && !place.form;
    const retry = state.name === "error" && state.retry;
    // The button next to the homeserver does the same.
    const isAtButton = !method && asksForHomeserver;
    return errors.render(isOfPassword === (id === "password-error") ? error : undefined, {
      id,
      server: place.found ? undefined : place.server,
      retry: retry && !isAtButton ? () => this.#tryAgain(retry) : undefined,
    });
  }

  /** The pressed button disappears, so the focus moves to the status message. */
  async #tryAgain(retry: () => Promise<void>): Promise<void> {
    void retry();
    await this.#host.updateComplete;
    this.#focus("[role=status]");
  }

  /** From the homeserver field, or its button, which has disappeared, to the first sign-in method. */
  async #moveFocus(): Promise<void> {
    const { form, place } = this.#controller;
    const root = this.#host.shadowRoot;
    const focused = focusedElement(this.#host);
    if (!isFocusLost() && focused !== this.#host && focused?.id !== "homeserver") return;
    const next =
      place.found?.methods[0] === "password" && form.element
        ? (firstEmpty(form.element) ?? root?.querySelector<HTMLElement>("[part=submit]"))
        : root?.querySelector<HTMLElement>("oidc-login, [part=provider]");
    // `<oidc-login>` has no button until it has rendered.
    await (next as Partial<LitElement> | undefined)?.updateComplete;
    next?.focus();
  }

  #focus(selector: string): void {
    this.#host.shadowRoot?.querySelector<HTMLElement>(selector)?.focus();
  }

  #term(key: TextKey): string {
    return term(this.#host, key);
  }
}
