import type { ReactiveController } from "lit";
import { LoginError } from "../../../core/legacy/errors.js";
import { startSsoLogin } from "../../../core/legacy/sso.js";
import { MatrixError } from "../../../core/matrix/error.js";
import type { SsoRedirectOptions } from "../../../core/matrix/request.js";
import {
  MatrixLoginCancelEvent,
  MatrixLoginErrorEvent,
  MatrixLoginHomeserverEvent,
  MatrixLoginRedirectEvent,
  MatrixLoginStartEvent,
} from "../../../events/matrix-login.js";
import type { CapturedResponse } from "../../../sign-in/captured-response.js";
import { asCodedError, type CodedError, isRetryable } from "../../../errors/lazy/error-text.js";
import { explainError, SETUP_ADVICE } from "../../../errors/lazy/explain-error.js";
import { takeChosen } from "../../../sign-in/lazy/homeserver.js";
import {
  absoluteUrl,
  explainLostResponse,
  ownUrl,
  PageLeave,
  sameOriginUrl,
} from "../../../sign-in/lazy/page.js";
import { replaceSameUser, reportUser, type SignedInUser } from "../../../sign-in/lazy/signed-in.js";
import { asAppState, starterOf } from "../../../sign-in/lazy/starter.js";
import type { Texts } from "../../../texts/texts.js";
import { scrollIntoView } from "../../../ui/lazy/styles.js";
import { pageScriptsDone, whenRemoved } from "../../../ui/page.js";
import { type Turn, Turns } from "../../../ui/element.js";
import type { OidcLoginElement } from "../../oidc-login/oidc-login.js";
import { findMethods, type FoundHomeserver } from "./lookup.js";
import { ReturnedLogin } from "./returned-login.js";
import {
  type AccountAction,
  deviceNameOf,
  isUsersChoice,
  type LoginAction,
  type MatrixLoginHost,
  type MatrixLoginState,
  readMethods,
  sessionOptions,
} from "./settings.js";

/** A message for the user that isn't an error. */
export interface Notice {
  readonly text: keyof Texts;
  /** The server's message. */
  readonly reason?: string | undefined;
}

const KEYSTROKE_PAUSE_MS = 400;

interface Failure {
  readonly method?: LoginAction;
  readonly retry?: (() => Promise<void>) | undefined;
  readonly isShown?: boolean;
}

const BUSY: readonly MatrixLoginState[] = [
  "submitting",
  "redirecting",
  "waiting",
  "completing",
  "authenticating",
];

const WORK: Partial<Record<LoginAction, MatrixLoginState>> = {
  oauth: "completing",
  password: "submitting",
};

/** The state of the element, and the operations that change it. */
export class LoginModel implements ReactiveController {
  readonly host: MatrixLoginHost;
  readonly #leave: PageLeave;
  state: MatrixLoginState = "idle";
  method: LoginAction | undefined;
  error: CodedError | undefined;
  /** Whether another element, or the page, shows the error. */
  isShown = false;
  retry: (() => Promise<void>) | undefined;
  found: FoundHomeserver | undefined;
  soughtServer: string | undefined;
  success: SignedInUser | undefined;
  notice: Notice | undefined;
  /** The form whose code is loading. */
  opening: AccountAction | undefined;
  /** The button of the last sign-in with OAuth 2.0. */
  oauthButton: OidcLoginElement | undefined;
  /** The lookup that runs after a pause. */
  #pending: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Set while the user types a name: the failure of its look-up is not shown before the end. */
  #typing: { failure?: unknown } | undefined;
  /** Runs once the element is in the document, because its event must reach the page. */
  #announce: (() => void) | undefined;
  /** Restarts the operation that stopped because the element was removed. */
  #resume: (() => void) | undefined;
  /** The sign-in that failed, and can be tried again. */
  #unfinished: ReturnedLogin | undefined;
  readonly #turns = new Turns();
  /** The user's actions, which can be cancelled before a request is in progress. */
  readonly starts = new Turns();

  constructor(host: MatrixLoginHost) {
    this.host = host;
    this.#leave = new PageLeave(host, () => {
      if (this.state === "redirecting") this.#setState("ready");
    });
    host.addController(this);
  }

  get homeserverUrl(): string | undefined {
    return this.success?.session.homeserverUrl ?? this.found?.homeserverUrl;
  }

  get isBusy(): boolean {
    return BUSY.includes(this.state);
  }

  hostConnected(): void {
    this.#announce?.();
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  /** A lookup restarts when the element is in the document again. A password is not kept for it. */
  hostDisconnected(): void {
    // `<oidc-login>` has been reset with it.
    if (this.state === "redirecting") this.#begin("ready");
    whenRemoved(this.host, () => {
      const sought = this.soughtServer;
      const pending = this.#pending;
      this.pause();
      if (this.state === "checking") {
        this.#begin("idle");
        this.#resume = () => void this.check(sought);
      } else {
        this.#resume = pending && (() => this.checkSoon(pending));
        const ends: readonly MatrixLoginState[] = ["submitting", "authenticating", "waiting"];
        if (ends.includes(this.state)) this.#begin("ready");
      }
    });
  }

  async initialize(response: CapturedResponse | undefined): Promise<void> {
    if (response) {
      const login = new ReturnedLogin(response, this.host);
      if (login.fit === "own") return this.#complete(login);
      if (login.fit === "stand-in") {
        const turn = this.#begin("completing");
        const completes = await login.mayComplete();
        if (turn.isOver()) return;
        if (completes && this.host.isConnected) return this.#complete(login);
        this.#begin("idle");
      } else void this.#completeLate(login);
    }
    explainLostResponse();
    const homeserver = this.#chosen(takeChosen());
    if (homeserver) await this.check(homeserver);
  }

  /** The page might set a `store`, a key, or a user late. */
  async #completeLate(login: ReturnedLogin): Promise<void> {
    const completes = await login.mayComplete();
    const isFree = this.host.isConnected && !this.isBusy && !this.success;
    if (completes && isFree) await this.#complete(login);
  }

  /** Looks up a homeserver's sign-in methods. Errors aren't shown while the user is typing. */
  async check(given?: string, { typing }: { readonly typing?: boolean } = {}): Promise<void> {
    this.host.applyProperties();
    this.pause();
    this.stopOpening();
    const homeserver = given ?? (this.host.homeserver || undefined);
    this.forget();
    if (homeserver === undefined) return;
    const turn = this.#begin("checking");
    this.#typing = typing ? {} : undefined;
    try {
      await this.#lookUp(homeserver, turn);
      if (turn.isOver()) return;
      this.#setState("ready");
      this.#announceFound();
    } catch (error) {
      if (turn.isOver()) return;
      if (this.#typing) {
        this.#typing.failure = error;
        return this.#setState("idle");
      }
      this.method = undefined;
      const canRetry = isRetryable(error);
      this.fail(error, { retry: canRetry ? () => this.check(homeserver) : undefined });
    }
  }

  async #lookUp(homeserver: string, { signal }: Turn): Promise<void> {
    this.soughtServer = homeserver;
    const found = await findMethods(homeserver, readMethods(this.host), { signal });
    if (!signal.aborted) this.found = found;
  }

  #announceFound(): void {
    if (!this.found) return;
    const { homeserver, homeserverUrl, methods, flows } = this.found;
    const detail = { homeserver, homeserverUrl, methods, flows };
    this.host.dispatchEvent(new MatrixLoginHomeserverEvent(detail));
    this.host.requestUpdate();
  }

  forget(): void {
    this.#giveUp();
    this.found = this.soughtServer = this.success = this.#typing = undefined;
    this.#begin("idle");
  }

  typed(): void {
    const failure = this.#typing?.failure;
    this.#typing = undefined;
    if (failure !== undefined) this.fail(failure);
  }

  /** Runs a lookup after a pause, unless another one starts before. */
  checkSoon(check: () => void): void {
    this.pause();
    this.#pending = check;
    this.#timer = setTimeout(() => {
      this.#pending = undefined;
      check();
    }, KEYSTROKE_PAUSE_MS);
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.#pending = undefined;
  }

  /** Call it when the user does something else. A form that is still loading is then not shown. */
  stopOpening(): void {
    if (this.opening) this.host.requestUpdate();
    this.opening = undefined;
  }

  startSso(found: FoundHomeserver, options: SsoRedirectOptions): void {
    if (!this.announceStart("sso")) return;
    const turn = this.#begin("redirecting");
    if (turn.isOver()) return;
    try {
      const url = this.#prepareSso(found, options);
      if (this.announceRedirect("sso", url) && !turn.isOver()) location.assign(url);
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

  /** Signs in on this page, or resets a password without a sign-in. */
  async signIn(
    method: Exclude<LoginAction, "sso">,
    work: (signal: AbortSignal) => Promise<SignedInUser | undefined>,
  ): Promise<void> {
    this.method = method;
    const turn = this.#begin(WORK[method] ?? "authenticating");
    try {
      const user = await work(turn.signal);
      if (user) await this.#succeed(user, turn);
      else if (!turn.isOver()) this.#setState("ready");
    } catch (error) {
      if (turn.isOver()) return;
      // A form repeats its own requests.
      const canRetry = method === "oauth" && isRetryable(error);
      this.fail(error, { retry: canRetry ? () => this.signIn(method, work) : undefined });
    }
  }

  /** Dispatches `matrix-login-start`; returns whether to continue. */
  announceStart(method: LoginAction): boolean {
    const homeserverUrl = this.found?.homeserverUrl;
    if (homeserverUrl === undefined) return false;
    this.stopOpening();
    this.method = method;
    const start = this.starts.current;
    const agreed = this.host.dispatchEvent(new MatrixLoginStartEvent({ method, homeserverUrl }));
    return agreed && !start.isOver();
  }

  /** Takes over the state of an `<oidc-login>`. @returns Whether to continue. */
  startOAuth(button: OidcLoginElement): boolean {
    this.oauthButton = button;
    const state = this.host.mode === "popup" ? "waiting" : "redirecting";
    const agreed = this.announceStart("oauth");
    if (agreed) this.#setState(state);
    return agreed;
  }

  /**
   * Dispatches `matrix-login-redirect`. If the page is still here after it should have left, its
   * buttons work again. @returns Whether the browser goes there.
   */
  announceRedirect(method: "oauth" | "sso", url: string): boolean {
    if (this.state === "redirecting") this.#leave.begin();
    return this.host.dispatchEvent(new MatrixLoginRedirectEvent({ method, url }));
  }

  dismissError(): void {
    if (this.state === "error") this.#setState(this.found ? "ready" : "idle");
  }

  cancel(reason: "refused" | "closed" | "cancelled" = "cancelled"): void {
    this.starts.begin();
    this.stopOpening();
    if (!this.isBusy && this.state !== "checking" && !this.#unfinished) return;
    this.#giveUp();
    this.#begin(this.found ? "ready" : "idle");
    this.oauthButton?.cancel();
    this.host.dispatchEvent(new MatrixLoginCancelEvent({ method: this.method, reason }));
  }

  async #complete(login: ReturnedLogin): Promise<void> {
    this.method = login.response.kind;
    this.#unfinished = undefined;
    const turn = this.#begin("completing");
    const finish = (): void => login.finish();
    turn.signal.addEventListener("abort", finish);
    try {
      const user = await login.complete();
      if (user) return await this.#succeed(user, turn, login);
      // This page is in a popup that the browser has not closed.
      finish();
      return turn.isOver() ? undefined : this.#setState("success");
    } catch (error) {
      const { canRetry } = login;
      const retry = canRetry ? () => this.#complete(login) : undefined;
      if (!turn.isOver()) this.fail(error, { retry });
      if (canRetry) {
        turn.signal.removeEventListener("abort", finish);
        this.#unfinished = login;
      } else finish();
    }
    // After a return from the provider, the page is still empty.
    const homeserver = this.#chosen(login.completion?.appState["homeserver"]);
    // `reset()` has started its own lookup.
    if (!homeserver || this.state === "checking") return;
    await this.#lookUp(homeserver, this.#turns.current).catch(() => undefined);
    this.#announceFound();
  }

  /** The user does not try again: tokens that wait for it are revoked. */
  #giveUp(): void {
    this.#unfinished?.finish();
    this.#unfinished = undefined;
  }

  /** The user's choice is restored, unless the page sets it. */
  #chosen(chosen: string | undefined): string | undefined {
    const { homeserver } = this.host;
    return isUsersChoice(this.host) ? chosen || homeserver : homeserver || chosen;
  }

  #begin(state: MatrixLoginState): Turn {
    const turn = this.#turns.begin();
    this.#setState(state);
    return turn;
  }

  async #succeed(user: SignedInUser, turn: Turn, returned?: ReturnedLogin): Promise<void> {
    const { session } = user;
    const settings = returned?.settings ?? this.host;
    if (settings.accounts === "many" && !turn.isOver()) {
      // The session is stored, so the page may remove the element.
      this.#setState("completing");
      await replaceSameUser(session, sessionOptions(settings));
    }
    if (turn.isOver()) {
      // The device that the page named may have another session.
      const isDeviceNamed = returned?.completion?.isDeviceNamed ?? this.host.deviceId;
      await session.undo({ notify: !isDeviceNamed });
      return;
    }
    this.success = user;
    this.#setState("success");
    session.addEventListener("session-ended", () => this.#ended(user), { once: true });
    await pageScriptsDone();
    this.#announce = () => {
      this.#announce = undefined;
      // Of the elements that wait for a completion, one fires the event.
      if (returned && !returned.completion?.takeAnnouncement()) return;
      const method = this.method as Exclude<LoginAction, "reset">;
      const returnTo = ownUrl(this.host.returnTo || returned?.completion?.appState["returnTo"]);
      const leaves = reportUser(this.host, method, user, returnTo);
      // "Back" must not return to a completed response.
      if (leaves && returnTo !== undefined) location.replace(returnTo);
    };
    if (this.host.isConnected) this.#announce();
  }

  /** @returns Whether the page shows the error itself. */
  fail(error: unknown, { method = this.method, retry, isShown = false }: Failure = {}): boolean {
    this.method = method;
    const coded = asCodedError(error);
    // A homeserver's code can be any word.
    const code = coded instanceof MatrixError ? "" : coded.code;
    if (code === "access_denied") {
      this.cancel("refused");
      this.notice = { text: "errorDenied", reason: coded.reason };
      return false;
    }
    if (code === "cancelled") {
      this.cancel();
      return false;
    }
    this.error = coded;
    this.isShown = isShown;
    this.retry = retry;
    this.#setState("error");
    explainError(coded, SETUP_ADVICE);
    void this.host.updateComplete.then(() =>
      scrollIntoView(this.host.shadowRoot?.querySelector("#error")),
    );
    const isLeft = !this.host.dispatchEvent(new MatrixLoginErrorEvent(coded, this.method));
    if (isLeft && coded === this.error) this.isShown = true;
    return isLeft;
  }

  #ended(user: SignedInUser): void {
    if (user !== this.success) return;
    this.success = undefined;
    this.#begin(this.found ? "ready" : "idle");
  }

  #setState(state: MatrixLoginState): void {
    this.#leave.end();
    if (state !== "error") {
      this.error = this.retry = undefined;
      this.isShown = false;
    }
    this.notice = undefined;
    this.state = state;
    this.host.stateChanged();
  }
}
