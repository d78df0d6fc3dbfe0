import { type CSSResultGroup, html, type PropertyDeclarations } from "lit";
import type {
  HomeserverClient,
  LoginFlows,
  MatrixSession,
  SessionStore,
} from "../../core/index.js";
import { MatrixLoginErrorEvent } from "../../events/matrix-login.js";
import { type CapturedResponse, pageResponse, reload } from "../../sign-in/captured-response.js";
import { LoginElement } from "../../sign-in/login-element.js";
import { loadSession, type SessionPersistence } from "../../sign-in/session-attributes.js";
import { isTrue } from "../../ui/element.js";
import { LazyController, lazyPart, type Load, renderLoadError } from "../../ui/lazy.js";
import { isInPage } from "../../ui/page.js";
import { sharedStyles } from "../../ui/styles.js";
import { Turns } from "../../ui/turn.js";
import type * as MatrixLoginPart from "./lazy/controller.js";
import type { MatrixLoginController } from "./lazy/controller.js";
import type { AccountsMode, LoginAction, MatrixLoginState } from "./lazy/settings.js";

export const loadMatrixLogin: Load<typeof MatrixLoginPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/controller.js"),
);

/**
 * Signs a user in to any Matrix homeserver: by OAuth 2.0, by single sign-on or with a password, whatever the
 * homeserver offers. It starts and completes the login on the same page, and can also create an account and reset
 * a password.
 *
 * @summary Sign in to any Matrix homeserver.
 * @tag matrix-login
 * @experimental
 *
 * @slot logo - The application's logo, in place of `logo-uri`.
 * @slot heading - Replaces the heading.
 * @slot homeserver - Replaces the field for the homeserver; the page then sets `homeserver`.
 * @slot before - Shown before the ways to sign in.
 * @slot after - Shown after the ways to sign in.
 * @slot success - Replaces "You are signed in."
 * @slot after-success - Shown below that, such as a link to the application.
 * @slot error - Replaces the text of every error.
 * @slot error-(code) - Replaces the text of the error with this code, such as `error-credentials_invalid`.
 * @slot idp-icon-(brand) - The icon of an identity provider, by its brand, such as `idp-icon-github`. Default: its initial.
 *
 * @fires {MatrixLoginHomeserverEvent} matrix-login-homeserver - The ways to sign in at a homeserver are known.
 * @fires {MatrixLoginStartEvent} matrix-login-start - Before anything starts. Cancelable: stops it.
 * @fires {MatrixLoginRedirectEvent} matrix-login-redirect - Before the page is left. Cancelable: the page navigates itself.
 * @fires {MatrixLoginSuccessEvent} matrix-login-success - The user has signed in. Cancelable: stays on this page.
 * @fires {MatrixLoginCancelEvent} matrix-login-cancel - The user declined, or something was cancelled.
 * @fires {MatrixLoginErrorEvent} matrix-login-error - Something failed. Cancelable: the page shows the error itself.
 * @fires {Event} statechange - `state` has changed.
 *
 * @csspart form - The panel with everything that the element shows.
 * @csspart logo - The application's logo.
 * @csspart heading - The heading, unless the page has its own.
 * @csspart homeserver - The field for the homeserver, or its name once it is known, with its label.
 * @csspart continue - The button that looks up the homeserver.
 * @csspart server-name - The homeserver's name.
 * @csspart change - The button that leads back to the field for the homeserver.
 * @csspart methods - The ways to sign in.
 * @csspart provider - The button of an identity provider.
 * @csspart initial - The initial of an identity provider without an icon.
 * @csspart divider - What separates two ways to sign in.
 * @csspart submit - The button that submits the password.
 * @csspart register - The button that creates an account.
 * @csspart forgot - The button that resets a password.
 * @csspart back - The button that goes back to signing in.
 * @csspart error - What went wrong.
 * @csspart retry - The button that tries again.
 * @csspart notice - A message that is not an error.
 * @csspart spinner - Turns while a request is in progress.
 * @csspart oidc-button - Of `<oidc-login>`: the button.
 * @csspart oidc-label - Of `<oidc-login>`: the button's label.
 * @csspart oidc-spinner - Of `<oidc-login>`: the spinner while the button is busy.
 * @csspart oidc-error - Of `<oidc-login>`: the error's text.
 * @csspart oidc-text - Of `<oidc-login>`: the text about the popup.
 * @csspart oidc-link - Of `<oidc-login>`: the link to use if the popup was blocked.
 * @csspart oidc-cancel - Of `<oidc-login>`: the button that cancels a login in a popup.
 * @csspart dialog-dialog - Of `<uia-dialog>`: the dialog, with its `::backdrop`.
 * @csspart dialog-heading - Of `<uia-dialog>`: the heading.
 * @csspart dialog-user - Of `<uia-dialog>`: who confirms, if that is known.
 * @csspart dialog-initial - Of `<uia-dialog>`: the initial of the user's name, in place of a picture.
 * @csspart dialog-host - Of `<uia-dialog>`: the host of the page's URL.
 * @csspart dialog-progress - Of `<uia-dialog>`: "Step 2 of 3".
 * @csspart dialog-description - Of `<uia-dialog>`: the description.
 * @csspart dialog-stage - Of `<uia-dialog>`: the stage.
 * @csspart dialog-instruction - Of `<uia-dialog>`: what the user is asked to do.
 * @csspart dialog-error - Of `<uia-dialog>`: what went wrong, if it belongs to no field.
 * @csspart dialog-notice - Of `<uia-dialog>`: a message that is not an error.
 * @csspart dialog-other - Of `<uia-dialog>`: a button beside the stage, such as "Resend".
 * @csspart dialog-actions - Of `<uia-dialog>`: the row of buttons.
 * @csspart dialog-submit - Of `<uia-dialog>`: the button that continues.
 * @csspart dialog-cancel - Of `<uia-dialog>`: the button that cancels.
 * @csspart dialog-spinner - Of `<uia-dialog>`: turns while a request is in progress.
 * @csspart dialog-open - Of `<uia-dialog>`: the button that opens the homeserver's page.
 * @csspart dialog-finished - Of `<uia-dialog>`: the button that says it is finished.
 * @csspart dialog-link - Of `<uia-dialog>`: the link to a page whose popup was blocked.
 * @csspart dialog-text - Of `<uia-dialog>`: the text about it.
 *
 * @cssprop [--matrix-login-inline-size=26em] - The panel's width, if there is room.
 * @cssprop [--oidc-panel-background=light-dark(#fff, #1d2129)] - The panel's background.
 * @cssprop [--oidc-panel-color=light-dark(#1b1f27, #e9ecf2)] - The panel's text.
 * @cssprop [--oidc-panel-border=1px solid light-dark(#d5d9e2, #3b414d)] - The panel's border.
 * @cssprop [--oidc-panel-padding=1.75em] - The space inside the panel.
 * @cssprop [--oidc-panel-shadow=0 0.25em 1.5em rgb(0 0 0 / 0.08)] - The panel's shadow.
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The background of the main buttons, and links.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The text of the main buttons.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The text of errors.
 * @cssprop [--oidc-border-radius=0.5em] - The corners of buttons and fields.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of the focused element.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 * @cssprop [--uia-field-background=light-dark(Field, rgb(255 255 255 / 0.06))] - The background of fields.
 * @cssprop [--uia-field-color=FieldText] - The text of fields.
 * @cssprop [--uia-field-border=1px solid color-mix(in srgb, currentcolor 55%, transparent)] - The border of fields.
 * @cssprop [--uia-field-padding=0.5em 0.75em] - The space inside fields.
 *
 * @cssstate idle - There is no homeserver yet.
 * @cssstate checking - The homeserver is asked how one can sign in there.
 * @cssstate ready - The user can sign in.
 * @cssstate submitting - The homeserver checks the password.
 * @cssstate redirecting - The page is being left.
 * @cssstate waiting - The user is signing in in a popup.
 * @cssstate completing - The response is being exchanged for tokens.
 * @cssstate authenticating - The dialog asks the user for something.
 * @cssstate success - The user has signed in.
 * @cssstate error - Something failed; the user can try again.
 */
export class MatrixLoginElement extends LoginElement {
  static override readonly tag: string = "matrix-login";

  static override get properties(): PropertyDeclarations {
    return {
      ...super.properties,
      homeserverLocked: { converter: isTrue },
      suggestions: {},
      methods: {},
      noRegistration: { converter: isTrue },
      noReset: { converter: isTrue },
      accounts: {},
      userId: {},
      deviceName: {},
    };
  }

  static override get styles(): CSSResultGroup {
    return sharedStyles;
  }

  /** The homeserver: a server name, a user ID or a base URL. Default: the user types it. */
  declare homeserver: string | undefined;
  /** Where to keep the user signed in: as `<oidc-callback persist>`. */
  declare persist: SessionPersistence | undefined;
  /** A store of the page's own to keep the session in. */
  declare store: SessionStore | undefined;
  /** The session's key in its store; `accounts="many"` gives each account one. */
  declare sessionKey: string | undefined;
  /** Whether the user cannot choose another homeserver; its name is still shown. */
  declare homeserverLocked: boolean;
  /** Homeservers to choose from; as an attribute separated by spaces. */
  declare suggestions: readonly string[] | string | undefined;
  /** Which of `oauth`, `sso` and `password` to offer, and in which order. Default: all. */
  declare methods: string | undefined;
  /** Whether to hide the button that creates an account. */
  declare noRegistration: boolean;
  /** Whether to hide the button that resets a password. */
  declare noReset: boolean;
  /** `many`: each account has a session of its own, by homeserver and device. Default: `one`. */
  declare accounts: AccountsMode | undefined;
  /** Who has to sign in, for example after a soft logout; anybody else is refused. */
  declare userId: string | undefined;
  /** The name of the new device, in the user's list of devices. Default: `client-name` or the title, and the browser. */
  declare deviceName: string | undefined;

  readonly #login = new LazyController(
    this,
    loadMatrixLogin,
    ({ MatrixLoginController }) => new MatrixLoginController(this),
    MatrixLoginErrorEvent,
  );

  readonly #turns = new Turns();
  /** Whether the page cancelled before the code was loaded. */
  #isCancelled = false;

  /** What the element does. */
  get state(): MatrixLoginState {
    if (this.#login.error) return "error";
    return this.#login.value?.state ?? "idle";
  }

  /** The homeserver's base URL, once it is known. */
  get homeserverUrl(): string | undefined {
    return this.#login.value?.homeserverUrl;
  }

  /** What the homeserver's legacy API lists, once it is known. */
  get flows(): LoginFlows | undefined {
    return this.#login.value?.found?.flows;
  }

  /** What the user does, or did last. */
  get method(): LoginAction | undefined {
    return this.#login.value?.method;
  }

  /** After success: the session that keeps the user signed in. */
  get session(): MatrixSession | undefined {
    return this.#login.value?.success?.session;
  }

  /** After success: a client of the homeserver with that session. */
  get client(): HomeserverClient | undefined {
    return this.#login.value?.success?.client;
  }

  /** What failed, while `state` is `error`. */
  get error(): Error | undefined {
    return this.#login.error ?? this.#login.value?.error;
  }

  /**
   * Asks a homeserver how one can sign in there. Resolves when `state` is `ready` or `error`.
   *
   * @param homeserver Default: the property.
   */
  async check(homeserver?: string): Promise<void> {
    await (await this.#loadUnlessCancelled())?.check(homeserver);
  }

  /**
   * Signs in by OAuth 2.0 or single sign-on, or shows what creates an account or resets a password. The OAuth 2.0
   * provider creates the account if it offers that. Resolves when the page is about to be left, or the
   * user has to act.
   */
  async start(
    method: Exclude<LoginAction, "password">,
    options?: { readonly idpId?: string; readonly action?: "login" | "register" },
  ): Promise<void> {
    await (await this.#loadUnlessCancelled())?.start(method, options);
  }

  /** Cancels what is in progress. A login that the homeserver completes all the same is undone. */
  cancel(): void {
    this.#turns.begin();
    this.#isCancelled = this.isConnected;
    this.#login.value?.cancel();
  }

  /** Begins anew, with nothing typed. */
  reset(): void {
    this.#turns.begin();
    this.#login.value?.reset();
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!isInPage()) return;
    if (!this.hasUpdated) {
      const found = pageResponse();
      // What another element reports while this one loads is this one's too.
      const response = found?.isReported ? undefined : found;
      // Needed before a code or a login token is used: load both parts in parallel.
      if (response) void loadSession();
      void this.#begin(response);
    } else this.#login.value?.settingsChanged(changed);
  }

  /** Undefined too if the page meanwhile cancels, resets or removes the element. */
  async #loadUnlessCancelled(): Promise<MatrixLoginController | undefined> {
    const turn = this.#turns.current;
    const { isConnected: wasConnected } = this;
    const controller = await this.#login.load();
    const isRemoved = wasConnected && !this.isConnected;
    return turn.isOver() || isRemoved ? undefined : controller;
  }

  async #begin(response: CapturedResponse | undefined): Promise<void> {
    const controller = await this.#login.load();
    if (!controller) return;
    void controller.begin(response);
    // Begun all the same: the response has been taken from the URL, and nobody else would end its login.
    if (this.#isCancelled) controller.cancel();
  }

  override render(): unknown {
    if (this.#login.error) return renderLoadError(this.localize, reload);
    return this.#login.value?.render() ?? html`<slot name="heading"></slot>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "matrix-login": MatrixLoginElement;
  }
}
