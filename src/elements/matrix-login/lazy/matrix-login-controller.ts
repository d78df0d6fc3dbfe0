import type { ReactiveController, TemplateResult } from "lit";
import type {
  AuthorizationCodeGrantResult,
  LegacyLoginResult,
  LoginFlows,
  UserIdentifier,
} from "../../../core/index.js";
import { loginWithPassword } from "../../../core/legacy/password-login.js";
import { completeSsoLogin, startSsoLogin } from "../../../core/legacy/sso-login.js";
import { MatrixLoginCancelEvent } from "../../../events/matrix-login-cancel.js";
import { MatrixLoginErrorEvent } from "../../../events/matrix-login-error.js";
import { MatrixLoginHomeserverEvent } from "../../../events/matrix-login-homeserver.js";
import { MatrixLoginRedirectEvent } from "../../../events/matrix-login-redirect.js";
import { MatrixLoginStartEvent } from "../../../events/matrix-login-start.js";
import { MatrixLoginSuccessEvent } from "../../../events/matrix-login-success.js";
import { LoginCompletion } from "../../shared/lazy/login-completion.js";
import { ownUrl } from "../../shared/lazy/page-urls.js";
import { pageScriptsDone } from "../../shared/page-lifecycle.js";
import type { CapturedLogin } from "../captured-login.js";
import type { LoginAction, MatrixLoginHost, MatrixLoginState } from "../matrix-login-host.js";
import { asCodedError, type CodedError } from "./coded-error.js";
import { findMethods, type FoundHomeserver } from "./find-methods.js";
import type { LoginModel } from "./login-model.js";
import { readMethods, redirectUriOf, returnToOf, sessionOptions } from "./matrix-login-settings.js";
import { MatrixLoginView } from "./matrix-login-view.js";
import { keepLegacy, keepOAuth, replaceSameUser, type SignedInUser } from "./matrix-session.js";

/** Signs in at any homeserver, from its name to the session. */
export class MatrixLoginController implements ReactiveController, LoginModel {
  readonly #host: MatrixLoginHost;
  readonly #view: MatrixLoginView;
  #state: MatrixLoginState = "idle";
  #method: LoginAction | undefined;
  #found: FoundHomeserver | undefined;
  #error: CodedError | undefined;
  #success: SignedInUser | undefined;
  /** Of what is in progress. */
  #abort = new AbortController();

  constructor(host: MatrixLoginHost) {
    this.#host = host;
    this.#view = new MatrixLoginView(host, this);
    host.addController(this);
  }

  get state(): MatrixLoginState {
    return this.#state;
  }

  get method(): LoginAction | undefined {
    return this.#method;
  }

  /** The homeserver, once it is known how one can sign in there. */
  get found(): FoundHomeserver | undefined {
    return this.#found;
  }

  get homeserverUrl(): string | undefined {
    return this.#success?.session.homeserverUrl ?? this.#found?.homeserverUrl;
  }

  get flows(): LoginFlows | undefined {
    return this.#found?.flows;
  }

  get error(): CodedError | undefined {
    return this.#error;
  }

  get success(): SignedInUser | undefined {
    return this.#success;
  }

  render(): TemplateResult {
    return this.#view.render();
  }

  hostUpdated(): void {
    this.#view.updated();
  }

  hostConnected(): void {
    this.#host.stateChanged();
    window.addEventListener("pageshow", this.#onPageShow);
  }

  hostDisconnected(): void {
    window.removeEventListener("pageshow", this.#onPageShow);
    queueMicrotask(() => {
      if (!this.#host.isConnected) this.#view.forget();
    });
  }

  /** Completes a login that the browser came back from, or looks up the homeserver. */
  async begin(login: CapturedLogin | undefined): Promise<void> {
    if (login?.kind === "sso") {
      await this.#completing("sso", async (signal) =>
        this.#keep(await completeSsoLogin(login.url, { signal })),
      );
    } else if (login) {
      await this.#completing("oauth", async () => {
        const completion = LoginCompletion.of(login.response);
        const outcome = await completion.settled();
        if (outcome.state === "error") throw outcome.error;
        if (outcome.result) await this.#keepOAuth(outcome.result);
      });
    } else if (this.#host.homeserver) await this.check();
    else this.#host.stateChanged();
  }

  /** Asks a homeserver how one can sign in there. */
  async check(homeserver = this.#host.homeserver): Promise<void> {
    const signal = this.#begin("checking");
    this.#found = undefined;
    if (!homeserver) return this.#setState("idle");
    try {
      const found = await findMethods(homeserver, readMethods(this.#host), { signal });
      if (signal.aborted) return;
      this.#found = found;
      this.#setState("ready");
      this.#host.dispatchEvent(new MatrixLoginHomeserverEvent(found));
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  async start(
    method: Exclude<LoginAction, "password">,
    options: { readonly idpId?: string; readonly action?: "login" | "register" } = {},
  ): Promise<void> {
    if (!this.#found) await this.check();
    const found = this.#found;
    if (!found) return;
    if (method === "oauth") return this.#view.startOAuth();
    if (method !== "sso") return this.#view.show(method);
    if (!this.#announceStart("sso", found)) return;
    const signal = this.#begin("redirecting");
    try {
      const { deviceId, deviceName, userId } = this.#host;
      const returnTo = returnToOf(this.#host);
      const { url } = startSsoLogin({
        homeserverUrl: found.homeserverUrl,
        identityServerUrl: found.identityServerUrl,
        redirectUri: redirectUriOf(this.#host),
        ...options,
        deviceId,
        deviceName,
        expectedUserId: userId,
        appState: returnTo === undefined ? undefined : { returnTo },
      });
      this.#leave("sso", url);
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  /** Signs in with what the user has typed. */
  async submitPassword(identifier: UserIdentifier, password: string): Promise<void> {
    const found = this.#found;
    if (!found || !this.#announceStart("password", found)) return;
    const { deviceId, deviceName, userId } = this.#host;
    const { homeserverUrl, identityServerUrl } = found;
    await this.#completing("password", async (signal) => {
      const settings = { homeserverUrl, identityServerUrl, deviceId, deviceName };
      const login = { ...settings, identifier, password, expectedUserId: userId };
      await this.#keep(await loginWithPassword(login, { signal }));
    });
  }

  /** An OAuth 2.0 login in a popup has succeeded. */
  async keepPopup(result: AuthorizationCodeGrantResult): Promise<void> {
    await this.#completing("oauth", () => this.#keepOAuth(result));
  }

  /** Dispatches the event that is the element's own for one of `<oidc-login>`; returns whether it goes on. */
  announceStart(method: LoginAction): boolean {
    return this.#found !== undefined && this.#announceStart(method, this.#found);
  }

  /** The state of `<oidc-login>`, while the user signs in by it. */
  followOAuth(state: "redirecting" | "waiting"): void {
    this.#method = "oauth";
    this.#setState(state);
  }

  /** Does what `<uia-dialog>` is needed for; a registration signs in. */
  async authenticate(
    method: "registration" | "reset",
    run: () => Promise<LegacyLoginResult | undefined>,
  ): Promise<void> {
    this.#method = method;
    const signal = this.#begin("authenticating");
    try {
      const result = await run();
      if (result) await this.#keep(result);
      else if (!signal.aborted) this.#setState("ready");
    } catch (error) {
      if ((error as { readonly code?: string }).code === "cancelled") this.cancel();
      else this.#fail(error, signal);
    }
  }

  /** Reports an error of another element. */
  fail(method: LoginAction, error: unknown): void {
    this.#method = method;
    this.#fail(error, this.#abort.signal);
  }

  cancel(reason: "refused" | "closed" | "cancelled" = "cancelled"): void {
    if (["idle", "ready", "success", "error"].includes(this.#state)) return;
    this.#begin(this.#found ? "ready" : "idle");
    this.#host.dispatchEvent(new MatrixLoginCancelEvent({ method: this.#method, reason }));
  }

  reset(): void {
    this.#begin("idle");
    this.#found = this.#success = this.#method = undefined;
    this.#view.forget();
    this.#host.stateChanged();
    void this.check();
  }

  settingsChanged(changed: Map<PropertyKey, unknown>): void {
    if (changed.has("homeserver") || changed.has("methods")) this.#view.checkSoon();
  }

  #announceStart(method: LoginAction, { homeserverUrl }: FoundHomeserver): boolean {
    this.#method = method;
    return this.#host.dispatchEvent(new MatrixLoginStartEvent({ method, homeserverUrl }));
  }

  /** Ends what is in progress, and begins something else. */
  #begin(state: MatrixLoginState): AbortSignal {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#setState(state);
    return this.#abort.signal;
  }

  async #completing(
    method: "oauth" | "sso" | "password",
    complete: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#method = method;
    const signal = this.#begin(method === "password" ? "submitting" : "completing");
    try {
      await complete(signal);
    } catch (error) {
      this.#fail(error, signal);
      // After a way back there is nothing on the page yet.
      if (!this.#found && this.#host.homeserver) void this.#lookUpAgain();
    }
  }

  /** The user can try again at once. */
  async #lookUpAgain(): Promise<void> {
    const { signal } = this.#abort;
    const found = await findMethods(this.#host.homeserver ?? "", readMethods(this.#host), {
      signal,
    }).catch(() => undefined);
    if (signal.aborted) return;
    this.#found = found;
    this.#host.stateChanged();
  }

  async #keep(result: LegacyLoginResult): Promise<void> {
    const signedIn = await keepLegacy(result, sessionOptions(this.#host, result));
    await this.#succeed(signedIn, result.appState?.["returnTo"]);
  }

  async #keepOAuth(result: AuthorizationCodeGrantResult): Promise<void> {
    const options = sessionOptions(this.#host, result);
    const signedIn = await keepOAuth(result, options, this.#host.userId);
    await this.#succeed(signedIn, result.appState?.["returnTo"]);
  }

  async #succeed(signedIn: SignedInUser, returnTo: string | undefined): Promise<void> {
    const { session, client } = signedIn;
    if (this.#host.accounts === "many") await replaceSameUser(session, sessionOptions(this.#host));
    this.#success = signedIn;
    this.#setState("success");
    await pageScriptsDone();
    const url = ownUrl(this.#host.returnTo || returnTo);
    const event = new MatrixLoginSuccessEvent({
      method: this.#method as "password",
      session,
      client,
      ...session.user,
      homeserverUrl: session.homeserverUrl,
      ...(url !== undefined && { returnTo: url }),
    });
    const stays = !this.#host.dispatchEvent(event);
    // Replaced, so that "back" does not lead to a page that has nothing left to do.
    if (url !== undefined && !stays) location.replace(url);
  }

  #leave(method: "sso", url: string): void {
    const stays = !this.#host.dispatchEvent(new MatrixLoginRedirectEvent({ method, url }));
    if (stays) this.#setState("ready");
    else location.assign(url);
  }

  #fail(error: unknown, { aborted }: AbortSignal): void {
    if (aborted) return;
    this.#error = asCodedError(error);
    this.#setState("error");
    const method = this.#found || this.#method !== undefined ? this.#method : undefined;
    this.#host.dispatchEvent(new MatrixLoginErrorEvent(this.#error, method));
  }

  /** After "back" from the provider, the browser may restore this page as it was left: busy. */
  readonly #onPageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted && this.#state === "redirecting") this.#setState("ready");
  };

  #setState(state: MatrixLoginState): void {
    if (state !== "error") this.#error = undefined;
    this.#state = state;
    this.#host.stateChanged();
  }
}
