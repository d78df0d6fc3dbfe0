import { ContextProvider } from "@lit/context";
import { type CSSResultGroup, html, nothing, type PropertyDeclarations } from "lit";
import { attachContextRoot, authClientContext } from "../../context/auth-client.js";
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
  reload,
} from "../../sign-in/captured-response.js";
import {
  loadSession,
  type SessionAttributes,
  type SessionPersistence,
  wantsSession,
} from "../../sign-in/session-attributes.js";
import { AuthElement, isTrue } from "../../ui/element.js";
import { LazyController, lazyPart, type Load, renderLoadError } from "../../ui/lazy.js";
import { isOnPage } from "../../ui/localize.js";
import { isInPage, pageScriptsDone } from "../../ui/page.js";
import { panelStyles, sharedStyles } from "../../ui/styles.js";
import type * as CallbackPart from "./lazy/controller.js";
import type { OidcCallbackState } from "./lazy/controller.js";
import { callbackPanelStyles, renderPanel, renderPending } from "./panel.js";

export const loadCallback: Load<typeof CallbackPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/controller.js"),
);

/**
 * Completes a login on the page that the provider sends the browser back to. It acts only on a
 * response that this library asked for, and on each only once, however often it is mounted; the code is removed
 * from the address bar before any request is sent.
 *
 * It completes single sign-on too, for a `<matrix-login>` whose `redirect-uri` is this page.
 *
 * If the page was opened without a response, the element says so, unless it is `quiet` or there is an `<oidc-login>` or
 * a `<matrix-login>` on the page: then it shows nothing, so that one page can have both.
 *
 * @summary Complete a sign-in.
 * @tag oidc-callback
 * @experimental
 *
 * @slot pending - Shown while the tokens are fetched and verified.
 * @slot success - Shown after signing in.
 * @slot error - Replaces the text of every error; the button and the link stay.
 * @slot error-(code) - Replaces the text of the error with this code, such as `error-access_denied`.
 *
 * @fires {OidcSuccessEvent} oidc-success - The user has signed in by OAuth 2.0. Cancelable: stays on this page.
 * @fires {MatrixLoginSuccessEvent} matrix-login-success - The user has signed in, with a session: by OAuth 2.0 with `persist`, or by single sign-on. Cancelable: stays on this page.
 * @fires {OidcCancelEvent} oidc-cancel - The user declined at the provider.
 * @fires {OidcErrorEvent} oidc-error - The login by OAuth 2.0 failed. Cancelable: the page shows the error itself.
 * @fires {MatrixLoginErrorEvent} matrix-login-error - The single sign-on failed. Cancelable: as `oidc-error`.
 * @fires {Event} statechange - `state` has changed.
 *
 * @csspart panel - The panel around everything.
 * @csspart heading - The heading.
 * @csspart pending - What is shown while the tokens are fetched.
 * @csspart spinner - The spinner shown with it.
 * @csspart success - What is shown after signing in.
 * @csspart error - The error's text.
 * @csspart retry - The button that tries again.
 * @csspart start-again - The link to where the login began, after an error.
 * @csspart continue - The link to where the login began, after signing in.
 *
 * @cssprop [--oidc-callback-inline-size=24em] - The panel's width, if there is room.
 * @cssprop [--oidc-panel-background=light-dark(#fff, #1d2129)] - The panel's background.
 * @cssprop [--oidc-panel-color=light-dark(#1b1f27, #e9ecf2)] - The panel's text.
 * @cssprop [--oidc-panel-border=1px solid light-dark(#d5d9e2, #3b414d)] - The panel's border.
 * @cssprop [--oidc-panel-padding=1.75em] - The space inside the panel.
 * @cssprop [--oidc-panel-shadow=0 0.25em 1.5em rgb(0 0 0 / 0.08)] - The panel's shadow.
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The button's background and the link.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The button's text.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The error's text.
 * @cssprop [--oidc-border-radius=0.5em] - The button's corners.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the button.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the button's text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of the focused element.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 *
 * @cssstate idle - There is no login to complete.
 * @cssstate pending - The tokens are being fetched and verified.
 * @cssstate success - The user has signed in.
 * @cssstate error - The login failed, or was refused.
 */
export class OidcCallbackElement extends AuthElement implements SessionAttributes {
  static override readonly tag: string = "oidc-callback";

  static override get properties(): PropertyDeclarations {
    return {
      manual: { type: Boolean, reflect: true, converter: isTrue },
      quiet: { converter: isTrue },
      returnTo: {},
      persist: {},
      store: { attribute: false },
      sessionKey: {},
    };
  }

  static override get styles(): CSSResultGroup {
    return [sharedStyles, panelStyles, callbackPanelStyles];
  }

  /** Whether to wait for `complete()` instead of acting as soon as the element is on the page. */
  declare manual: boolean;
  /** Whether to show and report nothing while there is no login to complete: for a page that is more than a callback. */
  declare quiet: boolean;
  /** Where to go after signing in: a URL of this origin. Overrides what the login was started with. */
  declare returnTo: string | undefined;
  /**
   * Where to keep the user signed in, as a session that `restoreSession()` finds on every
   * page: `none` (default), `session` (this tab, `sessionStorage`), `local` (every tab, `localStorage`) or
   * `indexeddb` (every tab and service worker).
   */
  declare persist: SessionPersistence | undefined;
  /** A store of the page's own to keep the session in, instead of `persist`. */
  declare store: SessionStore | undefined;
  /** The session's key in its store: another one for each account. */
  declare sessionKey: string | undefined;

  readonly #provider = new ContextProvider(this, { context: authClientContext });
  readonly #callback = new LazyController(
    this,
    loadCallback,
    ({ CallbackController }) => new CallbackController(this),
    OidcErrorEvent,
  );

  static override define(tag?: string, registry?: CustomElementRegistry): void {
    attachContextRoot();
    super.define(tag, registry);
  }

  constructor() {
    super();
    this.manual = false;
    // Vue sets a property to the text of its attribute unless it is a boolean by then.
    this.quiet = false;
  }

  /** The state of completing the login. */
  get state(): OidcCallbackState {
    if (this.#callback.error) return "error";
    return this.#callback.value?.state ?? (this.#callback.loading ? "pending" : "idle");
  }

  /** After success by OAuth 2.0: the tokens and everything that belongs to them. */
  get result(): AuthorizationCodeGrantResult | undefined {
    return this.#callback.value?.result;
  }

  /**
   * After success: a client of the homeserver with these tokens; undefined if the login was for an
   * `issuer` without a `homeserver`. Elements inside get it by context.
   */
  get client(): HomeserverClient | undefined {
    return this.#callback.value?.success?.client;
  }

  /**
   * After success with `persist`: the stored session, which refreshes the tokens from then on. After single sign-on
   * without `persist` it lives in this page.
   */
  get session(): MatrixSession | undefined {
    return this.#callback.value?.success?.session;
  }

  /** What failed, while `state` is `error`. */
  get error(): (Error & { readonly code: string }) | undefined {
    return this.#callback.error ?? this.#callback.value?.error;
  }

  /**
   * Completes the login whose response is in a URL, for `manual`.
   *
   * @param url Default: the page's URL, or the response that was in it.
   * @returns {Promise<void>} Resolves when `state` is `success` or `error`; never rejects.
   */
  async complete(url: string | URL = location.href): Promise<void> {
    const here = location.href;
    const given = URL.canParse(url, here) ? new URL(url, here).href : "";
    // The response may already have been taken from the page's own URL; any other must contain one.
    await this.#complete(given === here ? pageResponse() : captureResponse(given));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#start();
  }

  /** Properties that were set before the element was defined are in place only now. */
  protected override willUpdate(): void {
    if (!isInPage()) return;
    if (!this.hasUpdated) this.#start();
    this.#provider.setValue(this.client);
  }

  override render(): unknown {
    const { localize } = this;
    const { error, loading, value } = this.#callback;
    if (error) {
      return html`<div part="panel" class="panel">${renderLoadError(localize, reload)}</div>`;
    }
    if (value) return value.render();
    // What a server has rendered comes first: that is nothing.
    if (!loading || this.isHydrating) return nothing;
    return renderPanel(localize, { status: renderPending(localize) });
  }

  #start(): void {
    if (!this.manual) {
      const response = pageResponse();
      void (response ? this.#complete(response) : this.#lookForLogin());
    }
  }

  async #complete(response?: CapturedResponse): Promise<void> {
    // What stores the tokens must be loaded before the code is used; load both parts in parallel.
    if (response?.kind === "sso" || wantsSession(this)) void loadSession();
    const controller = await this.#callback.load();
    await controller?.complete(response);
  }

  /** If a sign-in button on the same page waits for a click, there is nothing to report. */
  async #lookForLogin(): Promise<void> {
    await pageScriptsDone();
    if (this.quiet || !this.isConnected || pageResponse() || this.error) return;
    if (!["oidc-login", "matrix-login"].some(isOnPage)) await this.#complete();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "oidc-callback": OidcCallbackElement;
  }
}
