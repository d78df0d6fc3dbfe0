import "../../ui/import-lit.js";
import { type CSSResultGroup, html, nothing, type PropertyDeclarations } from "lit";
import { provideAuthClient } from "../../context/auth-client.js";
import { attachContextRoot } from "../../context/root.js";
import type {
  AuthorizationCodeGrantResult,
  HomeserverClient,
  MatrixSession,
  SessionStore,
} from "../../core/index.js";
import { OidcErrorEvent } from "../../events/oidc.js";
import {
  type CapturedResponse,
  captureResponse,
  pageResponse,
} from "../../sign-in/captured-response.js";
import {
  loadSession,
  type SessionAttributes,
  type SessionPersistence,
  wantsSession,
} from "../../sign-in/session-attributes.js";
import { TIMEOUT_MS } from "../../sign-in/login-element.js";
import { AuthElement, isTrue } from "../../ui/element.js";
import { LazyController, lazyPart } from "../../ui/loading.js";
import { isOnPage } from "../../ui/localize.js";
import { isInPage, pageScriptsDone } from "../../ui/page.js";
import { panelStyles, sharedStyles } from "../../ui/styles.js";
import type { OidcCallbackState } from "./controller.js";
import { callbackPanelStyles, renderPending } from "./panel.js";

const loadCallback = /* @__PURE__ */ lazyPart(() => import("./view.js"));

/**
 * Completes a sign-in on the page at the redirect URI. It handles only responses to sign-ins that
 * this library started, and each response only once. It removes the code from the address bar
 * before it sends a request.
 *
 * It also completes single sign-on for a `<matrix-login>` with this page as its `redirect-uri`.
 *
 * If the page was opened without a response, the element shows an error. It shows nothing if it is
 * `quiet`, or if the page contains an `<oidc-login>` or a `<matrix-login>`.
 *
 * @summary Complete a sign-in.
 * @tag oidc-callback
 * @experimental
 *
 * @slot pending - Shown while the tokens are requested and verified.
 * @slot success - Shown after sign-in.
 * @slot error - Replaces the message of every error. The button and the link stay.
 * @slot error-(code) - Replaces the message of the error with this code, such as
 * `error-access_denied`.
 *
 * @fires {OidcSuccessEvent} oidc-success - Fires when the user has signed in with OAuth 2.0. Call
 * `preventDefault()` to stay on this page.
 * @fires {MatrixLoginSuccessEvent} matrix-login-success - Fires when there is a session: after
 * OAuth 2.0 with `persist`, or after single sign-on. Call `preventDefault()` to stay on this page.
 * @fires {OidcCancelEvent} oidc-cancel - Fires when the user declined on the provider's page.
 * @fires {OidcErrorEvent} oidc-error - Fires when the OAuth 2.0 sign-in fails. Call
 * `preventDefault()` to show the error yourself.
 * @fires {MatrixLoginErrorEvent} matrix-login-error - Fires when the single sign-on fails. Call
 * `preventDefault()` to show the error yourself.
 * @fires {Event} statechange - Fires when `state` changes.
 *
 * @csspart panel - The panel around everything.
 * @csspart heading - The heading.
 * @csspart pending - The content while the tokens are requested.
 * @csspart spinner - The spinner while the tokens are requested.
 * @csspart success - The content after sign-in.
 * @csspart error - The error message.
 * @csspart details - The server's name and the error's code, below the message.
 * @csspart retry - The button that tries again.
 * @csspart start-again - The link to the page where the sign-in started, after an error.
 * @csspart continue - The link to the page where the sign-in started, after success.
 *
 * @cssprop [--oidc-callback-inline-size=24em] - The panel's width, if there is room.
 * @cssprop [--oidc-panel-background=light-dark(#fff, #1d2129)] - The panel's background.
 * @cssprop [--oidc-panel-color=light-dark(#1b1f27, #e9ecf2)] - The panel's text.
 * @cssprop [--oidc-panel-border=1px solid light-dark(#d5d9e2, #3b414d)] - The panel's border.
 * @cssprop [--oidc-panel-padding=1.75em] - The space inside the panel.
 * @cssprop [--oidc-panel-shadow=0 0.25em 1.5em rgb(0 0 0 / 0.08)] - The panel's shadow.
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The button's background.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The button's text.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The text of errors.
 * @cssprop [--oidc-border-radius=0.5em] - The button's corners.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the button.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the button's text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of the focused
 * element.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 * @cssprop [--auth-success-color=var(--oidc-accent-color)] - The mark of a success.
 * @cssprop [--auth-error-background=color-mix(in srgb, var(--oidc-error-color) 9%, transparent)] - The
 * background of the box around an error.
 * @cssprop [--auth-error-border=1px solid color-mix(in srgb, var(--oidc-error-color) 40%, transparent)] -
 * The border of the box around an error.
 * @cssprop [--auth-error-border-radius=min(var(--oidc-border-radius), 0.75em)] - The corners of the
 *   box around an error.
 * @cssprop [--auth-control-block-size=2.75em] - The minimum height of the button.
 * @cssprop [--auth-panel-border-radius=min(var(--oidc-border-radius) * 2, 1.5em)] - The corners of the
 * panel.
 * @cssprop [--auth-font-family=inherit] - The font. Default: the page's, or the system's if the page
 * has none.
 * @cssprop [--auth-font-size=inherit] - The size of the text. All sizes follow it.
 * @cssprop [--auth-heading-font-family=inherit] - The font of headings.
 * @cssprop [--auth-heading-font-weight=700] - The weight of headings.
 *
 * @cssstate idle - No sign-in is pending.
 * @cssstate pending - The tokens are being requested and verified.
 * @cssstate success - The user has signed in.
 * @cssstate error - The sign-in failed, or the user declined.
 */
export class OidcCallbackElement extends AuthElement implements SessionAttributes {
  static override readonly tag: string = "oidc-callback";

  static override properties: PropertyDeclarations = {
    manual: { type: Boolean, reflect: true, converter: isTrue },
    quiet: { converter: isTrue },
    returnTo: {},
    persist: {},
    store: { attribute: false },
    sessionKey: {},
    timeoutMs: { type: Number, attribute: "timeout-ms" },
  };

  static override styles: CSSResultGroup = [sharedStyles, panelStyles, callbackPanelStyles];

  /** Whether to wait for `complete()` instead of handling the page's URL automatically. */
  declare manual: boolean;
  /** Whether to show and report nothing if no sign-in is pending. For pages with other content. */
  declare quiet: boolean;
  /** The same-origin URL to open after sign-in. Overrides the login element's `return-to`. */
  declare returnTo: string | undefined;
  /**
   * Where to store the session for `restoreSession()`: `none` (default), `session` (this tab,
   * `sessionStorage`), `local` (every tab, `localStorage`), or `indexeddb` (every tab and service
   * worker).
   */
  declare persist: SessionPersistence | undefined;
  /**
   * A custom store for the session. Replaces `persist`. If elements on the page have different stores,
   * each needs its own `session-key`.
   */
  declare store: SessionStore | undefined;
  /** The session's key in the store. Use a different key for each account. */
  declare sessionKey: string | undefined;
  /**
   * The time limit of each request for which the user waits, in milliseconds. Default: 30000. Set more
   * for a slow provider.
   */
  declare timeoutMs: number;

  readonly #part = new LazyController(this, loadCallback, OidcErrorEvent);

  static override define(tag?: string, registry?: CustomElementRegistry): void {
    attachContextRoot();
    super.define(tag, registry);
  }

  constructor() {
    super();
    this.timeoutMs = TIMEOUT_MS;
    this.manual = false;
    // Vue sets a property to the attribute's string unless the property is already a boolean.
    this.quiet = false;
  }

  /** The element's current state. */
  get state(): OidcCallbackState {
    if (this.#part.error) return "error";
    return this.#part.value?.publicState ?? (this.#part.loading ? "pending" : "idle");
  }

  /** The tokens and their context, after a sign-in with OAuth 2.0. */
  get result(): AuthorizationCodeGrantResult | undefined {
    return this.#part.value?.result;
  }

  /**
   * A client of the homeserver with these tokens, after success. `undefined` if the sign-in was
   * started with `issuer` but without `homeserver`. Elements inside get it through the context.
   */
  get client(): HomeserverClient | undefined {
    return this.#part.value?.success?.client;
  }

  /**
   * The stored session, after success with `persist`. After single sign-on without `persist`, it
   * ends with this page.
   */
  get session(): MatrixSession | undefined {
    return this.#part.value?.success?.session;
  }

  /** The error, while `state` is `error`. */
  get error(): (Error & { readonly code: string }) | undefined {
    return this.#part.error ?? this.#part.value?.error;
  }

  /**
   * Completes the sign-in with the response in a URL. For `manual`.
   *
   * @param url Default: the page's URL, or the response that was captured from it.
   * @returns {Promise<void>} Resolves when `state` is `success` or `error`; never rejects.
   */
  async complete(url: string | URL = location.href): Promise<void> {
    const here = location.href;
    const given = URL.canParse(url, here) ? new URL(url, here).href : "";
    // The page's response might already have been captured. Other URLs must contain one.
    await this.#complete(given === here ? pageResponse() : captureResponse(given), true);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#start();
  }

  /** Starts here because properties that were set before the definition are available only now. */
  protected override willUpdate(): void {
    if (!isInPage()) return;
    if (!this.hasUpdated) this.#start();
    provideAuthClient(this, this.client);
  }

  override render(): unknown {
    const { error, loading } = this.#part;
    if (error) {
      const retry = (): unknown => this.#complete(pageResponse(), this.manual);
      return html`<div part="panel" class="panel">${this.#part.renderError(retry)}</div>`;
    }
    // The first render must match the server's, which is empty.
    const isPending = loading && !this.isHydrating;
    return this.#part.render(isPending ? renderPending(this.localize) : nothing);
  }

  #start(): void {
    if (!this.manual) {
      const response = pageResponse();
      void (response ? this.#complete(response) : this.#lookForLogin());
    }
  }

  async #complete(response?: CapturedResponse, isRequested = false): Promise<void> {
    // The session's code is needed before the authorization code is used, so load both in parallel.
    if (response?.kind === "sso" || wantsSession(this)) void loadSession();
    const controller = await this.#part.load();
    await controller?.complete(response, isRequested);
  }

  /** If the page contains a sign-in button, the missing response isn't an error. */
  async #lookForLogin(): Promise<void> {
    await pageScriptsDone();
    if (this.quiet || !this.isConnected || pageResponse() || this.error) return;
    if (!isOnPage("oidc-login", "matrix-login")) await this.#complete();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "oidc-callback": OidcCallbackElement;
  }
}
