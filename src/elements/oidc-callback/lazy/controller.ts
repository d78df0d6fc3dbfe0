import { css, html, nothing, type ReactiveController, type TemplateResult } from "lit";
import type { AuthorizationCodeGrantResult, SessionOptions } from "../../../core/index.js";
import { wait } from "../../../core/http/wait.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { OidcFlowError, settingsInvalid } from "../../../core/oauth/errors.js";
import { MatrixLoginErrorEvent } from "../../../events/matrix-login.js";
import { OidcCancelEvent, OidcErrorEvent } from "../../../events/oidc.js";
import { fieldTexts, matrixLoginTexts, oauthTexts, requestTexts } from "../../../locales/en.js";
import { type CapturedResponse, withoutResponse } from "../../../sign-in/captured-response.js";
import { SsoCompletion } from "../../../sign-in/lazy/completion.js";
import {
  type CodedError,
  errorSentence,
  LEGACY_ERRORS,
  OAUTH_ERRORS,
  REQUEST_ERRORS,
} from "../../../errors/lazy/error-text.js";
import { explainError } from "../../../errors/lazy/explain-error.js";
import { keepChosen } from "../../../sign-in/lazy/homeserver.js";
import { LoginCompletion } from "../../../sign-in/lazy/login-completion.js";
import { COMPLETION_MS, goingTo, onThisPage, ownUrl } from "../../../sign-in/lazy/page.js";
import {
  type Account,
  ofAccount,
  readSessionOptions,
  replaceSameUser,
  reportTokens,
  reportUser,
  type SignedInUser,
  type Success,
} from "../../../sign-in/lazy/signed-in.js";
import {
  fitOf,
  mayComplete,
  startedSettings,
  starterOf,
  starterOfResponse,
} from "../../../sign-in/lazy/starter.js";
import type { SessionAttributes } from "../../../sign-in/session-attributes.js";
import { addTexts } from "../../../texts/texts.js";
import type { AuthHost } from "../../../ui/element.js";
import { focusedElement } from "../../../ui/focus.js";
import { Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import {
  addStyles,
  buttonStyles,
  doneStyles,
  errorBox,
  visuallyHidden,
} from "../../../ui/lazy/styles.js";
import { isOnPage } from "../../../ui/localize.js";
import { pageScriptsDone } from "../../../ui/page.js";
import { renderPanel, renderPending } from "../panel.js";

// `login-completion.ts` adds the texts of a completion.
addTexts({
  $code: "en",
  ...requestTexts,
  ...oauthTexts,
  continue: fieldTexts.continue,
  errorNoMethods: matrixLoginTexts.errorNoMethods,
});

const CALLBACK_ERRORS = { ...REQUEST_ERRORS, ...OAUTH_ERRORS, ...LEGACY_ERRORS };

/** The state of completing a sign-in; also a `:state()` of the element. */
export type OidcCallbackState = "idle" | "pending" | "success" | "error";

export type CallbackHost = AuthHost &
  SessionAttributes & {
    readonly returnTo: string | undefined;
  };

export class CallbackController implements ReactiveController {
  readonly #host: CallbackHost;
  readonly #countdown: Countdown;
  #completion: LoginCompletion | SsoCompletion | undefined;
  #shownByPage: CodedError | undefined;
  /** The error if no element has completed a response, this one because it is for another account. */
  #refusal: CodedError | undefined;
  #isOver = false;
  /** Whether another element on the page has started the sign-in, completes it, and fires the event. */
  #isGuest = false;
  /** The store of several accounts, each of which has one session. */
  #others: SessionOptions | undefined;

  constructor(host: CallbackHost) {
    this.#host = host;
    this.#countdown = new Countdown(host);
    host.addController(this);
  }

  get state(): OidcCallbackState {
    if (this.#refusal) return "error";
    return this.#isOver ? "idle" : this.#outcome.state;
  }

  get success(): Success | SignedInUser | undefined {
    return this.#outcome.state === "success" ? this.#outcome : undefined;
  }

  get result(): AuthorizationCodeGrantResult | undefined {
    return (this.success as Partial<Success> | undefined)?.result;
  }

  get error(): CodedError | undefined {
    return this.#refusal ?? this.#completion?.error;
  }

  get #outcome(): (LoginCompletion | SsoCompletion)["outcome"] {
    return this.#completion?.outcome ?? { state: "pending" };
  }

  /**
   * Completes the captured login, or joins its completion. Without a response, it is an error.
   *
   * @param isRequested Whether the page passes this response to this element.
   */
  async complete(response: CapturedResponse | undefined, isRequested: boolean): Promise<void> {
    const starter = response && starterOfResponse(response);
    const own = () => starterOf("oidc-callback", this.#host);
    const fit = fitOf(starter, own());
    this.#refusal = undefined;
    if (response && isRequested && fit === "other") return this.#refuse(response);
    if (response && !isRequested && fit !== "own") {
      this.#isOver = fit === "other";
      this.#host.stateChanged();
      const completes = await mayComplete(response, own);
      if (!this.#host.isConnected) return;
      if (!completes) return this.#leave(response);
    }
    this.#isGuest = fit === "guest" && !!response?.completion;
    this.hostDisconnected();
    const settings = startedSettings(starter, this.#host);
    const chooseSession = (account?: Account) => {
      const options = readSessionOptions(settings);
      return options && ofAccount(options, settings.accounts, account);
    };
    this.#others = settings.accounts === "many" ? readSessionOptions(settings) : undefined;
    this.#isOver = false;
    this.#completion =
      response?.kind === "sso"
        ? SsoCompletion.of(response, chooseSession, settings.userId)
        : LoginCompletion.of(response, chooseSession, settings.userId);
    this.#completion.addEventListener("change", this.#onChange);
    this.#onChange();
    await this.#completion.settled();
    // A removed element has missed the change.
    this.#host.stateChanged();
    await this.#announce();
  }

  /** Leaves a response to the element that started it, which might come late. */
  async #leave(response: CapturedResponse): Promise<void> {
    this.#isOver = true;
    this.#host.stateChanged();
    await wait(COMPLETION_MS);
    const isLost = !response.completion && this.state === "idle";
    if (isLost && this.#host.isConnected) this.#refuse(response);
  }

  #refuse({ kind }: CapturedResponse): void {
    const reason = "The sign-in was started with another session-key or store";
    const error =
      kind === "sso" ? new LoginError("settings_invalid", reason) : settingsInvalid(reason);
    this.#refusal = error;
    this.#host.stateChanged();
    this.#announceError(error);
  }

  hostConnected(): void {
    this.#completion?.addEventListener("change", this.#onChange);
    this.#onChange();
  }

  hostDisconnected(): void {
    this.#completion?.removeEventListener("change", this.#onChange);
  }

  render(): TemplateResult | typeof nothing {
    const { error, state } = this;
    if (state === "idle") return nothing;
    const { localize } = this.#host;
    addStyles(this.#host, visuallyHidden, errorBox, doneStyles, buttonStyles, callbackStyles);
    if (state === "pending") return renderPending(localize);
    const actions = this.#renderActions();
    if (error) {
      const alert = error === this.#shownByPage ? nothing : this.#renderError(error);
      return renderPanel(localize, { alert, actions });
    }
    const status = html`<slot name="success"
      ><div part="success" class="done">${localize.term("signedIn")}</div></slot
    >`;
    return renderPanel(localize, { heading: nothing, status, actions });
  }

  #renderError(error: CodedError): TemplateResult {
    const { code } = error;
    const { localize } = this.#host;
    const refused = code === "access_denied";
    const sentence = errorSentence(localize, code, { texts: CALLBACK_ERRORS });
    return html`<div class=${refused ? nothing : "error"} part="error" dir="auto">
      <slot name="error-${code}"
        ><slot name="error"
          >${renderSentence(this.#countdown, localize, error, sentence)}</slot
        ></slot
      >
    </div>`;
  }

  #renderActions(): TemplateResult | typeof nothing {
    const { localize } = this.#host;
    const canRetry = this.#completion?.canRetry;
    const url = this.#continueUrl;
    if (!canRetry && url === undefined) return nothing;
    const retry = html`<button part="retry" type="button" @click=${this.#onRetry}>
      ${localize.term("tryAgain")}
    </button>`;
    const link = url === undefined ? nothing : this.#renderLink(url, canRetry);
    return html`<div class="actions">${canRetry ? retry : nothing} ${link}</div>`;
  }

  /**
   * The URL where a user continues from a callback: the page where the sign-in started, else
   * `return-to`, else this page's folder. Undefined if that is this page, or if the user can sign
   * in on this page.
   */
  get #continueUrl(): string | undefined {
    if (isOnPage("oidc-login", "matrix-login")) return undefined;
    const urls = [
      ownUrl(this.#completion?.appState["startUrl"]),
      ownUrl(this.#host.returnTo),
      onThisPage(".")?.href,
    ];
    const here = pageOf(location.href);
    // A different query, such as a language, doesn't make it another page.
    const self = [here, here.replace(/\?[^#]*/, "")];
    return urls.find((url) => url !== undefined && !self.includes(pageOf(url)));
  }

  #renderLink(url: string, isSecondary = false): TemplateResult {
    const { localize } = this.#host;
    const kind = isSecondary ? "button secondary" : "button";
    return this.state === "error"
      ? html`<a part="start-again" class=${kind} href=${url}>${localize.term("startAgain")}</a>`
      : html`<a part="continue" class=${kind} href=${url}>${localize.term("continue")}</a>`;
  }

  readonly #onChange = (): void => {
    this.success?.session?.addEventListener("session-ended", this.#onEnded, { once: true });
    this.#host.stateChanged();
    void this.#announce();
  };

  readonly #onEnded = ({ target }: Event): void => {
    // A later sign-in has replaced an earlier one.
    if (target !== this.success?.session) return;
    this.hostDisconnected();
    this.#completion = undefined;
    this.#isOver = true;
    this.#host.stateChanged();
  };

  /** The pressed button disappears, so focus moves to the status, then to the next action. */
  readonly #onRetry = async (): Promise<void> => {
    this.#completion?.retry();
    await this.#focus("[role=status]");
    await this.#completion?.settled();
    if (!this.error) return;
    if (focusedElement(this.#host)?.role === "status") await this.#focus(".actions > *");
  };

  async #focus(selector: string): Promise<void> {
    await this.#host.updateComplete;
    this.#host.shadowRoot?.querySelector<HTMLElement>(selector)?.focus();
  }

  /** Fires the outcome's event, once listeners are attached and the element shows the outcome. */
  async #announce(): Promise<void> {
    const completion = this.#completion;
    if (!completion || completion.outcome.state === "pending") return;
    if (this.#isGuest && isOnPage("matrix-login")) return;
    await pageScriptsDone();
    // `updateComplete` never resolves for an element that was never on the page.
    if (this.#host.isConnected) await this.#host.updateComplete;
    const { outcome } = completion;
    // The element has left the page. The next element continues a pending completion.
    if (!this.#host.isConnected && completion.hasResponse) return;
    if (completion !== this.#completion || !completion.takeAnnouncement()) return;
    if (outcome.state === "error") return this.#announceError(outcome.error);
    const { session, client } = outcome;
    const returnTo = this.#returnTo;
    const isOAuth = "result" in outcome;
    let leaves = !isOAuth || (await reportTokens(this.#host, outcome, returnTo));
    if (session && this.#others) await replaceSameUser(session, this.#others);
    if (session && client) {
      const method = isOAuth ? "oauth" : "sso";
      leaves = reportUser(this.#host, method, { session, client }, returnTo) && leaves;
    }
    // "Back" must not return to a completed callback.
    if (leaves && returnTo !== undefined) location.replace(returnTo);
  }

  get #returnTo(): string | undefined {
    return ownUrl(this.#host.returnTo || this.#completion?.appState["returnTo"]);
  }

  #announceError(error: CodedError): void {
    explainError(error);
    keepChosen(this.#completion?.appState["homeserver"]);
    const isOAuth = error instanceof OidcFlowError;
    if (isOAuth && error.code === "access_denied") {
      this.#host.dispatchEvent(new OidcCancelEvent(goingTo({ reason: "refused" }, this.#returnTo)));
      return;
    }
    const event = isOAuth ? new OidcErrorEvent(error) : new MatrixLoginErrorEvent(error, "sso");
    if (this.#host.dispatchEvent(event)) return;
    this.#shownByPage = error;
    this.#host.requestUpdate();
  }
}

/** Without the response of an unknown sign-in, and without the empty route of a router. */
const pageOf = (url: string): string => withoutResponse(url).replace(/#\/?$/, "");

const callbackStyles = css`
  .actions {
    display: grid;
    gap: var(--_gap);
  }
`;
