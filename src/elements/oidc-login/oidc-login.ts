import {
  css,
  type CSSResultGroup,
  html,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from "lit";
import type {
  AuthorizationCodeGrantResult,
  HomeserverClient,
  OidcFlowError,
  OidcSession,
} from "../../core/index.js";
import { OidcCancelEvent, OidcErrorEvent } from "../../events/oidc.js";
import type { ChooseSession } from "../../sign-in/lazy/session-settings.js";
import { LoginElement } from "../../sign-in/login-element.js";
import { renderLabel, watchLabel } from "../../ui/element.js";
import {
  LazyController,
  lazyPart,
  type Load,
  PreloadController,
  renderLoadError,
} from "../../ui/lazy.js";
import { sharedStyles } from "../../ui/styles.js";
import { Turn, whenRemoved } from "../../ui/turn.js";
import type * as LoginPart from "./lazy/controller.js";
import type { LoginTarget, OidcLoginState } from "./lazy/settings.js";

export const loadLogin: Load<typeof LoginPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/controller.js"),
);

const HOMESERVER_PAUSE_MS = 400;

/**
 * A button that signs a user in to a Matrix homeserver at its OAuth 2.0 provider. It finds out
 * where to go as soon as it is visible, and goes there on a click.
 *
 * @summary Sign in to a Matrix homeserver.
 * @tag oidc-login
 * @experimental
 *
 * @slot - The button's label. Default: "Sign in", or "Create account" with `prompt="create"`.
 * @slot icon - An icon before the label.
 * @slot error - Replaces the text of every error.
 * @slot error-(code) - Replaces the text of the error with this code, such as `error-oidc_not_supported`.
 *
 * @fires {OidcLoginStartEvent} oidc-login-start - Before a login starts. Cancelable: stops the login.
 * @fires {OidcRedirectEvent} oidc-redirect - Before the page goes to the provider. Cancelable: the page navigates itself.
 * @fires {OidcSuccessEvent} oidc-success - With `mode="popup"`: the user has signed in. Cancelable: stays on this page.
 * @fires {OidcCancelEvent} oidc-cancel - The login was cancelled; with `mode="popup"` also by a refusal, or by closing the popup.
 * @fires {OidcErrorEvent} oidc-error - The login failed. Cancelable: the page shows the error itself.
 * @fires {Event} statechange - `state` has changed.
 *
 * @csspart button - The button.
 * @csspart label - The button's label.
 * @csspart spinner - The spinner while the button is busy.
 * @csspart error - The error's text.
 * @csspart text - The text about the popup.
 * @csspart link - The link to use if the popup was blocked.
 * @csspart cancel - The button that cancels a login in a popup.
 *
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The button's background.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The button's text.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The error's text.
 * @cssprop [--oidc-border-radius=0.5em] - The button's corners.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the button.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the button's text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of the focused element.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 *
 * @cssstate idle - Discovery has not started yet.
 * @cssstate preparing - Discovery is in progress.
 * @cssstate ready - A click leaves the page at once, or after the registration.
 * @cssstate unsupported - There is no OAuth 2.0 at the homeserver; a click says so.
 * @cssstate redirecting - The page is being left.
 * @cssstate waiting - The user is signing in in the popup.
 * @cssstate error - Something failed; a click tries again.
 */
export class OidcLoginElement extends LoginElement {
  static override readonly tag: string = "oidc-login";
  /** @ignore */
  static override shadowRootOptions: ShadowRootInit = {
    ...LoginElement.shadowRootOptions,
    delegatesFocus: true,
  };

  static override get properties(): PropertyDeclarations {
    return {
      ...super.properties,
      issuer: {},
      loginHint: {},
      identityServer: {},
    };
  }

  static override get styles(): CSSResultGroup {
    return [sharedStyles, oidcLoginStyles];
  }

  /** The issuer, if known; discovery by the homeserver is then skipped. */
  declare issuer: string | undefined;
  /** Who is probably signing in. Default: the user, if `homeserver` is a user ID. */
  declare loginHint: string | undefined;
  /** The identity server to return with the tokens. Default: the one that the homeserver names. */
  declare identityServer: string | undefined;

  /** What an element around this one has found out already. @internal */
  declare target: LoginTarget | undefined;
  /** How an element around this one keeps sessions. @internal */
  declare chooseSession: ChooseSession | undefined;
  /** What an element around this one sets. @internal */
  set settings(settings: Partial<OidcLoginElement>) {
    Object.assign(this, settings);
  }

  readonly #login = new LazyController(
    this,
    loadLogin,
    ({ LoginController }) => new LoginController(this),
    OidcErrorEvent,
  );
  #click: Turn | undefined;
  readonly #preload = new PreloadController(this, () => {
    if (this.state !== "idle") return;
    // The user has not asked for it yet, so a failure is not reported.
    void loadLogin().then(
      async () => (await this.#login.load())?.prepareEarly(),
      () => undefined,
    );
  });

  constructor() {
    super();
    watchLabel(this);
  }

  /** The state of the login. */
  get state(): OidcLoginState {
    if (this.#login.error) return "error";
    return this.#login.value?.state ?? (this.#login.loading ? "preparing" : "idle");
  }

  /** What failed, while `state` is `error`. */
  get error(): OidcFlowError | undefined {
    return this.#login.error ?? this.#login.value?.error;
  }

  /** After a login with `mode="popup"`: the tokens and everything that belongs to them. */
  get result(): AuthorizationCodeGrantResult | undefined {
    return this.#login.value?.success?.result;
  }

  /**
   * After a login with `mode="popup"`: a client of the homeserver with the new token; undefined if the
   * login was for an `issuer` without a `homeserver`.
   */
  get client(): HomeserverClient | undefined {
    return this.#login.value?.success?.client;
  }

  /** After a login with `mode="popup"` and `persist`: the stored session. */
  get session(): OidcSession | undefined {
    return this.#login.value?.success?.session;
  }

  /**
   * Finds out where to sign in, without asking the user anything or registering anywhere. The element does so itself
   * when it is visible or approached, and then shows no error before a click. Resolves when `state` is `ready`,
   * `unsupported` or `error`.
   */
  async prepare(): Promise<void> {
    this.applyProperties();
    await (await this.#login.load())?.prepare();
  }

  /**
   * Does what a click does. Resolves when the page is about to be left, when `state` is `waiting` (with
   * `mode="popup"`) or `error`, and at once if the element is `disabled`.
   */
  async login(): Promise<void> {
    if (this.disabled) return;
    this.#click?.abort();
    const click = (this.#click = new Turn());
    const controller = this.#login.value ?? (await this.#login.load());
    if (click.isOver()) return;
    this.#click = undefined;
    this.requestUpdate();
    await controller?.login();
  }

  /** Cancels the login in progress. */
  cancel(): void {
    if (this.#login.value) this.#login.value.cancel();
    else if (this.#login.loading) {
      this.#reset();
      this.dispatchEvent(new OidcCancelEvent({ reason: "cancelled" }));
    }
  }

  override render(): TemplateResult {
    const busy = this.#click ?? this.#login.value?.busy;
    const whileBusy = busy ? "true" : nothing;
    // These texts are named after the states; until they are loaded they are empty.
    const status = busy ? this.localize.term(this.state as "preparing" | "redirecting") : nothing;
    return html`<button
        part="button"
        type="button"
        ?disabled=${this.disabled}
        aria-disabled=${whileBusy}
        aria-busy=${whileBusy}
        aria-describedby=${this.error ? "error" : nothing}
        @click=${() => this.login()}
      >
        <slot name="icon"></slot
        ><span part="label"
          >${renderLabel(
            this,
            this.localize.term(this.prompt === "create" ? "createAccount" : "signIn"),
          )}${busy ? html`<span part="spinner"></span>` : nothing}</span
        >
      </button>
      <div class="visually-hidden" role="status">${status}</div>
      ${this.#login.error ? renderLoadError(this.localize) : this.#login.value?.render()}`;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!this.hasUpdated || changed.size === 0) return;
    // The user may still be typing the homeserver.
    if (this.#login.value?.settingsChanged(changed) ?? true)
      this.#preload.runAfter(HOMESERVER_PAUSE_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // To be moved must not close a popup.
    if (this.mode === "popup") whenRemoved(this, () => this.#reset());
    else this.#reset();
  }

  #reset(): void {
    this.#click?.abort();
    this.#click = undefined;
    this.#login.cancel();
    this.#login.value?.reset();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "oidc-login": OidcLoginElement;
  }
}

const oidcLoginStyles = css`
  :host {
    /* Keeps the button on the baseline of text or buttons next to it, whatever is shown below it. */
    display: inline-flex;
    flex-direction: column;
    align-items: start;
    gap: var(--_gap);
    max-inline-size: 100%;
  }
  /* It takes no space: what hides it is loaded with its texts. */
  .visually-hidden {
    position: absolute;
  }
  /* A narrow row must not break a word, but a long word must not overflow the page. */
  [part="label"] {
    min-inline-size: 0;
    overflow-wrap: break-word;
  }
`;
