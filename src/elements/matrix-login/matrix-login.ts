import "../../ui/import-lit.js";
import { type CSSResultGroup, html, type PropertyDeclarations } from "lit";
import type {
  HomeserverClient,
  LoginFlows,
  MatrixSession,
  SessionStore,
} from "../../core/index.js";
import { MatrixLoginErrorEvent, type MatrixLoginView } from "../../events/matrix-login.js";
import { pageResponse } from "../../sign-in/captured-response.js";
import { LoginElement } from "../../sign-in/login-element.js";
import { loadSession, type SessionPersistence } from "../../sign-in/session-attributes.js";
import { isTrue } from "../../ui/element.js";
import { LazyController, lazyPart, type Load, type LoadedPart } from "../../ui/loading.js";
import { Operation } from "../../ui/operation.js";
import { isInPage } from "../../ui/page.js";
import { sharedStyles } from "../../ui/styles.js";
import type { MatrixLoginController } from "./controller.js";
import type { FirstScreen } from "./first-screen.js";
import type * as FirstScreenPart from "./first-screen.js";
import type { AccountsMode, LoginAction } from "./settings.js";
import type { MatrixLoginState } from "./state.js";
import type { ReturnedLogin } from "./returned-login.js";

const loadMatrixLogin = /* @__PURE__ */ lazyPart(() => import("./view.js"));

/** The content before the view is loaded. The element's own entry includes it from the start. */
export const loadFirstScreen: Load<typeof FirstScreenPart> = /* @__PURE__ */ lazyPart(
  () => import("./first-screen.js"),
);

/** Completes a sign-in after the user's return. */
const loadReturnedLogin = /* @__PURE__ */ lazyPart(() => import("./returned-login.js"));

/**
 * Signs a user in to any Matrix homeserver with OAuth 2.0, single sign-on, or a password, depending
 * on what the homeserver supports. It completes the sign-in on the same page. It can also create an
 * account and reset a password.
 *
 * @summary Sign in to any Matrix homeserver.
 * @tag matrix-login
 * @experimental
 *
 * @slot logo - The app's logo. Replaces `logo-uri`.
 * @slot heading - Replaces the heading.
 * @slot homeserver - Replaces the homeserver field. Your page then sets `homeserver`.
 * @slot before - Shown before the sign-in methods.
 * @slot after - Shown after the sign-in methods.
 * @slot success - Replaces "You’re signed in."
 * @slot after-success - Shown below "You’re signed in.", for example a link to the app.
 * @slot error - Replaces the message of every error.
 * @slot error-(code) - Replaces the message of the error with this code, such as
 * `error-credentials_invalid`.
 * @slot idp-icon-(brand) - The icon of the identity provider with this brand, such as
 * `idp-icon-github`. Default: the brand's icon (`apple`, `facebook`, `github`, `gitlab`, `google`, `twitter`), or
 * the initial of the provider's name.
 *
 * @fires {MatrixLoginHomeserverEvent} matrix-login-homeserver - Fires when the sign-in methods of a
 * homeserver are available.
 * @fires {MatrixLoginViewEvent} matrix-login-view - Fires when the element shows another view, for a
 * heading or links of your page.
 * @fires {MatrixLoginStartEvent} matrix-login-start - Fires before a sign-in, a registration, or a
 * password reset starts. Call `preventDefault()` to stop it.
 * @fires {MatrixLoginRedirectEvent} matrix-login-redirect - Fires before the browser leaves the
 * page. Call `preventDefault()` to navigate yourself.
 * @fires {MatrixLoginSuccessEvent} matrix-login-success - Fires when the user has signed in. Call
 * `preventDefault()` to stay on this page.
 * @fires {MatrixLoginCancelEvent} matrix-login-cancel - Fires when the user declines, or when a
 * sign-in is cancelled.
 * @fires {MatrixLoginErrorEvent} matrix-login-error - Fires when an operation fails. Call
 * `preventDefault()` to show the error yourself.
 * @fires {Event} statechange - Fires when `state` changes.
 *
 * @csspart form - The panel that contains everything.
 * @csspart logo - The app's logo.
 * @csspart heading - The heading, unless the slot replaces it.
 * @csspart homeserver - The homeserver field with its label, or the homeserver's name.
 * @csspart suggestion - The button of a suggested homeserver.
 * @csspart continue - The button that looks up the homeserver.
 * @csspart server-name - The homeserver's name.
 * @csspart change - The button that shows the homeserver field again.
 * @csspart methods - The sign-in methods.
 * @csspart provider - The button of an identity provider.
 * @csspart brand-icon - The icon of an identity provider's brand.
 * @csspart initial - The initial of an identity provider without an icon.
 * @csspart divider - The divider between two sign-in methods.
 * @csspart submit - The button that submits the password.
 * @csspart register - The button that creates an account.
 * @csspart forgot - The button that resets a password.
 * @csspart back - The button that returns to the sign-in form.
 * @csspart error - The error message.
 * @csspart retry - The button that tries again.
 * @csspart notice - A message that isn't an error.
 * @csspart spinner - The spinner during a request.
 * @csspart oidc-* - The parts of `<oidc-login>`, such as `oidc-button`.
 * @csspart dialog-* - The parts of `<uia-dialog>`, such as `dialog-heading`.
 *
 * @cssprop [--matrix-login-inline-size=26em] - The panel's width, if there is room.
 * @cssprop [--oidc-panel-background=light-dark(#fff, #1d2129)] - The panel's background.
 * @cssprop [--oidc-panel-color=light-dark(#1b1f27, #e9ecf2)] - The panel's text.
 * @cssprop [--oidc-panel-border=1px solid light-dark(#d5d9e2, #3b414d)] - The panel's border.
 * @cssprop [--oidc-panel-padding=1.75em] - The space inside the panel.
 * @cssprop [--oidc-panel-shadow=0 0.25em 1.5em rgb(0 0 0 / 0.08)] - The panel's shadow.
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The background of the main buttons.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The text of the main buttons.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The text of errors.
 * @cssprop [--oidc-border-radius=0.5em] - The corners of buttons and fields.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of the focused
 * element.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 * @cssprop [--uia-field-background=light-dark(Field, rgb(255 255 255 / 0.06))] - The background of
 * fields.
 * @cssprop [--uia-field-color=FieldText] - The text of fields.
 * @cssprop [--uia-field-border=1px solid color-mix(in srgb, currentcolor 55%, transparent)] - The
 * border of fields.
 * @cssprop [--uia-field-padding=0.5em 0.75em] - The space inside fields.
 * @cssprop [--auth-link-color=var(--oidc-accent-color)] - The text of links. The default is darker on a light page,
 * and lighter on a dark one, if that makes it readable.
 * @cssprop [--auth-success-color=var(--auth-link-color)] - The mark of a success.
 * @cssprop [--auth-error-background=color-mix(in srgb, var(--oidc-error-color) 9%, transparent)] - The
 * background of the box around an error.
 * @cssprop [--auth-error-border=1px solid color-mix(in srgb, var(--oidc-error-color) 40%, transparent)] -
 * The border of the box around an error.
 * @cssprop [--auth-error-border-radius=min(var(--oidc-border-radius), 0.75em)] - The corners of the
 *   box around an error.
 * @cssprop [--auth-control-block-size=2.75em] - The minimum height of buttons and fields.
 * @cssprop [--auth-field-border-radius=var(--oidc-border-radius)] - The corners of fields.
 * @cssprop [--auth-panel-border-radius=min(var(--oidc-border-radius) * 2, 1.5em)] - The corners of the
 * panel.
 * @cssprop [--auth-separator=1px solid color-mix(in srgb, currentcolor 25%, transparent)] - The line
 * between two sign-in methods.
 * @cssprop [--auth-font-family=inherit] - The font. Default: the page's, or the system's if the page
 * has none.
 * @cssprop [--auth-font-size=inherit] - The size of the text. All sizes follow it.
 * @cssprop [--auth-heading-font-family=inherit] - The font of headings.
 * @cssprop [--auth-heading-font-weight=700] - The weight of headings.
 *
 * @cssstate idle - No homeserver is set.
 * @cssstate checking - Looking up the homeserver's sign-in methods.
 * @cssstate ready - Waiting for the user to sign in.
 * @cssstate submitting - The homeserver is checking the password.
 * @cssstate redirecting - The browser is leaving the page.
 * @cssstate waiting - Waiting for the user in a popup.
 * @cssstate completing - Exchanging the response for tokens.
 * @cssstate authenticating - The dialog is waiting for user input.
 * @cssstate success - The user has signed in.
 * @cssstate error - An operation failed. The user can try again.
 */
export class MatrixLoginElement extends LoginElement {
  static override readonly tag: string = "matrix-login";

  static override properties: PropertyDeclarations = {
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

  static override styles: CSSResultGroup = sharedStyles;

  /** The homeserver: a server name, a user ID, or a base URL. Default: the user enters it. */
  declare homeserver: string | undefined;
  /** Where to store the session, as in `<oidc-callback persist>`. */
  declare persist: SessionPersistence | undefined;
  /**
   * A custom store for the session. If elements on the page have different stores, each needs its own
   * `id` or `session-key`.
   */
  declare store: SessionStore | undefined;
  /**
   * The session's key in the store. With `accounts="many"`, each account gets its own key, which
   * begins with this one.
   */
  declare sessionKey: string | undefined;
  /** Whether the user can't choose another homeserver. The element still shows its name. */
  declare homeserverLocked: boolean;
  /** Suggested homeservers. In the attribute, separate them with spaces. */
  declare suggestions: readonly string[] | string | undefined;
  /** The sign-in methods to offer, in order: `oauth`, `sso`, `password`. Default: all. */
  declare methods: string | undefined;
  /** Whether to hide the button that creates an account. */
  declare noRegistration: boolean;
  /** Whether to hide the button that resets a password. */
  declare noReset: boolean;
  /** `many`: a separate session for each homeserver and device. Default: `one`. */
  declare accounts: AccountsMode | undefined;
  /**
   * The user who must sign in, for example after a soft logout. Other users are rejected with
   * `user_mismatch`.
   */
  declare userId: string | undefined;
  /** The new device's name. Default: `client-name` or the title, and the browser. */
  declare deviceName: string | undefined;

  readonly #part = new LazyController(this, () => this.#loadParts(), MatrixLoginErrorEvent);
  #returned: ReturnedLogin | undefined;
  #first: FirstScreen | undefined;
  /** The page's last call, until the code is loaded. */
  readonly #call = new Operation();
  /** How the page has ended everything before the code was loaded. */
  #ended: "cancel" | "reset" | undefined;

  /** The element's current state. */
  get state(): MatrixLoginState {
    if (this.#part.error) return "error";
    return this.#part.value?.publicState ?? "idle";
  }

  /**
   * What the element shows: the `homeserver` field, the methods to `sign-in`, the form for a
   * `registration` or a `reset` of the password, or the `success`.
   */
  get view(): MatrixLoginView {
    return this.#part.value?.view ?? "homeserver";
  }

  /** The homeserver's base URL; `undefined` before the lookup. */
  get homeserverUrl(): string | undefined {
    return this.#part.value?.homeserverUrl;
  }

  /** The sign-in methods of the homeserver's legacy API; `undefined` before the lookup. */
  get flows(): LoginFlows | undefined {
    return this.#part.value?.place.found?.flows;
  }

  /** The sign-in method in use, or the last one used. */
  get method(): LoginAction | undefined {
    return this.#part.value?.method;
  }

  /** The session, after a successful sign-in. */
  get session(): MatrixSession | undefined {
    return this.#part.value?.user?.session;
  }

  /** A client of the homeserver with the session, after a successful sign-in. */
  get client(): HomeserverClient | undefined {
    return this.#part.value?.user?.client;
  }

  /** The error, while `state` is `error`. */
  get error(): Error | undefined {
    return this.#part.error ?? this.#part.value?.error;
  }

  /**
   * Looks up the sign-in methods of a homeserver. Resolves when `state` is `ready` or `error`.
   *
   * @param homeserver Default: the property.
   */
  async check(homeserver?: string): Promise<void> {
    await (await this.#load())?.check({ server: homeserver });
  }

  /**
   * Starts a sign-in with OAuth 2.0 or single sign-on, or shows the form that creates an account or
   * resets a password. If the OAuth 2.0 provider can create accounts, it opens the provider.
   * Resolves when the browser is about to leave the page, or when user input is required. If the element
   * is `disabled`, it resolves immediately.
   */
  async start(
    method: Exclude<LoginAction, "password">,
    options?: { readonly idpId?: string; readonly action?: "login" | "register" },
  ): Promise<void> {
    await (await this.#load())?.start(method, options);
  }

  /**
   * Cancels the operation, and clears the password. If the sign-in completes anyway, its session is
   * signed out.
   */
  cancel(): void {
    this.#end("cancel");
  }

  /** Resets the element and clears the form. */
  reset(): void {
    this.#end("reset");
  }

  /** Also `undefined` if the page cancels, resets, or removes the element while it loads. */
  async #load(): Promise<MatrixLoginController | undefined> {
    const { isConnected: wasConnected } = this;
    const controller = await this.#call.run(() => this.#part.load());
    return wasConnected && !this.isConnected ? undefined : controller;
  }

  #end(how: "cancel" | "reset"): void {
    const { value } = this.#part;
    this.#call.cancel();
    if (value) value[how]();
    else if (this.isConnected) this.#ended = how;
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!isInPage()) return;
    if (!this.hasUpdated) void this.#begin();
    else this.#part.value?.settingsChanged(changed);
  }

  /** All parts that are needed before a code or a login token is used are loaded at the same time. */
  async #loadParts(): Promise<{ readonly create: () => LoadedPart<MatrixLoginController> }> {
    const response = pageResponse();
    // This element also handles responses that another element reports while this one loads.
    const isOpen = response && !response.isReported;
    if (isOpen) void loadSession();
    const loading = loadFirstScreen().then((part) => {
      this.#first ??= new part.FirstScreen(this);
      this.requestUpdate();
      return part;
    });
    const [first, { create }, returned] = await Promise.all([
      loading,
      loadMatrixLogin(),
      isOpen && loadReturnedLogin(),
    ]);
    if (response && returned) this.#returned = new returned.ReturnedLogin(response, this);
    return { create: () => create(this, this.#returned, first, this.#first) };
  }

  async #begin(): Promise<void> {
    const controller = await this.#part.load();
    if (!controller) return;
    const end = this.#ended;
    // A returned sign-in starts in any case. Its response has left the URL, so no other code could end it.
    if (this.#returned || end !== "reset") void controller.initialize(this.#returned);
    if (end) controller[end]();
  }

  override render(): unknown {
    const { loaded } = loadFirstScreen;
    if (loaded && isInPage()) this.#first ??= new loaded.FirstScreen(this);
    const first = this.#first?.render() ?? html`<slot name="heading"></slot>`;
    return this.#part.render(first, () => this.#begin());
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "matrix-login": MatrixLoginElement;
  }
}
