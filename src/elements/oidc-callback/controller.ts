import type { ReactiveController } from "lit";
import { parseUrl } from "../../core/http/url.js";
import { wait } from "../../core/http/wait.js";
import type { AuthorizationCodeGrantResult, SessionOptions } from "../../core/index.js";
import { LoginError } from "../../core/legacy/errors.js";
import { settingsInvalid } from "../../core/oauth/errors.js";
import { OidcFlowError } from "../../core/oauth/flow-error.js";
import type { CodedError } from "../../errors/coded-error.js";
import { ErrorView } from "../../errors/error-view.js";
import { MatrixLoginErrorEvent } from "../../events/matrix-login.js";
import { OidcCancelEvent, OidcErrorEvent } from "../../events/oidc.js";
import { type CapturedResponse, withoutResponse } from "../../sign-in/captured-response.js";
import { SsoCompletion } from "../../sign-in/completion.js";
import { timeoutOf } from "../../sign-in/login-element.js";
import { LoginCompletion } from "../../sign-in/login-completion.js";
import { goingTo, onThisPage, ownUrl } from "../../sign-in/page-urls.js";
import { COMPLETION_MS } from "../../sign-in/lost-response.js";
import { type Account, ofAccount, readSessionOptions } from "../../sign-in/session-options.js";
import {
  replaceSameUser,
  reportTokens,
  reportUser,
  type SignedInUser,
  type Success,
} from "../../sign-in/signed-in.js";
import {
  callbackAmbiguityOf,
  fitOf,
  keepChosen,
  mayComplete,
  startedSettings,
  type Starter,
  starterOf,
  starterOfResponse,
} from "../../sign-in/starter.js";
import { isOnPage } from "../../ui/localize.js";
import { Operation } from "../../ui/operation.js";
import { pageScriptsDone } from "../../ui/page.js";
import type { OidcCallbackElement } from "./oidc-callback.js";

/** The state of completing a sign-in; also a `:state()` of the element. */
export type OidcCallbackState = "idle" | "pending" | "success" | "error";

type CallbackState =
  /** There is nothing to do, or another element does it. */
  | { readonly name: "idle" }
  /** It is not yet known which element completes the response. */
  | { readonly name: "pending" }
  /**
   * No element completes the response. This one doesn't, because the response is for another
   * account.
   */
  | { readonly name: "error"; readonly error: CodedError }
  /** The outcome of the joined completion is the element's state. */
  | Joined;

interface Joined {
  readonly name: "joined";
  readonly completion: LoginCompletion | SsoCompletion;
  /**
   * Whether another element on the page has started the sign-in. That element completes it and
   * fires the event.
   */
  readonly isGuest: boolean;
  /** The session options for finding other sessions of the same account. */
  readonly others: SessionOptions | undefined;
}

export class CallbackController implements ReactiveController {
  readonly host: OidcCallbackElement;
  readonly errors: ErrorView;
  /** The last call of `complete()`. */
  readonly #completing = new Operation();
  #state: CallbackState = { name: "pending" };

  constructor(host: OidcCallbackElement) {
    this.host = host;
    this.errors = new ErrorView(host);
    host.addController(this);
  }

  get publicState(): OidcCallbackState {
    return this.#state.name === "joined" ? this.#state.completion.outcome.state : this.#state.name;
  }

  get success(): Success | SignedInUser | undefined {
    const outcome = this.#completion?.outcome;
    return outcome?.state === "success" ? outcome : undefined;
  }

  get result(): AuthorizationCodeGrantResult | undefined {
    return (this.success as Partial<Success> | undefined)?.result;
  }

  get error(): CodedError | undefined {
    return this.#state.name === "error" ? this.#state.error : this.#completion?.error;
  }

  get canRetry(): boolean {
    return !!this.#completion?.canRetry;
  }

  /** The name of the server that the user signs in with, if it is known. */
  get serverName(): string | undefined {
    const { server } = this.#completion ?? {};
    return server && parseUrl(server)?.host;
  }

  /**
   * The URL where the user continues after a callback: the page where the sign-in started,
   * otherwise `return-to`, otherwise this page's folder. Undefined if that is this page, or if the
   * user can sign in on this page.
   */
  get continueUrl(): string | undefined {
    if (isOnPage("oidc-login", "matrix-login")) return undefined;
    const urls = [
      ownUrl(this.#completion?.appState["startUrl"]),
      ownUrl(this.host.returnTo),
      onThisPage(".")?.href,
    ];
    const here = pageOf(location.href);
    // A different query, such as a language, doesn't make it another page.
    const self = [here, here.replace(/\?[^#]*/, "")];
    return urls.find((url) => url !== undefined && !self.includes(pageOf(url)));
  }

  get #completion(): Joined["completion"] | undefined {
    return this.#state.name === "joined" ? this.#state.completion : undefined;
  }

  get #returnTo(): string | undefined {
    return ownUrl(this.host.returnTo || this.#completion?.appState["returnTo"]);
  }

  /**
   * Completes the captured sign-in, or joins its completion. A missing response is an error.
   *
   * @param isRequested Whether the page passed this response to this element.
   */
  async complete(response: CapturedResponse | undefined, isRequested: boolean): Promise<void> {
    await this.#completing.run((signal) => this.#complete(response, isRequested, signal));
  }

  async #complete(
    response: CapturedResponse | undefined,
    isRequested: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const starter = response && starterOfResponse(response);
    const own = () => starterOf("oidc-callback", this.host);
    const fit = fitOf(starter, own());
    if (response && isRequested && fit === "other") return this.#refuse(response);
    if (response && !isRequested && fit !== "own") {
      this.#become({ name: fit === "other" ? "idle" : "pending" });
      const completes = await mayComplete(response, own);
      signal.throwIfAborted();
      if (!this.host.isConnected) return;
      if (!completes) return this.#leave(response, signal);
    }
    const ambiguity = isRequested ? undefined : callbackAmbiguityOf(starter, this.host);
    if (response && ambiguity) return this.#refuse(response, ambiguity);
    const joined = this.#join(response, starter, fit === "guest" && !!response?.completion);
    this.#become(joined);
    await joined.completion.settled();
    // A removed element has missed the change.
    this.host.stateChanged();
    await this.#announce(joined);
  }

  #join(
    response: CapturedResponse | undefined,
    starter: Starter | undefined,
    isGuest: boolean,
  ): Joined {
    const settings = startedSettings(starter, this.host);
    const chooseSession = (account?: Account) => {
      const options = readSessionOptions(settings);
      return options && ofAccount(options, settings.accounts, account);
    };
    const given = [chooseSession, settings.userId, timeoutOf(this.host)] as const;
    const completion =
      response?.kind === "sso"
        ? SsoCompletion.of(response, ...given)
        : LoginCompletion.of(response, ...given);
    const others = settings.accounts === "many" ? readSessionOptions(settings) : undefined;
    return { name: "joined", completion, isGuest, others };
  }

  /** Leaves a response to the element that started the sign-in. That element might appear later. */
  async #leave(response: CapturedResponse, signal: AbortSignal): Promise<void> {
    this.#become({ name: "idle" });
    await wait(COMPLETION_MS, signal);
    if (!response.completion && this.host.isConnected) this.#refuse(response);
  }

  #refuse(
    { kind }: CapturedResponse,
    reason = "The sign-in was started with another session-key or store",
  ): void {
    const error =
      kind === "sso" ? new LoginError("settings_invalid", reason) : settingsInvalid(reason);
    this.#become({ name: "error", error });
    this.#announceError(error);
  }

  /** Resolves when the next outcome is known. */
  async retry(): Promise<void> {
    this.#completion?.retry();
    await this.#completion?.settled();
  }

  hostConnected(): void {
    this.#completion?.addEventListener("change", this.#onChange);
    this.#onChange();
  }

  hostDisconnected(): void {
    this.#completion?.removeEventListener("change", this.#onChange);
  }

  readonly #onChange = (): void => {
    this.success?.session?.addEventListener("session-ended", this.#onEnded, { once: true });
    this.host.stateChanged();
    if (this.#state.name === "joined") void this.#announce(this.#state);
  };

  readonly #onEnded = ({ target }: Event): void => {
    // A later sign-in has replaced an earlier one.
    if (target === this.success?.session) this.#become({ name: "idle" });
  };

  /** The only place where the state changes. A joined completion changes its outcome itself. */
  #become(next: CallbackState): void {
    this.#completion?.removeEventListener("change", this.#onChange);
    this.#state = next;
    this.#completion?.addEventListener("change", this.#onChange);
    this.#onChange();
  }

  /** Fires the outcome's event, after listeners are attached and the element shows the outcome. */
  async #announce(joined: Joined): Promise<void> {
    const { completion, isGuest, others } = joined;
    if (completion.outcome.state === "pending") return;
    if (isGuest && isOnPage("matrix-login")) return;
    await pageScriptsDone();
    // `updateComplete` never resolves for an element that was never on the page.
    if (this.host.isConnected) await this.host.updateComplete;
    const { outcome } = completion;
    // The element has left the page. The next element continues a pending completion.
    if (!this.host.isConnected && completion.response) return;
    const announcement = joined === this.#state && completion.takeAnnouncement();
    if (!announcement) return;
    if (outcome.state === "error") return this.#announceError(outcome.error);
    const { session, client } = outcome;
    const returnTo = this.#returnTo;
    const isOAuth = "result" in outcome;
    let { leaves } = announcement;
    leaves ??= !isOAuth || (await reportTokens(this.host, outcome, returnTo));
    if (session && others) await replaceSameUser(session, others);
    if (session && client) {
      const isRemoved = !this.host.isConnected && completion.response;
      if (isRemoved && (await completion.handOn({ leaves }))) return;
      const method = isOAuth ? "oauth" : "sso";
      leaves = reportUser(this.host, method, { session, client }, returnTo) && leaves;
    }
    // "Back" must not return to a completed callback.
    if (leaves && returnTo !== undefined) location.replace(returnTo);
  }

  #announceError(error: CodedError): void {
    keepChosen(this.#completion?.appState);
    const isOAuth = error instanceof OidcFlowError;
    if (isOAuth && error.code === "access_denied") {
      this.host.dispatchEvent(new OidcCancelEvent(goingTo({ reason: "refused" }, this.#returnTo)));
      return;
    }
    const event = isOAuth ? new OidcErrorEvent(error) : new MatrixLoginErrorEvent(error, "sso");
    this.errors.announce(error, event);
    void this.errors.reveal();
  }
}

/**
 * The page of a URL, without the response of an unknown sign-in and without the empty route of a
 * router.
 */
const pageOf = (url: string): string => withoutResponse(url).replace(/#\/?$/, "");
