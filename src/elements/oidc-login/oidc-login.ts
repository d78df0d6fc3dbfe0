import "../../ui/import-lit.js";
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
import type { ChooseStartedSession, Starter } from "../../sign-in/starter.js";
import { LoginElement } from "../../sign-in/login-element.js";
import { renderLabel, watchLabel } from "../../ui/element.js";
import { LazyController, lazyPart, preload } from "../../ui/loading.js";
import { Operation } from "../../ui/operation.js";
import { tryAgain } from "../../ui/reload.js";
import { sharedStyles } from "../../ui/styles.js";
import { whenRemoved } from "../../ui/page.js";
import type { OidcLoginState } from "./controller.js";
import type { LoginTarget, SurroundingSettings } from "./settings.js";

const loadLogin = /* @__PURE__ */ lazyPart(() => import("./view.js"));

const HOMESERVER_PAUSE_MS = 400;

const oidcLoginStyles = css`
  :host {
    /* Keeps the button on the baseline of its neighbors, independent of the content below it. */
    display: inline-flex;
    flex-direction: column;
    align-items: start;
    gap: var(--_gap);
    max-inline-size: 100%;
  }
  /* It takes no space. The styles that hide it are loaded with its texts. */
  .visually-hidden {
    position: absolute;
  }
  /* A narrow row must not break a word, but a long word must not overflow the page. */
  [part="label"] {
    min-inline-size: 0;
    overflow-wrap: break-word;
  }
`;

/**
 * A button that signs a user in to a Matrix homeserver with its OAuth 2.0 provider. It discovers
 * the provider when it is visible, and opens it on a click.
 *
 * @summary Sign in to a Matrix homeserver.
 * @tag oidc-login
 * @experimental
 *
 * @slot - The button's label. Default: "Sign in", or "Create account" with `prompt="create"`.
 * @slot icon - An icon before the label.
 * @slot error - Replaces the message of every error.
 * @slot error-(code) - Replaces the message of the error with this code, such as
 * `error-oidc_not_supported`.
 *
 * @fires {OidcLoginStartEvent} oidc-login-start - Fires before a sign-in starts. Call
 * `preventDefault()` to stop it.
 * @fires {OidcRedirectEvent} oidc-redirect - Fires before the browser opens the provider. Call
 * `preventDefault()` to navigate yourself.
 * @fires {OidcSuccessEvent} oidc-success - With `mode="popup"`, fires when the user has signed in.
 * Call `preventDefault()` to stay on this page.
 * @fires {OidcCancelEvent} oidc-cancel - Fires when the sign-in is cancelled. With `mode="popup"`,
 * also when the user declines or closes the popup.
 * @fires {OidcErrorEvent} oidc-error - Fires when the sign-in fails. Call `preventDefault()` to
 * show the error yourself.
 * @fires {Event} statechange - Fires when `state` changes.
 *
 * @csspart button - The button.
 * @csspart label - The button's label.
 * @csspart spinner - The spinner while the button is busy.
 * @csspart error - The error message.
 * @csspart text - The status text of the popup.
 * @csspart link - The link to use if the popup was blocked.
 * @csspart cancel - The button that cancels a sign-in in a popup.
 *
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The button's background.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The button's text.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The text of errors.
 * @cssprop [--oidc-border-radius=0.5em] - The button's corners.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the button.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the button's text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of the focused
 * element.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 * @cssprop [--auth-link-color=var(--oidc-accent-color)] - The text of links. The default is darker on a light page,
 * and lighter on a dark one, if that makes it readable.
 * @cssprop [--auth-error-background=color-mix(in srgb, var(--oidc-error-color) 9%, transparent)] - The
 * background of the box around an error.
 * @cssprop [--auth-error-border=1px solid color-mix(in srgb, var(--oidc-error-color) 40%, transparent)] -
 * The border of the box around an error.
 * @cssprop [--auth-error-border-radius=min(var(--oidc-border-radius), 0.75em)] - The corners of the
 *   box around an error.
 * @cssprop [--auth-control-block-size=2.75em] - The minimum height of the button.
 * @cssprop [--auth-font-family=inherit] - The font. Default: the font of the surrounding text.
 * @cssprop [--auth-font-size=inherit] - The size of the text. All sizes follow it.
 *
 * @cssstate idle - Discovery has not started yet.
 * @cssstate preparing - Discovery is in progress.
 * @cssstate ready - Waiting for a click.
 * @cssstate unsupported - The homeserver doesn't support OAuth 2.0. A click shows an error.
 * @cssstate redirecting - The browser is leaving the page.
 * @cssstate waiting - Waiting for the user in the popup.
 * @cssstate error - An operation failed. A click tries again.
 */
export class OidcLoginElement extends LoginElement {
  static override readonly tag: string = "oidc-login";
  /** @ignore */
  static override shadowRootOptions: ShadowRootInit = {
    ...LoginElement.shadowRootOptions,
    delegatesFocus: true,
  };

  static override properties: PropertyDeclarations = {
    ...super.properties,
    issuer: {},
    loginHint: {},
    identityServer: {},
  };

  static override styles: CSSResultGroup = [sharedStyles, oidcLoginStyles];

  /** The provider's issuer. If set, discovery through the homeserver is skipped. */
  declare issuer: string | undefined;
  /** The `login_hint` for the provider. Default: the user ID, if `homeserver` is one. */
  declare loginHint: string | undefined;
  /** The identity server to return with the tokens. Default: the homeserver's. */
  declare identityServer: string | undefined;

  /** The result of a surrounding element's discovery. @internal */
  declare target: LoginTarget | undefined;
  /** The surrounding element that starts the sign-in. @internal */
  declare starter: Starter | undefined;
  /** Chooses the session options of a surrounding element. @internal */
  declare chooseSession: ChooseStartedSession | undefined;
  /** All settings at once, from a surrounding element. @internal */
  set settings(settings: SurroundingSettings) {
    Object.assign(this, settings);
  }

  readonly #part = new LazyController(this, loadLogin, OidcErrorEvent);
  /** A click that waits for the code. */
  readonly #click = new Operation();
  readonly #preload = preload(this, () => {
    if (this.state === "idle") {
      void this.#part.loadEarly().then((controller) => controller?.prepareEarly());
    }
  });

  constructor() {
    super();
    watchLabel(this);
  }

  /** The element's current state. */
  get state(): OidcLoginState {
    if (this.#part.error) return "error";
    return this.#part.value?.state.name ?? (this.#part.loading ? "preparing" : "idle");
  }

  /** The error, while `state` is `error`. */
  get error(): OidcFlowError | undefined {
    return this.#part.error ?? this.#part.value?.error;
  }

  /** The tokens and their context, after a sign-in with `mode="popup"`. */
  get result(): AuthorizationCodeGrantResult | undefined {
    return this.#part.value?.success?.result;
  }

  /**
   * A client of the homeserver with the new token, after a sign-in with `mode="popup"`. `undefined`
   * if `issuer` was set without `homeserver`.
   */
  get client(): HomeserverClient | undefined {
    return this.#part.value?.success?.client;
  }

  /** The stored session, after a sign-in with `mode="popup"` and `persist`. */
  get session(): OidcSession | undefined {
    return this.#part.value?.success?.session;
  }

  /**
   * Discovers the provider, without registering the app. The element calls this method when it
   * becomes visible, or when the pointer or the focus enters it. It shows no error before a click.
   * Resolves when `state` is `ready`, `unsupported`, or `error`.
   */
  async prepare(): Promise<void> {
    this.applyProperties();
    await (await this.#part.load())?.prepare();
  }

  /**
   * Starts the sign-in, like a click. Resolves when the browser is about to leave the page, or when
   * `state` is `waiting` (with `mode="popup"`) or `error`. If the element is `disabled`, it
   * resolves immediately.
   */
  async login(): Promise<void> {
    if (this.isDisabled) return;
    const controller = this.#part.value ?? (await this.#click.run(() => this.#part.load()));
    this.requestUpdate();
    await controller?.login();
  }

  /** Cancels the current sign-in. */
  cancel(): void {
    if (this.#part.value) this.#part.value.cancel();
    else if (this.#part.loading) {
      this.#reset();
      this.dispatchEvent(new OidcCancelEvent({ reason: "cancelled" }));
    }
  }

  override render(): TemplateResult {
    const isBusy = this.#click.isRunning || this.#part.value?.isBusy;
    // The button stays enabled, because a click brings the popup to the front.
    const isWaiting = isBusy || this.state === "waiting";
    return html`<button
        part="button"
        type="button"
        ?disabled=${this.isDisabled}
        aria-disabled=${isBusy ? "true" : nothing}
        aria-busy=${isWaiting ? "true" : nothing}
        aria-describedby=${this.error ? "error" : nothing}
        @click=${() => tryAgain(this.error, () => this.login())}
      >
        <slot name="icon"></slot
        ><span part="label"
          >${renderLabel(
            this,
            this.localize.term(this.prompt === "create" ? "createAccount" : "signIn"),
          )}${isWaiting ? html`<span part="spinner"></span>` : nothing}</span
        >
      </button>
      <div class="visually-hidden" role="status">${this.#part.value?.status ?? nothing}</div>
      ${this.#part.render(nothing, null)}`;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!this.hasUpdated || changed.size === 0) return;
    // The user might still be typing the homeserver.
    if (this.#part.value?.settingsChanged(changed) ?? true) this.#preload(HOMESERVER_PAUSE_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    whenRemoved(this, () => this.#reset());
  }

  #reset(): void {
    this.#click.cancel();
    this.#part.cancel();
    this.#part.value?.reset();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "oidc-login": OidcLoginElement;
  }
}
