import {
  html,
  nothing,
  type CSSResultGroup,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from "lit";
import type {
  AuthorizationCodeGrantResult,
  HomeserverClient,
  OidcFlowError,
  OidcRegistrationClientMetadata,
  RegistrationPolicy,
  ResponseMode,
} from "../../core/index.js";
import { ApproachController } from "../shared/approach-controller.js";
import { OidcCancelEvent } from "../../events/oidc-cancel.js";
import { OidcErrorEvent } from "../../events/oidc-error.js";
import { AuthElement, isTrue } from "../shared/auth-element.js";
import { asFlowError } from "../shared/flow-error.js";
import { renderLoadFailed } from "../shared/load-failed.js";
import { loadLogin, type LoginPart } from "../shared/load.js";
import { LocalizeController } from "../shared/localize.js";
import { hasLabel, watchLabel } from "../shared/own-label.js";
import { sharedStyles } from "../shared/styles.js";
import type { LoginController } from "./login-controller.js";
import type { LoginMode } from "./login-settings.js";
import { styles } from "./oidc-login.styles.js";

/** Where a login stands; also a `:state()` of the element. */
export type OidcLoginState = "idle" | "preparing" | "ready" | "redirecting" | "waiting" | "error";

/** A homeserver that is being typed is asked for when the typing rests. */
const TYPING_PAUSE_MS = 400;

/**
 * A button that signs a person in to a Matrix homeserver at its OpenID Connect provider. It finds out
 * where to go as soon as it is seen, and goes there on the click.
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
 * @fires {OidcSuccessEvent} oidc-success - With `mode="popup"`: somebody has signed in. Cancelable: stays on this page.
 * @fires {OidcCancelEvent} oidc-cancel - The login was called off; with `mode="popup"` also by a refusal, or by closing the window.
 * @fires {OidcErrorEvent} oidc-error - The login failed.
 *
 * @csspart button - The button.
 * @csspart label - The button's label.
 * @csspart spinner - What turns while the button is busy.
 * @csspart error - The error's text.
 * @csspart text - What is said of the provider's window.
 * @csspart link - The link to a window that was kept from opening.
 *
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The button's background.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The button's text.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The error's text.
 * @cssprop [--oidc-border-radius=0.5em] - The button's corners.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the button.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the button's text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of what has the focus.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 *
 * @cssstate idle - Nothing was asked yet.
 * @cssstate preparing - The homeserver is being asked.
 * @cssstate ready - A click leaves the page at once, or after the registration.
 * @cssstate redirecting - The page is being left.
 * @cssstate waiting - The person signs in, in a window of the provider's.
 * @cssstate error - Something failed; a click tries again.
 */
export class OidcLoginElement extends AuthElement {
  static override readonly tag: string = "oidc-login";
  /** @ignore */
  static override shadowRootOptions: ShadowRootInit = {
    ...AuthElement.shadowRootOptions,
    delegatesFocus: true,
  };

  static override get properties(): PropertyDeclarations {
    return {
      homeserver: {},
      issuer: {},
      clientId: { attribute: "client-id" },
      redirectUri: { attribute: "redirect-uri" },
      clientName: { attribute: "client-name" },
      clientUri: { attribute: "client-uri" },
      logoUri: { attribute: "logo-uri" },
      tosUri: { attribute: "tos-uri" },
      policyUri: { attribute: "policy-uri" },
      // Frameworks make a new object of the same content at each turn.
      clientMetadata: { attribute: false, hasChanged: () => false },
      prompt: {},
      loginHint: { attribute: "login-hint" },
      deviceId: { attribute: "device-id" },
      identityServer: { attribute: "identity-server" },
      returnTo: { attribute: "return-to" },
      responseMode: { attribute: "response-mode" },
      registration: {},
      mode: {},
      disabled: { type: Boolean, reflect: true, converter: isTrue },
    };
  }

  static override get styles(): CSSResultGroup {
    return [sharedStyles, styles];
  }

  /** The homeserver: a server name, a user id or a base URL. Needed, unless `issuer` is set. */
  declare homeserver: string | undefined;
  /** The issuer, where it is known; the homeserver is then not asked for it. */
  declare issuer: string | undefined;
  /** The client id of an application that is registered already. */
  declare clientId: string | undefined;
  /** Where the provider sends the person back to. Default: this page without query and fragment. */
  declare redirectUri: string | undefined;
  /** The application's name, shown by the provider. Default: the document's title. */
  declare clientName: string | undefined;
  /** The application's home page. Default: this origin. */
  declare clientUri: string | undefined;
  /** The application's logo; left out, with a warning, where it is not on the host of `clientUri`. */
  declare logoUri: string | undefined;
  /** The application's terms of service; left out as the logo is. */
  declare tosUri: string | undefined;
  /** The application's privacy policy; left out as the logo is. */
  declare policyUri: string | undefined;
  /** What the application tells the provider of itself, over what the attributes say. */
  declare clientMetadata: Partial<OidcRegistrationClientMetadata> | undefined;
  /** `login`: always ask for the password. `create`: make an account. */
  declare prompt: string | undefined;
  /** Whom the person is likely to sign in as. */
  declare loginHint: string | undefined;
  /** The device to sign in. Default: a new one. */
  declare deviceId: string | undefined;
  /** The identity server to hand on. Default: the one that the homeserver names. */
  declare identityServer: string | undefined;
  /** Where to go after signing in: an address of this origin. */
  declare returnTo: string | undefined;
  /** How the answer comes back. Default: `fragment` where the issuer lists it, else `query`. */
  declare responseMode: ResponseMode | undefined;
  /** `per-login` (default): register with each login. `reuse`: keep one client id for good. */
  declare registration: RegistrationPolicy | undefined;
  /** `redirect` (default): this tab goes to the provider. `popup`: a window does. */
  declare mode: LoginMode | undefined;
  /** Whether the button cannot be used. */
  declare disabled: boolean;

  /** @internal */
  readonly localize = new LocalizeController(this);
  #login: LoginController | undefined;
  #part: LoginPart | undefined;
  #loading: Promise<LoginPart> | undefined;
  #loadError: OidcFlowError | undefined;
  /** A click that waits for what is being loaded. */
  #click: object | undefined;
  readonly #approach = new ApproachController(this, () => {
    if (this.state !== "idle") return;
    // Whom to ask may be said any moment: what asks is there then.
    if (this.disabled || (!this.homeserver && !this.issuer)) loadLogin().catch(() => undefined);
    else void this.prepare();
  });

  readonly #onClick = (): void => void this.login();

  constructor() {
    super();
    this.disabled = false;
    watchLabel(this);
    this.showState("idle");
  }

  /** Where the login stands. */
  get state(): OidcLoginState {
    if (this.#loadError) return "error";
    return this.#login?.state ?? (this.#loading ? "preparing" : "idle");
  }

  /** What failed, while `state` is `error`. */
  get error(): OidcFlowError | undefined {
    return this.#loadError ?? this.#login?.error;
  }

  /** The tokens and all that belongs to them, after a login with `mode="popup"`. */
  get result(): AuthorizationCodeGrantResult | undefined {
    return this.#login?.success?.result;
  }

  /**
   * A client of the homeserver, with the new token, after a login with `mode="popup"`; undefined where
   * the login was for an `issuer` without a `homeserver`.
   */
  get client(): HomeserverClient | undefined {
    return this.#login?.success?.client;
  }

  /**
   * Finds out where to sign in, without asking the person anything or registering anywhere. Happens
   * by itself when the element is seen or approached. Resolves when `state` is `ready` or `error`.
   */
  async prepare(): Promise<void> {
    // What was set just now counts.
    this.performUpdate();
    await (this.#login ?? (await this.#load()))?.prepare();
  }

  /**
   * What a click does. Resolves when the page is about to be left, when `state` is `waiting` (with
   * `mode="popup"`) or `error`, and at once where the element is `disabled`.
   */
  async login(): Promise<void> {
    if (this.disabled) return;
    const click = (this.#click = {});
    const login = this.#login ?? (await this.#load());
    // Called off meanwhile, or clicked again.
    if (click !== this.#click) return;
    this.#click = undefined;
    await login?.login();
  }

  /** Calls off what goes on. */
  cancel(): void {
    if (this.#login) this.#login.cancel();
    else if (this.#loading) {
      this.#forgetLoading();
      this.dispatchEvent(new OidcCancelEvent({ reason: "cancelled" }));
    }
  }

  override render(): TemplateResult {
    const busy = this.#click ?? this.#login?.busy;
    const whileBusy = busy ? "true" : nothing;
    // The texts have the names of the states; there are none before they are loaded.
    const said = busy ? this.localize.term(this.state as "preparing" | "redirecting") : nothing;
    return html`<button
        part="button"
        type="button"
        ?disabled=${this.disabled}
        aria-disabled=${whileBusy}
        aria-busy=${whileBusy}
        aria-describedby=${this.error ? "error" : nothing}
        @click=${this.#onClick}
      >
        <slot name="icon"></slot
        ><span part="label"
          ><slot></slot>${
            hasLabel(this)
              ? nothing
              : this.localize.term(this.prompt === "create" ? "createAccount" : "signIn")
          }</span
        >${busy ? html`<span part="spinner"></span>` : nothing}
      </button>
      <div class="said" role="status">${said}</div>
      ${this.#loadError ? renderLoadFailed(this.localize) : this.#login && this.#part?.renderNotes(this, this.#login)}`;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!this.hasUpdated || changed.size === 0) return;
    // The homeserver may still be being typed.
    if (this.#login?.settingsChanged(changed) ?? true) this.#approach.runAfter(TYPING_PAUSE_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (!this.#login) this.#forgetLoading();
  }

  /** The course of a login is loaded when one may soon begin; undefined where that fails or is over. */
  async #load(): Promise<LoginController | undefined> {
    this.#loadError = undefined;
    const loading = (this.#loading ??= loadLogin());
    this.#changed();
    try {
      this.#part = await loading;
      if (this.#loading !== loading) return undefined;
      this.#login ??= new this.#part.LoginController(this, () => this.#changed());
    } catch (error) {
      if (this.#loading !== loading) return undefined;
      this.#forgetLoading();
      this.#loadError = asFlowError(error);
      this.dispatchEvent(new OidcErrorEvent(this.#loadError));
    }
    this.#changed();
    return this.#login;
  }

  #forgetLoading(): void {
    this.#loading = this.#loadError = this.#click = undefined;
    this.#changed();
  }

  #changed(): void {
    this.showState(this.state);
    this.requestUpdate();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "oidc-login": OidcLoginElement;
  }
}
