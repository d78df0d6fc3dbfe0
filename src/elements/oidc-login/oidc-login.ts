import {
  html,
  nothing,
  type CSSResultGroup,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from "lit";
import type {
  OidcFlowError,
  OidcRegistrationClientMetadata,
  RegistrationPolicy,
  ResponseMode,
} from "../../core/index.js";
import { OidcCancelEvent } from "../../events/oidc-cancel.js";
import { OidcErrorEvent } from "../../events/oidc-error.js";
import { OidcLoginStartEvent } from "../../events/oidc-login-start.js";
import { OidcRedirectEvent } from "../../events/oidc-redirect.js";
import { AuthElement } from "../shared/auth-element.js";
import { asFlowError } from "../shared/flow-error.js";
import { loadCore, loadLater, type Core, type Later } from "../shared/load.js";
import { LocalizeController } from "../shared/localize.js";
import { whenIdle } from "../shared/page.js";
import { sharedStyles } from "../shared/styles.js";
import type { LoginTarget } from "./login-steps.js";
import { styles } from "./oidc-login.styles.js";

/** Where a login stands; also a `:state()` of the element. */
export type OidcLoginState = "idle" | "preparing" | "ready" | "redirecting" | "error";

/** After so long on the page that was to be left, it was not left: the person stopped the loading. */
const REDIRECT_PATIENCE_MS = 10_000;

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
 * @fires {OidcCancelEvent} oidc-cancel - The login was called off.
 * @fires {OidcErrorEvent} oidc-error - The login failed.
 *
 * @csspart button - The button.
 * @csspart label - The button's label.
 * @csspart spinner - What turns while the button is busy.
 * @csspart error - The error's text.
 *
 * @cssprop [--oidc-accent-color] - The button's background.
 * @cssprop [--oidc-on-accent-color] - The button's text.
 * @cssprop [--oidc-error-color] - The error's text.
 * @cssprop [--oidc-border-radius=0.5em] - The button's corners.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the button.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 *
 * @cssstate idle - Nothing was asked yet.
 * @cssstate preparing - The homeserver is being asked.
 * @cssstate ready - A click leaves the page at once, or after the registration.
 * @cssstate redirecting - The page is being left.
 * @cssstate error - Something failed; a click tries again.
 */
export class OidcLoginElement extends AuthElement {
  static override readonly tag: string = "oidc-login";
  static override shadowRootOptions: ShadowRootInit = {
    ...AuthElement.shadowRootOptions,
    delegatesFocus: true,
  };

  static override get properties(): PropertyDeclarations {
    return {
      homeserver: { type: String },
      issuer: { type: String },
      clientId: { attribute: "client-id" },
      redirectUri: { attribute: "redirect-uri" },
      clientName: { attribute: "client-name" },
      clientUri: { attribute: "client-uri" },
      logoUri: { attribute: "logo-uri" },
      tosUri: { attribute: "tos-uri" },
      policyUri: { attribute: "policy-uri" },
      clientMetadata: { attribute: false },
      prompt: { type: String },
      loginHint: { attribute: "login-hint" },
      deviceId: { attribute: "device-id" },
      identityServer: { attribute: "identity-server" },
      returnTo: { attribute: "return-to" },
      responseMode: { attribute: "response-mode" },
      registration: { type: String },
      disabled: { type: Boolean, reflect: true },
    };
  }

  static override get styles(): CSSResultGroup {
    return [sharedStyles, styles];
  }

  /** The homeserver: a server name, a user id or a base URL. */
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
  /** The application's logo. */
  declare logoUri: string | undefined;
  /** The application's terms of service. */
  declare tosUri: string | undefined;
  /** The application's privacy policy. */
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
  /** Whether the button is out of use. */
  declare disabled: boolean;

  readonly #localize = new LocalizeController(this);
  #state: OidcLoginState = "idle";
  #error: OidcFlowError | undefined;
  #preparing: Promise<void> | undefined;
  #login: Promise<void> | undefined;
  #target: LoginTarget | undefined;
  /** What is loaded when the element is seen. */
  #later: Later | undefined;
  #abort = new AbortController();
  #seen: IntersectionObserver | undefined;
  #forgetPlan: () => void = () => undefined;

  constructor() {
    super();
    this.disabled = false;
    this.addEventListener("pointerenter", this.#approach);
    this.addEventListener("focusin", this.#approach);
  }

  /** Where the login stands. */
  get state(): OidcLoginState {
    return this.#state;
  }

  /** What failed, while `state` is `error`. */
  get error(): OidcFlowError | undefined {
    return this.#error;
  }

  /**
   * Finds out where to sign in, without asking the person anything or registering anywhere. Happens
   * by itself when the element is seen or approached. Resolves when `state` is `ready` or `error`.
   */
  prepare(): Promise<void> {
    this.#forgetPlan();
    if (this.#state === "ready" || this.#state === "redirecting") return Promise.resolve();
    this.#preparing ??= this.#prepare(this.#abort.signal);
    return this.#preparing;
  }

  /**
   * What a click does. Resolves when the page is about to be left, or when `state` is `error`.
   */
  login(): Promise<void> {
    const { homeserver, prompt } = this;
    if (this.disabled || this.#state === "redirecting") return Promise.resolve();
    if (!this.#login) {
      if (!this.dispatchEvent(new OidcLoginStartEvent({ homeserver, prompt }))) {
        return Promise.resolve();
      }
      const login = this.#logIn().finally(() => {
        if (this.#login === login) this.#login = undefined;
        this.requestUpdate();
      });
      this.#login = login;
      this.requestUpdate();
    }
    return this.#login;
  }

  /** Calls off what goes on. */
  cancel(): void {
    if (this.#state !== "preparing" && this.#state !== "redirecting") return;
    this.#reset();
    this.dispatchEvent(new OidcCancelEvent({ reason: "cancelled" }));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("pageshow", this.#onPageShow);
    this.#seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.#seen?.disconnect();
      this.#seen = undefined;
      this.#forgetPlan = whenIdle(this.#approach);
    });
    this.#seen.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("pageshow", this.#onPageShow);
    this.#seen?.disconnect();
    this.#reset();
  }

  override render(): TemplateResult {
    const busy = this.#login !== undefined || this.#state === "redirecting";
    const code = this.#error?.code;
    return html`<button
        part="button"
        type="button"
        ?disabled=${this.disabled}
        aria-disabled=${busy ? "true" : nothing}
        aria-busy=${busy ? "true" : nothing}
        aria-describedby=${code ? "error" : nothing}
        @click=${this.#onClick}
      >
        <slot name="icon"></slot
        ><span part="label"
          ><slot
            >${this.#localize.term(this.prompt === "create" ? "createAccount" : "signIn")}</slot
          ></span
        >${busy ? html`<span part="spinner"></span>` : nothing}
      </button>
      <div class="said" role="status">
        ${busy ? this.#localize.term(this.#state === "preparing" ? "preparing" : "redirecting") : nothing}
      </div>
      <div id="error" class="error" part="error" role="alert" dir="auto" ?hidden=${!code}>
        ${
          code
            ? html`<slot name="error-${code}"
                ><slot name="error"
                  >${this.#localize.term(this.#later?.errorText(code) ?? "errorLoadFailed")}</slot
                ></slot
              >`
            : nothing
        }
      </div>`;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!this.hasUpdated || changed.size === 0 || this.#state === "redirecting") return;
    // What was found out does not hold for another homeserver, nor what failed for other settings.
    if (changed.has("homeserver") || changed.has("issuer") || this.#state === "error") {
      this.#reset();
      if (this.isConnected && !this.#seen) {
        const timer = setTimeout(this.#approach, TYPING_PAUSE_MS);
        this.#forgetPlan = (): void => clearTimeout(timer);
      }
    }
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    this.#setState("preparing");
    try {
      const [later, core] = await this.#load();
      const settings = later.readSettings(this);
      const target = await later.findTarget(core, settings, { signal });
      later.checkTarget(settings, target);
      if (signal.aborted) return;
      this.#target = target;
      this.#preparing = undefined;
      this.#setState("ready");
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  async #logIn(): Promise<void> {
    const { signal } = this.#abort;
    await this.prepare();
    if (this.#state !== "ready" || !this.#target || signal.aborted) return;
    this.#setState("redirecting");
    try {
      const [later, core] = await this.#load();
      const settings = later.readSettings(this);
      later.checkTarget(settings, this.#target);
      const url = await later.startLogin(core, settings, this.#target, { signal });
      if (signal === this.#abort.signal) this.#leave(url);
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  async #load(): Promise<[Later, Core]> {
    const parts = await Promise.all([loadLater(), loadCore()]);
    [this.#later] = parts;
    return parts;
  }

  #leave(url: string): void {
    if (!this.dispatchEvent(new OidcRedirectEvent({ url }))) {
      this.#setState("ready");
      return;
    }
    const timer = setTimeout(() => this.#setState("ready"), REDIRECT_PATIENCE_MS);
    this.#forgetPlan = (): void => clearTimeout(timer);
    location.assign(url);
  }

  #fail(error: unknown, { aborted }: AbortSignal): void {
    if (aborted) return;
    this.#preparing = undefined;
    this.#error = asFlowError(error);
    this.#setState("error");
    this.dispatchEvent(new OidcErrorEvent(this.#error));
  }

  /** Ends what goes on, and forgets what was found out. */
  #reset(): void {
    this.#forgetPlan();
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#preparing = undefined;
    this.#login = undefined;
    this.#target = undefined;
    this.#setState("idle");
  }

  #setState(state: OidcLoginState): void {
    if (state !== "error") this.#error = undefined;
    this.#state = state;
    this.showState(state);
    this.requestUpdate();
  }

  readonly #approach = (): void => {
    if (this.#state === "idle" && !this.disabled && (this.homeserver || this.issuer)) {
      void this.prepare();
    }
  };

  readonly #onClick = (): void => void this.login();

  /** Back from the provider, the browser may show this page as it was left: busy. */
  readonly #onPageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted && this.#state === "redirecting") {
      this.#forgetPlan();
      this.#setState("ready");
    }
  };
}

declare global {
  interface HTMLElementTagNameMap {
    "oidc-login": OidcLoginElement;
  }
}
