import type { ReactiveController } from "lit";
import { wait } from "../../../core/http/wait.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { startSsoLogin } from "../../../core/legacy/sso.js";
import { MatrixError } from "../../../core/matrix/error.js";
import type { SsoRedirectOptions } from "../../../core/matrix/request.js";
import { saysNothing } from "../../../core/uia/failure.js";
import {
  MatrixLoginCancelEvent,
  MatrixLoginErrorEvent,
  MatrixLoginHomeserverEvent,
  MatrixLoginRedirectEvent,
  MatrixLoginStartEvent,
} from "../../../events/matrix-login.js";
import type { CapturedResponse } from "../../../sign-in/captured-response.js";
import { asCodedError, type CodedError, isRetryable } from "../../../errors/lazy/error-text.js";
import { ErrorView } from "../../../errors/lazy/error-view.js";
import { SETUP_ADVICE } from "../../../errors/lazy/explain-error.js";
import { looksComplete, takeChosen, understood } from "../../../sign-in/lazy/homeserver.js";
import {
  absoluteUrl,
  explainLostResponse,
  ownUrl,
  PageLeave,
  sameOriginUrl,
} from "../../../sign-in/lazy/page.js";
import { replaceSameUser, reportUser, type SignedInUser } from "../../../sign-in/lazy/signed-in.js";
import { asAppState, starterOf } from "../../../sign-in/lazy/starter.js";
import { lazyPart } from "../../../ui/lazy.js";
import { valueOf } from "../../../ui/lazy/field.js";
import { LightForm } from "../../../ui/lazy/form.js";
import { Operation } from "../../../ui/operation.js";
import { pageScriptsDone, whenRemoved } from "../../../ui/page.js";
import type { OidcLoginElement } from "../../oidc-login/oidc-login.js";
import type { MatrixLoginElement } from "../matrix-login.js";
import type { AccountForm, AccountOutcome } from "./account-form.js";
import type * as AccountPart from "./account-view.js";
import { loadPassword } from "./load-password.js";
import { canCreateAtProvider, findMethods, type FoundHomeserver } from "./lookup.js";
import { identified, ReturnedLogin } from "./returned-login.js";
import {
  type AccountAction,
  deviceNameOf,
  givenBy,
  isUsersChoice,
  type LoginAction,
  type MatrixLoginState,
  readMethods,
  sessionOptions,
} from "./settings.js";
import type { Declined, LoginState, Place } from "./state.js";
import { texts } from "./texts.js";

const KEYSTROKE_PAUSE_MS = 400;

let accountPart: typeof AccountPart | undefined;

/** Undefined before it is loaded. */
export const loadedAccountPart = (): typeof AccountPart | undefined => accountPart;

export const loadAccountPart = /* @__PURE__ */ lazyPart(
  async () => (accountPart = await import("./account-view.js")),
);

/** A lookup of a homeserver. Without `server`, it is the page's. */
interface Lookup extends Pick<Place, "server" | "typed" | "isTyping"> {
  readonly movesFocus?: boolean;
}

interface Failure extends Partial<Omit<Extract<LoginState, { name: "error" }>, "name" | "error">> {
  readonly method?: LoginAction;
  /** Whether another element shows it. */
  readonly isShown?: boolean;
}

const BUSY: readonly LoginState["name"][] = [
  "submitting",
  "redirecting",
  "waiting",
  "completing",
  "authenticating",
];

/** What ends if the element is removed. */
const ENDING: readonly LoginState["name"][] = ["submitting", "authenticating", "waiting"];

/** The state of the element, and the operations that change it. */
export class MatrixLoginController implements ReactiveController {
  readonly host: MatrixLoginElement;
  readonly form: LightForm;
  readonly errors: ErrorView<
    "request" | "oauth" | "login" | "completion" | "session" | "legacy" | "password" | "matrix"
  >;
  readonly #leave: PageLeave;
  readonly #operation = new Operation();
  /** The pause before a lookup: the user, or the page, might still be typing. */
  readonly #pause = new Operation();
  #state: LoginState = { name: "idle" };
  #place: Place = {};
  #method: LoginAction | undefined;
  #username: string | undefined;
  /** The lookup that runs after the pause, or once the element is in the document again. */
  #planned: Lookup | undefined;
  /** The sign-in whose event has not fired, because the element is not in the document. */
  #unreported:
    { readonly user: SignedInUser; readonly login: ReturnedLogin | undefined } | undefined;

  constructor(host: MatrixLoginElement) {
    this.host = host;
    this.errors = new ErrorView(host, texts, SETUP_ADVICE);
    this.form = new LightForm(host);
    this.#leave = new PageLeave(host, () => {
      if (this.#state.name === "redirecting") this.#rest();
    });
    host.addController(this);
    // If the user continues to type in the current form, another one must not replace it.
    host.addEventListener("input", () => this.#cancelOpening());
  }

  get state(): LoginState {
    return this.#state;
  }

  /** The element's `state`. */
  get stateName(): MatrixLoginState {
    return this.#state.name === "opening" ? "ready" : this.#state.name;
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
    return BUSY.includes(this.#state.name);
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
    const last = this.#state;
    this.#state = state;
    this.#place = place;
    if (state.name !== "redirecting") this.#leave.end();
    // Tokens that wait for another try are revoked.
    if ("login" in last && state.name !== "success") {
      if (!("login" in state) || state.login !== last.login) last.login?.close();
    }
    this.host.stateChanged();
  }

  /** Waits for the user. */
  #rest(declined?: Declined, place: Place = this.#place): void {
    this.#become({ name: place.found ? "ready" : "idle", declined }, place);
  }

  hostConnected(): void {
    this.#report();
    if (this.#planned && !this.#pause.isRunning) void this.check(this.#planned);
  }

  /** A lookup restarts when the element is in the document again. A password is not kept for it. */
  hostDisconnected(): void {
    // `<oidc-login>` has been reset with it.
    if (this.#state.name === "redirecting") this.#rest();
    whenRemoved(this.host, () => {
      const isChecking = this.#state.name === "checking";
      this.#pause.cancel();
      if (isChecking) this.#planned = this.#place;
      if (!isChecking && !ENDING.includes(this.#state.name)) return;
      this.#operation.cancel();
      this.#rest();
    });
  }

  async initialize(response: CapturedResponse | undefined): Promise<void> {
    if (response) {
      const login = new ReturnedLogin(response, this.host);
      if (login.fit === "own") return this.#complete(login);
      if (login.fit === "stand-in") {
        const completes = await this.#operation.run(() => {
          this.#become({ name: "completing" });
          return login.mayComplete();
        });
        if (completes === undefined) return;
        if (completes && this.host.isConnected) return this.#complete(login);
        this.#rest();
      } else void this.#completeLate(login);
    }
    explainLostResponse();
    const server = this.#chosen(takeChosen());
    if (server) await this.check({ server });
  }

  /** The page might set a `store`, a key, or a user late. */
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

  async #lookUp(lookup: Lookup, signal: AbortSignal): Promise<FoundHomeserver | undefined> {
    this.host.applyProperties();
    this.#cancelPlan();
    const { server = this.host.homeserver || undefined, typed, isTyping, movesFocus } = lookup;
    this.#become({ name: "idle" }, { server, typed, isTyping });
    signal.throwIfAborted();
    if (server === undefined) return undefined;
    this.#become({ name: "checking", movesFocus });
    try {
      const found = await findMethods(server, readMethods(this.host), { signal });
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
    this.host.dispatchEvent(
      new MatrixLoginHomeserverEvent({ homeserver, homeserverUrl, methods, flows }),
    );
  }

  #lookupFailed(error: unknown): void {
    const { server } = this.#place;
    this.#method = undefined;
    this.fail(error, { retry: isRetryable(error) ? () => this.check({ server }) : undefined });
  }

  /** Looks it up after a pause, unless another lookup starts before. */
  #plan(lookup: Lookup): void {
    this.#planned = lookup;
    void this.#pause.run(async (signal) => {
      await wait(KEYSTROKE_PAUSE_MS, signal);
      void this.check(lookup);
    });
  }

  #cancelPlan(): void {
    this.#pause.cancel();
    this.#planned = undefined;
  }

  /** Shows the homeserver field again: what belongs to the last homeserver ends. */
  changeHomeserver(typed = this.homeserver, isTyping = false): void {
    this.#cancelPlan();
    this.#operation.cancel();
    this.#become({ name: "idle" }, { typed, isTyping });
  }

  typeHomeserver(typed: string): void {
    this.changeHomeserver(typed, true);
    const server = typed.trim();
    if (looksComplete(server)) this.#plan({ server, typed, isTyping: true });
  }

  /** The user has finished typing. */
  async confirmHomeserver(movesFocus: boolean): Promise<void> {
    this.#cancelPlan();
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

  settingsChanged(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has("homeserver") && !changed.has("methods")) return;
    this.#become(this.#state, { ...this.#place, typed: undefined });
    // The page might set it letter by letter.
    this.#plan({});
  }

  /** The user's choice is restored, unless the page sets it. */
  #chosen(chosen: string | undefined): string | undefined {
    const { homeserver } = this.host;
    return isUsersChoice(this.host) ? chosen || homeserver : homeserver || chosen;
  }

  // The sign-in

  /** Opens the provider or the single sign-on, or shows a form. */
  async start(
    method: Exclude<LoginAction, "password">,
    options: SsoRedirectOptions = {},
  ): Promise<void> {
    if (this.isBusy) return;
    const { found = await this.#operation.run((signal) => this.#lookUp({}, signal)) } = this.#place;
    if (!found) return;
    if (method === "sso") return this.#startSso(found, options);
    const creates = method === "registration";
    const isElsewhere = creates && canCreateAtProvider(this.host, found);
    if (method !== "oauth" && found.methods.includes("password") && !isElsewhere) {
      return this.#open(method, found);
    }
    if (method !== "reset") {
      await this.host.updateComplete;
      const selector = creates ? "oidc-login.link" : "oidc-login";
      const button = this.host.shadowRoot?.querySelector<OidcLoginElement>(selector);
      if (button) return button.login();
    }
    const message = "The homeserver does not support this action";
    this.fail(new LoginError("login_not_supported", message), { method });
  }

  #startSso(found: FoundHomeserver, options: SsoRedirectOptions): void {
    if (!this.#announceStart("sso")) return;
    const redirecting: LoginState = { name: "redirecting" };
    this.#become(redirecting);
    // A listener might call `cancel()`.
    if (this.#state !== redirecting) return;
    try {
      const url = this.#prepareSso(found, options);
      const leaves = this.announceRedirect("sso", url);
      if (leaves && this.#state === redirecting) location.assign(url);
    } catch (error) {
      this.fail(error);
    }
  }

  #prepareSso(found: FoundHomeserver, { idpId, action }: SsoRedirectOptions): string {
    const { homeserver, homeserverUrl, identityServerUrl, flows } = found;
    if (!flows.sso) {
      throw new LoginError("login_not_supported", "The homeserver does not support single sign-on");
    }
    const { redirectUri, returnTo, deviceId, userId } = this.host;
    const appState = {
      startUrl: location.href,
      homeserver,
      ...asAppState(starterOf("matrix-login", this.host)),
      ...(returnTo && { returnTo: sameOriginUrl(returnTo, "return-to") }),
    };
    return startSsoLogin({
      ...{ homeserverUrl, identityServerUrl, deviceId, appState, idpId, action },
      deviceName: deviceNameOf(this.host),
      expectedUserId: userId,
      redirectUri: redirectUri
        ? absoluteUrl(redirectUri, "redirect-uri")
        : location.origin + location.pathname,
    }).url;
  }

  /** Takes over the state of an `<oidc-login>`. @returns Whether to continue. */
  startOAuth(button: OidcLoginElement): boolean {
    const { state } = this;
    // Both buttons were clicked before either could be disabled.
    const isSecond = this.isBusy && !("button" in state && state.button === button);
    if (isSecond || !this.#announceStart("oauth")) return false;
    this.#become({ name: this.host.mode === "popup" ? "waiting" : "redirecting", button });
    return true;
  }

  /** Completes a sign-in in a popup. */
  completeOAuth({ session }: OidcLoginElement): void {
    if (session) void this.#signIn("oauth", "completing", () => identified(session));
  }

  typeUsername(username: string): void {
    this.#username = username;
  }

  /** @returns Whether the password stays in its field, because a failure says nothing about it. */
  submitPassword(found: FoundHomeserver, values: FormData): boolean | Promise<boolean> {
    const password = values.get("password");
    // The page might have set another homeserver just now.
    if (found !== this.#place.found || typeof password !== "string") return false;
    const user = (this.#username = valueOf(values, "username"));
    const work = async (signal: AbortSignal): Promise<SignedInUser> => {
      const given = givenBy(this.host);
      const { logInWithPassword } = await loadPassword();
      signal.throwIfAborted();
      return logInWithPassword(given, found, { user, password }, signal);
    };
    if (!this.#announceStart("password")) return true;
    return this.#signIn("password", "submitting", work).then(
      (error) => this.error?.code === "user_elsewhere" || saysNothing(error),
    );
  }

  /** @returns Whether the password stays in its field, because a failure says nothing about it. */
  submitAccount(form: AccountForm, values: FormData): boolean | Promise<boolean> {
    // The page might have set another homeserver just now.
    if (this.isBusy || form !== this.#place.form) return false;
    const isValid = form.check(values);
    this.host.requestUpdate();
    if (!isValid || !this.#announceStart(form.action)) return true;
    const work = (signal: AbortSignal): Promise<SignedInUser | undefined> =>
      form.send(values, signal);
    return this.#signIn(form.action, "authenticating", work).then((error) => {
      if (form.refusal) return form.refusal.name !== "password";
      // Homeservers have codes for rejected passwords.
      return error instanceof MatrixError || saysNothing(error);
    });
  }

  /** @param work Without a user, it has signed no one in. @returns Its error. */
  async #signIn(
    method: LoginAction,
    name: "submitting" | "authenticating" | "completing",
    work: (signal: AbortSignal) => Promise<SignedInUser | undefined>,
  ): Promise<unknown> {
    this.#method = method;
    return this.#operation.run<unknown>(async (signal) => {
      this.#become({ name });
      try {
        const user = await work(signal);
        if (user) await this.#succeed(user, signal);
        else if (!signal.aborted) this.#rest();
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        // A form repeats its own requests.
        const canRetry = method === "oauth" && isRetryable(error);
        const retry = async (): Promise<void> => {
          await this.#signIn(method, name, work);
        };
        this.fail(error, { retry: canRetry ? retry : undefined });
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
   * Fires `matrix-login-redirect`. If the page is still here after it should have left, its buttons
   * work again. @returns Whether the browser goes there.
   */
  announceRedirect(method: "oauth" | "sso", url: string): boolean {
    if (this.#state.name === "redirecting") this.#leave.begin();
    return this.host.dispatchEvent(new MatrixLoginRedirectEvent({ method, url }));
  }

  async #complete(login: ReturnedLogin): Promise<void> {
    this.#method = login.response.kind;
    await this.#operation.run(async (signal) => {
      this.#become({ name: "completing", login });
      try {
        const user = await login.complete();
        if (user) return await this.#succeed(user, signal, login);
        // This page is in a popup that the browser has not closed.
        login.close();
        signal.throwIfAborted();
        this.#become({ name: "success" });
      } catch (error) {
        signal.throwIfAborted();
        const retry = () => this.#complete(login);
        this.fail(error, login.canRetry ? { retry, login } : {});
      }
    });
    const server = this.#chosen(login.completion?.appState["homeserver"]);
    const { state, place } = this;
    if (!server || place.found || (state.name !== "idle" && state.name !== "error")) return;
    // The page is still empty.
    this.#become(state, { server });
    const found = await this.#operation
      .run((signal) => findMethods(server, readMethods(this.host), { signal }))
      .catch(() => undefined);
    if (found) this.#foundMethods(found);
  }

  async #succeed(user: SignedInUser, signal: AbortSignal, login?: ReturnedLogin): Promise<void> {
    const { session } = user;
    const settings = login?.settings ?? this.host;
    if (settings.accounts === "many" && !signal.aborted) {
      // The session is stored, so the page may remove the element.
      this.#become({ name: "completing", login });
      await replaceSameUser(session, sessionOptions(settings));
    }
    if (signal.aborted) {
      // The device that the page named may have another session.
      const isDeviceNamed = login?.completion?.isDeviceNamed ?? this.host.deviceId;
      await session.undo({ notify: !isDeviceNamed });
      return;
    }
    this.#become({ name: "success", user });
    session.addEventListener("session-ended", () => user === this.user && this.#rest(), {
      once: true,
    });
    await pageScriptsDone();
    this.#unreported = { user, login };
    this.#report();
  }

  /** Fires the event of a sign-in, once it reaches the page. */
  #report(): void {
    if (!this.#unreported || !this.host.isConnected) return;
    const { user, login } = this.#unreported;
    this.#unreported = undefined;
    // Of the elements that wait for a completion, one fires the event.
    if (login && !login.completion?.takeAnnouncement()) return;
    const method = this.#method as Exclude<LoginAction, "reset">;
    const returnTo = ownUrl(this.host.returnTo || login?.completion?.appState["returnTo"]);
    const leaves = reportUser(this.host, method, user, returnTo);
    // "Back" must not return to a completed response.
    if (leaves && returnTo !== undefined) location.replace(returnTo);
  }

  // The form that creates an account, or resets a password

  async #open(action: AccountAction, found: FoundHomeserver): Promise<void> {
    await this.#operation.run(async (signal) => {
      this.#become({ name: "opening", action }, { ...this.#place, outcome: undefined });
      try {
        const { AccountForm } = await loadAccountPart();
        signal.throwIfAborted();
        const form: AccountForm = new AccountForm(this.host, action, found, (outcome) => {
          this.closeForm(form, outcome);
        });
        this.#rest(undefined, { ...this.#place, form });
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

  /** The user returns from the form to the sign-in, or the form is done. */
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

  cancel(reason: "refused" | "closed" | "cancelled" = "cancelled", declined?: Declined): void {
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
    const coded = asCodedError(error);
    // A homeserver's code can be any word.
    const code = coded instanceof MatrixError ? "" : coded.code;
    if (code === "access_denied") {
      this.cancel("refused", { reason: coded.reason });
      return false;
    }
    if (code === "cancelled") {
      this.cancel();
      return false;
    }
    this.#become({ name: "error", error: coded, ...more });
    if (isShown) this.errors.leave(coded);
    return !this.errors.announce(coded, new MatrixLoginErrorEvent(coded, method));
  }
}
