import { html, type LitElement, nothing, type ReactiveController, type TemplateResult } from "lit";
import type { CodedError } from "../../errors/coded-error.js";
import { focusedElement } from "../../ui/focus.js";
import { hasFocus, isFocusLost } from "../../ui/focus-path.js";
import { type LoadedPart, lazyPart } from "../../ui/loading.js";
import { loadedTexts } from "../../texts/part-texts.js";
import { insert, shownName, verbatim, withWords } from "../../ui/format-text.js";
import { addStyles, initialStyles, renderInitial } from "../../ui/form/styles.js";
import type { MatrixLoginElement } from "./matrix-login.js";
import type { AccountForm, AccountOutcome } from "./account-form.js";
import { loadAccountForm, MatrixLoginController } from "./controller.js";
import type * as FirstScreenPart from "./first-screen.js";
import { renderHomeserver } from "./homeserver-view.js";
import { canCreateAtProvider, type FoundHomeserver, hasAccountForms } from "./lookup.js";
import { renderPassword, showPasswordFields } from "./password-view.js";
import type { ReturnedLogin } from "./returned-login.js";
import type { AccountAction, LoginMethod } from "./settings.js";
import type { LoginState } from "./state.js";
import { term, type TextKey } from "./texts.js";

/** The styles of the first screen are already applied. */
const STYLES = [initialStyles];

const LINKS = {
  registration: { part: "register", text: "createAccount" },
  reset: { part: "forgot", text: "passwordForgotten" },
} as const;

/**
 * The brands of identity providers that have an icon here. The specification defines these brands.
 */
const BRANDS = /^(apple|facebook|git(hub|lab)|google|twitter|x)$/;

const loadBrandIcons = /* @__PURE__ */ lazyPart(() => import("./brand-icons.js"));

const PROGRESS: Partial<Record<LoginState["name"], TextKey>> = {
  checking: "preparing",
  opening: "working",
  submitting: "completing",
  completing: "completing",
};

const firstEmpty = ({ elements }: HTMLFormElement): HTMLInputElement | undefined =>
  [...elements].find(
    (each): each is HTMLInputElement =>
      each instanceof HTMLInputElement && each.type !== "submit" && !each.readOnly && !each.value,
  );

/** Its texts are loaded with the form. */
function renderOutcome(
  { localize }: MatrixLoginElement,
  { text, reason }: AccountOutcome,
): TemplateResult {
  const isDone = text === "passwordChanged";
  return html`<div part="notice" class=${isDone ? "done" : nothing} role="status">
    ${withWords(loadedTexts.term(localize, text), reason)}
  </div>`;
}

export function create(
  host: MatrixLoginElement,
  login: ReturnedLogin | undefined,
  first: typeof FirstScreenPart,
  screen: FirstScreenPart.FirstScreen | undefined,
): LoadedPart<MatrixLoginController> {
  const controller = new MatrixLoginController(host, login, screen?.entered);
  screen?.continueIn((entered) => void controller.continueWith(entered));
  const view = new LoginView(controller, first);
  return { controller, render: () => view.render() };
}

/** The view of each state, and the focus after a change of state. */
class LoginView implements ReactiveController {
  readonly #host: MatrixLoginElement;
  readonly #controller: MatrixLoginController;
  readonly #first: typeof FirstScreenPart;
  #hadFocus = false;
  /** The content of the last render. */
  #last: {
    readonly state?: LoginState;
    readonly error?: CodedError | undefined;
    readonly account?: AccountForm | undefined;
    readonly refusal?: AccountForm["refusal"];
  } = {};

  constructor(controller: MatrixLoginController, first: typeof FirstScreenPart) {
    this.#first = first;
    this.#host = controller.host;
    this.#controller = controller;
    this.#host.addController(this);
  }

  render(): TemplateResult {
    const { state, place, asksForHomeserver } = this.#controller;
    const { found, form: account } = place;
    const success = state.name === "success";
    // After the return from a provider, the homeserver field isn't shown.
    const away = success || (state.name === "completing" && !found);
    const isAtField = !away && asksForHomeserver;
    const alert = this.#renderError("error");
    const { renderFrame, renderServerName, signInTitle } = this.#first;
    const homeserver = account
      ? renderServerName(this.#host, this.#controller.homeserver)
      : renderHomeserver(this.#controller, this.#first, isAtField ? alert : nothing);
    const title = account ? this.#term(account.heading) : signInTitle(this.#host);
    const methods = success
      ? html`<slot name="after-success"></slot>`
      : (account?.render() ?? this.#renderMethods());
    // All announcements are made in one place, independent of the content below.
    const content = html`<div role="status" tabindex="-1">${this.#renderNotice()}</div>
      ${isAtField ? nothing : alert} ${methods}`;
    const frame = renderFrame(
      this.#host,
      success ? undefined : title,
      away ? nothing : homeserver,
      content,
    );
    addStyles(this.#host, ...STYLES);
    return frame;
  }

  hostUpdate(): void {
    this.#hadFocus = this.#controller.state.name === "success" && hasFocus(this.#host);
  }

  hostUpdated(): void {
    const { form, state, place, error } = this.#controller;
    const { found, form: account } = place;
    const refusal = account?.refusal;
    const { isDisabled } = this.#host;
    const last = this.#last;
    this.#last = { state, error, account, refusal };
    if (!found?.methods.includes("password") || state.name === "success") form.remove();
    else if (account) {
      const fields = account.showFields();
      const isNew = account !== last.account;
      const next = isNew ? "input" : refusal !== last.refusal && "[aria-invalid=true]";
      if (next) fields.querySelector<HTMLElement>(next)?.focus();
    } else {
      const fields = showPasswordFields(this.#controller, found);
      const isWrong = error !== last.error && error?.code === "credentials_invalid";
      if (isWrong) fields.querySelector<HTMLElement>("[name=password]")?.focus();
      // The form that had the focus has been removed.
      if (last.account?.homeserverUrl === found.homeserverUrl) {
        this.#focus(`[part=${LINKS[last.account.action].part}]`);
      }
    }
    // The other controls are in a fieldset.
    for (const each of form.element?.elements ?? [])
      (each as HTMLInputElement).disabled = isDisabled;
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

  #renderMethod(method: LoginMethod, found: FoundHomeserver): TemplateResult | undefined {
    if (method === "oauth") return found.oauthView?.renderOAuth(this.#controller, found);
    if (method === "sso") return this.#renderSso(found);
    return renderPassword(this.#controller, found, this.#renderError("password-error"));
  }

  #renderLinks(found: FoundHomeserver): TemplateResult | typeof nothing {
    const { noRegistration, noReset } = this.#host;
    const { outcome } = this.#controller.place;
    const elsewhere = canCreateAtProvider(this.#host, found)
      ? found.oauthView?.renderRegistration(this.#controller, found)
      : undefined;
    if (!hasAccountForms(found)) {
      return elsewhere ? html`<div class="links">${elsewhere}</div>` : nothing;
    }
    return html`${outcome ? renderOutcome(this.#host, outcome) : nothing}
      <div class="links">
        ${noReset ? nothing : this.#renderLink("reset")}
        ${noRegistration ? nothing : this.#renderLink("registration")}
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
      aria-disabled=${isBusy ? "true" : nothing}
      aria-busy=${isOpening ? "true" : nothing}
      @pointerenter=${loadAccountForm}
      @focus=${loadAccountForm}
      @click=${() => this.#controller.start(action)}
    >
      <span>${this.#term(text)}${isOpening ? spinner : nothing}</span>
    </button>`;
  }

  #renderSso({ flows, methods }: FoundHomeserver): TemplateResult {
    const providers = flows.identityProviders;
    if (providers.length === 0) {
      return this.#renderProvider(this.#term("continueWithSso"), { isOnly: methods.length === 1 });
    }
    const isOnly = methods.length === 1 && providers.length === 1;
    return html`${providers.map(({ id, name: given, brand }) => {
      const name = shownName(given) ?? id;
      const text = insert(this.#term("continueWith"), "provider", verbatim(name));
      const icon = this.#renderIcon(name, brand);
      return this.#renderProvider(text, { idpId: id, icon, isOnly });
    })}`;
  }

  /**
   * The page's icon for the brand of an identity provider, otherwise the library's icon, otherwise
   * the initial of its name.
   */
  #renderIcon(name: string, brand = ""): TemplateResult {
    const initial = renderInitial(name);
    if (!/^[\w-]+$/.test(brand)) return initial;
    const icons = BRANDS.test(brand) && (loadBrandIcons.loaded ?? this.#loadBrandIcons());
    return html`<slot name="idp-icon-${brand}"
      >${icons ? icons.renderBrandIcon(brand) : initial}</slot
    >`;
  }

  /** If the icons can't be loaded, the initials stay. */
  #loadBrandIcons(): undefined {
    loadBrandIcons().then(
      () => this.#host.requestUpdate(),
      () => undefined,
    );
  }

  /**
   * While the button is busy, it does nothing, but keeps the focus.
   *
   * @param isOnly Whether it is the only sign-in method. Then it looks like the main button.
   */
  #renderProvider(
    text: string | TemplateResult,
    {
      idpId,
      icon,
      isOnly,
    }: { readonly idpId?: string; readonly icon?: TemplateResult; readonly isOnly: boolean },
  ): TemplateResult {
    return html`<button
      part="provider"
      class=${isOnly ? nothing : "secondary"}
      type="button"
      aria-disabled=${this.#controller.isBusy ? "true" : nothing}
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
      return html`<div part="notice">${this.#term("errorDenied")}</div>`;
    }
    const progress = PROGRESS[state.name];
    if (!progress) return nothing;
    const text = this.#term(progress);
    // A button shows the status, so this text is only for screen readers.
    const isAtButton = state.name === "checking" ? asksForHomeserver : state.name !== "completing";
    if (isAtButton) return html`<div class="visually-hidden">${text}</div>`;
    return html`<div part="notice" class="busy">
      <span part="spinner"></span><span>${text}</span>
    </div>`;
  }

  /** The error at its place. An error of the password form is shown in the form. */
  #renderError(id: "error" | "password-error"): TemplateResult {
    const { state, place, error, errors, method, asksForHomeserver } = this.#controller;
    const isOfPassword = !!place.found && method === "password" && !place.form;
    const retry = state.name === "error" && state.retry;
    // The button next to the homeserver already does this.
    const isAtButton = !method && asksForHomeserver;
    return errors.render(isOfPassword === (id === "password-error") ? error : undefined, {
      id,
      server: place.found ? undefined : place.server,
      homeserverUrl: place.found?.homeserverUrl,
      retry: retry && !isAtButton ? () => this.#tryAgain(retry) : undefined,
    });
  }

  /** The pressed button disappears, so the focus moves to the status message. */
  async #tryAgain(retry: () => Promise<unknown>): Promise<void> {
    void retry();
    await this.#host.updateComplete;
    this.#focus("[role=status]");
  }

  /**
   * Moves the focus to the first sign-in method, from the homeserver field or its button, which has
   * disappeared.
   */
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
