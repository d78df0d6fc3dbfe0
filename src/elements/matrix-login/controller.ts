import type { ReactiveController } from "lit";
import { LoginError } from "../../core/legacy/errors.js";
import { MatrixError } from "../../core/matrix/error.js";
import type { SsoRedirectOptions } from "../../core/matrix/request.js";
import { settingsInvalid } from "../../core/oauth/errors.js";
import {
  MatrixLoginCancelEvent,
  MatrixLoginErrorEvent,
  MatrixLoginHomeserverEvent,
  MatrixLoginRedirectEvent,
  MatrixLoginStartEvent,
  type MatrixLoginView,
  MatrixLoginViewEvent,
} from "../../events/matrix-login.js";
import { asCodedError, type CodedError, isRetryable } from "../../errors/coded-error.js";
import { ErrorView } from "../../errors/error-view.js";
import { understood } from "../../core/shared/typed-names.js";
import { looksComplete } from "../../sign-in/homeserver.js";
import { explainLostResponse } from "../../sign-in/lost-response.js";
import { PageLeave } from "../../ui/page-leave.js";
import { timeoutOf } from "../../sign-in/login-element.js";
import { replaceSameUser, type SignedInUser } from "../../sign-in/signed-in.js";
import { loadSession } from "../../sign-in/session-attributes.js";
import { ambiguityOf, starterOf, takeChosen } from "../../sign-in/starter.js";
import { lazyPart, type Load } from "../../ui/loading.js";
import { valueOf } from "../../ui/form/field.js";
import { LightForm } from "../../ui/form/form.js";
import { Operation } from "../../ui/operation.js";
import { pageScriptsDone, whenRemoved } from "../../ui/page.js";
import type { OidcLoginElement } from "../oidc-login/oidc-login.js";
import type { Entered } from "./first-screen.js";
import type { MatrixLoginElement } from "./matrix-login.js";
import type { AccountForm, AccountOutcome } from "./account-form.js";
import type * as AccountFormPart from "./account-form.js";
import {
  accountAttempt,
  type Attempt,
  loadPassword,
  passwordAttempt,
  report,
  ssoAttempt,
  type Success,
  undo,
} from "./attempts.js";
import {
  findMethods,
  type FoundHomeserver,
  hasAccountForms,
  type Lookup,
  PlannedLookup,
} from "./lookup.js";
import type { ReturnedLogin } from "./returned-login.js";
import {
  type AccountAction,
  type Given,
  givenBy,
  isUsersChoice,
  localpartOf,
  type LoginAction,
  serverNameOf,
  sessionOptions,
  startingHomeserver,
} from "./settings.js";
import { loadSso } from "./sso.js";
import {
  endsOnRemoval,
  isBusy,
  loginIn,
  type LoginState,
  type MatrixLoginState,
  type Place,
  viewOf,
} from "./state.js";

export const loadAccountForm: Load<typeof AccountFormPart> = /* @__PURE__ */ lazyPart(
  () => import("./account-form.js"),
);

interface Failure extends Partial<Omit<Extract<LoginState, { name: "error" }>, "name" | "error">> {
  readonly method?: LoginAction;
  /** Whether another element shows the error. */
  readonly isShown?: boolean;
}

/** The state of the element, and the operations that change it. */
export class MatrixLoginController implements ReactiveController {
  readonly host: MatrixLoginElement;
  readonly form: LightForm;
  readonly errors: ErrorView;
  readonly #leave: PageLeave;
  readonly #operation = new Operation();
  readonly #planned: PlannedLookup;
  #state: LoginState;
  #place: Place = {};
  #method: LoginAction | undefined;
  /** The page's settings when a button for the provider was clicked. */
  readonly #given = new WeakMap<OidcLoginElement, Given>();
  #username: string | undefined;
  readonly #entered: Entered | undefined;
  /** The sign-in whose event has not fired yet, because the element is not in the document. */
  #unreported: Success | undefined;

  /**
   * @param login The returned sign-in. If it is for this element, the homeserver field isn't shown
   *   before `initialize()`.
   * @param entered The user's input on the first screen.
   */
  constructor(
    host: MatrixLoginElement,
    login: ReturnedLogin | undefined,
    entered: Entered | undefined,
  ) {
    this.host = host;
    this.#entered = entered;
    if (entered) this.#place = { typed: entered.homeserver, isTyping: true };
    this.#state = { name: login && login.fit !== "other" ? "completing" : "idle" };
    this.errors = new ErrorView(host);
    this.form = new LightForm(host);
    this.#planned = new PlannedLookup(host, (lookup) => void this.check(lookup));
    this.#leave = new PageLeave(host, () => {
      if (this.#state.name === "redirecting") this.#rest();
    });
    host.addController(this);
    // While the user continues to type in the current form, no other form must replace it.
    host.addEventListener("input", () => this.#cancelOpening());
  }

  get state(): LoginState {
    return this.#state;
  }

  /** The element's `state`. */
  get publicState(): MatrixLoginState {
    return this.#state.name === "opening" ? "ready" : this.#state.name;
  }

  get view(): MatrixLoginView {
    return viewOf(this.#state, this.#place);
  }

  get place(): Place {
    return this.#place;
  }

  /** The sign-in method in use, or the last one used. */
  get method(): LoginAction | undefined {
    return this.#method;
  }

  /** The username that was entered. It isn't a secret, and might be valid on another homeserver. */
  get username(): string | undefined {
    return this.#username;
  }

  get isBusy(): boolean {
    return isBusy(this.#state);
  }

  get error(): CodedError | undefined {
    return this.#state.name === "error" ? this.#state.error : undefined;
  }

  get user(): SignedInUser | undefined {
    return this.#state.name === "success" ? this.#state.user : undefined;
  }

  get homeserverUrl(): string | undefined {
    return this.user?.session.homeserverUrl ?? this.#place.found?.homeserverUrl;
  }

  /** The value of the homeserver field. */
  get homeserver(): string {
    const { found, server, typed, isTyping } = this.#place;
    if (found && !isTyping) return found.homeserver;
    return typed ?? (server || this.host.homeserver || "");
  }

  /** Whether the user must confirm the homeserver field. */
  get asksForHomeserver(): boolean {
    return isUsersChoice(this.host) && !this.#place.found;
  }

  /** The only place where the state changes. */
  #become(state: LoginState, place: Place = this.#place): void {
    const { view } = this;
    const last = this.#state;
    this.#state = state;
    this.#place = place;
    if (state.name !== "redirecting") this.#leave.cancel();
    // Tokens that are kept for another attempt are revoked.
    const login = loginIn(last);
    if (login !== loginIn(state) && state.name !== "success") login?.close();
    this.host.stateChanged();
    if (view !== this.view) {
      this.host.dispatchEvent(new MatrixLoginViewEvent({ view: this.view }));
    }
  }

  /** Waits for the user. */
  #rest(declined?: boolean, place: Place = this.#place): void {
    this.#become({ name: place.found ? "ready" : "idle", declined }, place);
  }

  hostConnected(): void {
    this.#report();
    this.#planned.resume();
  }

  /**
   * A lookup restarts when the element is in the document again. A password is not kept for that.
   */
  hostDisconnected(): void {
    whenRemoved(this.host, () => {
      // `<oidc-login>` is reset with it.
      if (this.#state.name === "redirecting") {
        this.#operation.cancel();
        this.#rest();
      }
      const isChecking = this.#state.name === "checking";
      this.#planned.suspend(isChecking ? this.#place : undefined);
      if (!isChecking && !endsOnRemoval(this.#state)) return;
      this.#operation.cancel();
      this.#rest();
    });
  }

  async initialize(login: ReturnedLogin | undefined): Promise<void> {
    if (login) {
      if (login.fit === "own") return this.#complete(login);
      if (login.fit === "stand-in") {
        const completes = await this.#operation.run(() => {
          this.#become({ name: "completing" });
          return login.mayComplete();
        });
        if (completes === undefined) return;
        if (completes && this.host.isConnected) return this.#complete(login);
        this.#rest();
      } else {
        // The page might have changed a setting since the code was loaded.
        if (this.#state.name === "completing") this.#rest();
        void this.#completeLate(login);
      }
    }
    explainLostResponse();
    const server = startingHomeserver(this.host, takeChosen(starterOf("matrix-login", this.host)));
    if (this.#entered) await this.continueWith(this.#entered);
    else if (server && this.host.isConnected) await this.check({ server });
    else if (server) this.#planned.suspend({ server });
  }

  /** Continues from the user's place on the first screen. */
  async continueWith({ homeserver, next }: Entered): Promise<void> {
    if (next === "registration") await this.createAccount();
    else if (next) await this.confirmHomeserver(true);
    else this.typeHomeserver(homeserver);
  }

  /** Completes a sign-in later, because the page might set a `store`, a key, or a user late. */
  async #completeLate(login: ReturnedLogin): Promise<void> {
    const completes = await login.mayComplete();
    const isFree = this.host.isConnected && !this.isBusy && this.#state.name !== "success";
    if (completes && isFree) await this.#complete(login);
  }

  // The homeserver

  /** Looks up a homeserver's sign-in methods. */
  async check(lookup: Lookup = {}): Promise<void> {
    await this.#operation.run((signal) => this.#lookUp(lookup, signal));
  }

  #limits(signal: AbortSignal) {
    return { signal, timeoutMs: timeoutOf(this.host) };
  }

  async #lookUp(lookup: Lookup, signal: AbortSignal): Promise<FoundHomeserver | undefined> {
    this.host.applyProperties();
    this.#planned.cancel();
    const { server = this.host.homeserver || undefined, typed, isTyping, movesFocus } = lookup;
    this.#become({ name: "idle" }, { server, typed, isTyping });
    signal.throwIfAborted();
    if (server === undefined) return undefined;
    this.#become({ name: "checking", movesFocus });
    try {
      const found = await findMethods(server, this.host, this.#limits(signal));
      signal.throwIfAborted();
      this.#foundMethods(found);
      return found;
    } catch (error) {
      signal.throwIfAborted();
      if (this.#place.isTyping) this.#become({ name: "idle", failure: error });
      else this.#lookupFailed(error);
      return undefined;
    }
  }

  #foundMethods(found: FoundHomeserver): void {
    const { state, place } = this;
    const next = { ...place, found };
    if (state.name === "checking") {
      this.#become({ name: "ready", movesFocus: state.movesFocus }, next);
    } else if (state.name === "idle") this.#rest(state.declined, next);
    else this.#become(state, next);
    const { homeserver, homeserverUrl, methods, flows } = found;
    if (methods.includes("sso")) void loadSso();
    this.host.dispatchEvent(
      new MatrixLoginHomeserverEvent({ homeserver, homeserverUrl, methods, flows }),
    );
  }

  #lookupFailed(error: unknown): void {
    const { server } = this.#place;
    this.#method = undefined;
    const retry = (): Promise<void> => this.check({ server, movesFocus: true });
    this.fail(error, { retry: isRetryable(error) ? retry : undefined });
  }

  /** Shows the homeserver field again. Everything that belongs to the last homeserver ends. */
  changeHomeserver(typed = this.homeserver, isTyping = false): void {
    this.#planned.cancel();
    this.#operation.cancel();
    this.#become({ name: "idle" }, { typed, isTyping });
  }

  typeHomeserver(typed: string): void {
    this.changeHomeserver(typed, true);
    const server = typed.trim();
    if (looksComplete(server)) this.#planned.plan({ server, typed, isTyping: true });
  }

  /** Called when the user has finished typing. */
  async confirmHomeserver(movesFocus: boolean): Promise<void> {
    this.#planned.cancel();
    const { state, homeserver: typed } = this;
    const server = typed.trim();
    const place = { ...this.#place, isTyping: false };
    if (server && place.found?.homeserver === understood(server)) {
      this.#become(state.name === "ready" ? { ...state, movesFocus } : state, place);
    } else if (place.server === server && state.name === "checking") {
      this.#become({ ...state, movesFocus }, place);
    } else if (place.server === server && state.name === "idle" && state.failure !== undefined) {
      this.#become(state, place);
      this.#lookupFailed(state.failure);
    } else await this.check({ server, typed, movesFocus });
  }

  /** Creates an account on the homeserver in the field. */
  async createAccount(): Promise<void> {
    const { homeserver: typed } = this;
    await this.check({ server: typed.trim(), typed, movesFocus: false });
    if (this.#place.found) await this.start("registration");
  }

  settingsChanged(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has("homeserver") && !changed.has("methods")) return;
    this.#become(this.#state, { ...this.#place, typed: undefined });
    // The page might change the value with each typed letter.
    this.#planned.plan({});
  }

  // The sign-in

  /** Opens the provider's or the single sign-on page, or shows a form. */
  async start(
    method: Exclude<LoginAction, "password">,
    options: SsoRedirectOptions = {},
  ): Promise<void> {
    if (this.isBusy || this.host.isDisabled) return;
    const { found = await this.#operation.run((signal) => this.#lookUp({}, signal)) } = this.#place;
    if (!found) return;
    if (method === "sso") {
      const leave = (url: string): boolean => this.announceRedirect("sso", url);
      await this.#begin("sso", () => ssoAttempt(this.host, found, options, leave));
      return;
    }
    const creates = method === "registration";
    if (method !== "oauth" && hasAccountForms(found)) return this.#open(method, found);
    if (method !== "reset") {
      await this.host.updateComplete;
      const selector = creates ? "oidc-login.link" : "oidc-login";
      const button = this.host.shadowRoot?.querySelector<OidcLoginElement>(selector);
      if (button) return button.login();
    }
    const message = "The homeserver does not support this action";
    this.fail(new LoginError("login_not_supported", message), { method });
  }

  /** Takes over the state of an `<oidc-login>`. @returns Whether to continue. */
  startOAuth(button: OidcLoginElement): boolean {
    const { state } = this;
    // Both buttons were clicked before either could be disabled.
    const isSecond = this.isBusy && !("button" in state && state.button === button);
    if (isSecond || !this.#announceStart("oauth")) return false;
    const ambiguity = this.host.mode !== "popup" && ambiguityOf("matrix-login", this.host);
    if (ambiguity) {
      this.fail(settingsInvalid(ambiguity), { method: "oauth" });
      return false;
    }
    this.#given.set(button, givenBy(this.host));
    this.#become({ name: this.host.mode === "popup" ? "waiting" : "redirecting", button });
    return true;
  }

  /**
   * Completes a sign-in in a popup.
   *
   * @param create Receives the page's settings from before the popup was opened.
   */
  completeOAuth(button: OidcLoginElement, create: (given: Given) => Attempt): void {
    void this.#try(create(this.#given.get(button) ?? givenBy(this.host)));
  }

  typeUsername(username: string): void {
    this.#username = username;
    // The user will need both modules, and the submission should not wait for them.
    void loadSession();
    void loadPassword();
  }

  /** @returns Whether the password stays in its field. */
  submitPassword(found: FoundHomeserver, values: FormData): boolean | Promise<boolean> {
    const password = values.get("password");
    // The page might have just set another homeserver.
    if (found !== this.#place.found || typeof password !== "string") return false;
    const user = (this.#username = valueOf(values, "username"));
    const credentials = { user, password };
    return this.#begin("password", () => passwordAttempt(this.host, found, credentials));
  }

  /** @returns Whether the password stays in its field. */
  submitAccount(form: AccountForm, values: FormData): boolean | Promise<boolean> {
    // The page might have just set another homeserver.
    if (this.isBusy || form !== this.#place.form) return false;
    const isValid = form.check(values);
    this.host.requestUpdate();
    return !isValid || this.#begin(form.action, () => accountAttempt(this.host, form, values));
  }

  /**
   * Starts an attempt, unless the page prevents it. @returns Whether the password stays in its
   * field.
   */
  #begin(method: LoginAction, create: () => Attempt): boolean | Promise<boolean> {
    if (!this.#announceStart(method)) return true;
    const attempt = create();
    return this.#try(attempt).then((error) => attempt.keepsPassword?.(error) ?? false);
  }

  /** @returns The attempt's error. */
  async #try(
    attempt: Attempt,
    retry: () => Promise<unknown> = () => this.#try(attempt),
  ): Promise<unknown> {
    const { method, state, given, work, canRetry } = attempt;
    const login = loginIn(state);
    this.#method = method;
    return this.#operation.run<unknown>(async (signal) => {
      this.#become(state);
      try {
        const outcome = await work(signal);
        if (outcome && "session" in outcome) {
          await this.#succeed({ method, user: outcome, login, given }, signal);
        } else {
          signal.throwIfAborted();
          if (outcome) this.#become(outcome);
          else this.#rest();
        }
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        this.fail(error, canRetry?.(error) ? { retry, login } : {});
        return error;
      }
    });
  }

  /** Fires `matrix-login-start`. @returns Whether to continue. */
  #announceStart(method: LoginAction): boolean {
    const homeserverUrl = this.#place.found?.homeserverUrl;
    if (homeserverUrl === undefined) return false;
    this.#cancelOpening();
    this.#method = method;
    const event = new MatrixLoginStartEvent({ method, homeserverUrl });
    let agrees = false;
    // A listener might call `cancel()`.
    void this.#operation.run((signal) => {
      agrees = this.host.dispatchEvent(event) && !signal.aborted;
      return Promise.resolve();
    });
    return agrees;
  }

  /**
   * Fires `matrix-login-redirect`. If the browser doesn't leave the page after all, its buttons
   * work again. @returns Whether the browser opens the URL.
   */
  announceRedirect(method: "oauth" | "sso", url: string): boolean {
    if (this.#state.name === "redirecting") this.#leave.begin();
    return this.host.dispatchEvent(new MatrixLoginRedirectEvent({ method, url }));
  }

  async #complete(login: ReturnedLogin): Promise<void> {
    await this.#try(login.attempt, () => this.#complete(login));
    const server = startingHomeserver(this.host, login.completion?.appState["homeserver"]);
    const { state, place } = this;
    if (!server || place.found || (state.name !== "idle" && state.name !== "error")) return;
    // The element is still empty.
    this.#become(state, { server });
    const found = await this.#operation
      .run((signal) => findMethods(server, this.host, this.#limits(signal)))
      .catch(() => undefined);
    if (found) this.#foundMethods(found);
  }

  async #succeed(success: Success, signal: AbortSignal): Promise<void> {
    const { user, login, given } = success;
    const settings = login ? login.settings : given?.session;
    if (settings?.accounts === "many" && !signal.aborted) {
      // The session is stored, so the page may remove the element.
      this.#become({ name: "completing", login });
      await replaceSameUser(user.session, sessionOptions(settings));
    }
    if (signal.aborted) return undo(success);
    // In another tab, the user has already signed out.
    if (user.session.state !== "signed-in") return this.#rest();
    this.#become({ name: "success", user }, this.#placeWithoutUser());
    user.session.addEventListener("session-ended", () => user === this.user && this.#rest(), {
      once: true,
    });
    await pageScriptsDone();
    this.#unreported = success;
    this.#report();
  }

  /** After the user has signed out, the next user must not see who it was. */
  #placeWithoutUser(): Place {
    this.#username = undefined;
    const { found, typed = "" } = this.#place;
    const isNamed = found && localpartOf(typed) !== undefined;
    return isNamed ? { found: { ...found, homeserver: serverNameOf(typed) } } : this.#place;
  }

  /** Fires the event of a sign-in, once the element is in the document. */
  #report(): void {
    const success = this.#unreported;
    if (!success || !this.host.isConnected) return;
    this.#unreported = undefined;
    report(this.host, success);
  }

  // The form that creates an account, or resets a password

  async #open(action: AccountAction, found: FoundHomeserver): Promise<void> {
    await this.#operation.run(async (signal) => {
      this.#become({ name: "opening", action }, { ...this.#place, outcome: undefined });
      try {
        const { AccountForm } = await loadAccountForm();
        signal.throwIfAborted();
        this.#rest(undefined, { ...this.#place, form: new AccountForm(this, action, found) });
      } catch (error) {
        signal.throwIfAborted();
        this.fail(error, { method: action });
      }
    });
  }

  #cancelOpening(): void {
    if (this.#state.name !== "opening") return;
    this.#operation.cancel();
    this.#rest();
  }

  /** Called when the user returns from the form to the sign-in, or when the form is done. */
  closeForm(form: AccountForm, outcome?: AccountOutcome): void {
    if (!outcome && this.#state.name === "authenticating") this.cancel();
    const { state } = this;
    const { form: current = form, found } = this.#place;
    if (current !== form || found?.homeserverUrl !== form.homeserverUrl) return;
    const place = { ...this.#place, form: undefined, outcome };
    if (state.name === "error") this.#rest(undefined, place);
    else this.#become(state, place);
  }

  // The end

  cancel(reason: "refused" | "closed" | "cancelled" = "cancelled", declined?: boolean): void {
    const { state } = this;
    this.#operation.cancel();
    this.form.clearSecrets();
    this.#cancelOpening();
    const canRetry = state.name === "error" && state.login;
    if (!this.isBusy && state.name !== "checking" && !canRetry) return;
    this.#rest(declined);
    if ("button" in state) state.button.cancel();
    this.host.dispatchEvent(new MatrixLoginCancelEvent({ method: this.#method, reason }));
  }

  reset(): void {
    this.#method = this.#username = undefined;
    this.form.remove();
    void this.check();
  }

  /** @returns Whether the page shows the error itself. */
  fail(error: unknown, { method = this.#method, isShown = false, ...more }: Failure = {}): boolean {
    this.#method = method;
    const { state } = this;
    // The page looks up its own homeserver.
    const isOfUser = state.name !== "checking" || state.movesFocus !== undefined;
    const coded = asCodedError(error);
    // A homeserver's code can be any word, even a code of this library.
    const code = coded instanceof MatrixError ? "" : coded.code;
    if (code === "access_denied") {
      this.cancel("refused", true);
      return false;
    }
    if (code === "cancelled") {
      this.cancel();
      return false;
    }
    this.#become({ name: "error", error: coded, ...more });
    if (isShown) this.errors.hide(coded);
    else if (isOfUser) void this.errors.reveal();
    return !this.errors.announce(coded, new MatrixLoginErrorEvent(coded, method));
  }
}
