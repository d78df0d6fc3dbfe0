import type { PropertyValues, ReactiveController, TemplateResult } from "lit";
import { asFlowError, type OidcFlowError } from "../../../core/oauth/errors.js";
import { storeFlow } from "../../../core/oauth/flow-store.js";
import {
  OidcCancelEvent,
  OidcErrorEvent,
  OidcLoginStartEvent,
  OidcRedirectEvent,
} from "../../../events/oidc.js";
import { loginTexts, oauthTexts, requestTexts } from "../../../locales/en.js";
import { explainError, SETUP_ADVICE } from "../../../sign-in/lazy/explain-error.js";
import { looksComplete } from "../../../sign-in/lazy/homeserver.js";
import type { SettledLogin } from "../../../sign-in/lazy/login-completion.js";
import { PageLeave } from "../../../sign-in/lazy/page.js";
import type { Success } from "../../../sign-in/lazy/signed-in.js";
import { loadCompletion } from "../../../sign-in/parts.js";
import { addTexts } from "../../../texts/registry.js";
import { Countdown } from "../../../ui/lazy/countdown.js";
import { scrollIntoView } from "../../../ui/lazy/styles.js";
import { unlessMoved } from "../../../ui/page.js";
import { renderMessages } from "./messages.js";
import type { PopupLink, PopupLogin } from "./popup-login.js";
import { type LoginHost, type OidcLoginState, readSettings } from "./settings.js";
import { type StartedLogin, startLogin } from "./start-login.js";
import { checkTarget, isStale, loadedPopup, loadPopup, TargetLookup } from "./target.js";

addTexts({ $code: "en", ...requestTexts, ...oauthTexts, ...loginTexts });

/** Performs a login up to the provider; with a popup, up to its end. */
export class LoginController implements ReactiveController {
  readonly #host: LoginHost;
  readonly #lookup: TargetLookup;
  /** Of a rate limit. */
  readonly countdown: Countdown;
  /** Of the page, on the way to the provider. */
  readonly #leave: PageLeave;
  #state: OidcLoginState = "idle";
  #error: OidcFlowError | undefined;
  /** Whether the page shows the error itself. */
  #isShown = false;
  /** Whether the user has declined in the popup. */
  #refused = false;
  #login: Promise<void> | undefined;
  /** The latest call of `login()`. */
  #turn: object | undefined;
  #abort = new AbortController();
  #popup: PopupLogin | undefined;
  #success: Success | undefined;

  constructor(host: LoginHost) {
    this.#host = host;
    this.countdown = new Countdown(host);
    this.#lookup = new TargetLookup(host, {
      stateChanged: (state) => this.#setState(state),
      failed: (error) => this.#fail(error, this.#abort.signal),
    });
    this.#leave = new PageLeave(host, () => {
      if (this.#state === "redirecting") this.#stop();
    });
    host.addController(this);
  }

  get state(): OidcLoginState {
    return this.#state;
  }

  get error(): OidcFlowError | undefined {
    return this.#error;
  }

  /** The error, unless the page shows it itself. */
  get shownError(): OidcFlowError | undefined {
    return this.#isShown ? undefined : this.#error;
  }

  /** The result of a login in a popup. */
  get success(): Success | undefined {
    return this.#success;
  }

  /** A link to the provider, if the browser blocked the popup. */
  get link(): PopupLink | undefined {
    return this.#state === "waiting" ? this.#popup?.link : undefined;
  }

  /** The homeserver that could not be found, as it was typed. */
  get soughtServer(): string | undefined {
    return this.#lookup.target ? undefined : this.#host.homeserver;
  }

  /** Whether the user has declined in the popup, and has not tried again since. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Whether a click is being processed. */
  get busy(): boolean {
    return !!this.#login || this.#state === "redirecting" || !!this.#popup?.completing;
  }

  render(): TemplateResult {
    return renderMessages(this.#host, this);
  }

  hostDisconnected(): void {
    unlessMoved(this.#host, () => this.reset());
  }

  /** Finds out where to sign in, before anybody wants to: if that fails, nothing is shown. */
  prepareEarly(): void {
    const { homeserver, issuer, disabled } = this.#host;
    const isKnown = homeserver ? looksComplete(homeserver) : issuer;
    if (this.#state === "idle" && !disabled && isKnown) this.#lookup.begin();
  }

  /** Finds out where to sign in; resolves when `state` is `ready`, `unsupported` or `error`. */
  prepare(): Promise<void> {
    const isReady = this.#state === "ready" && !isStale(this.#lookup.target);
    const isDone = isReady || ["unsupported", "redirecting", "waiting"].includes(this.#state);
    return isDone ? Promise.resolve() : this.#lookup.find();
  }

  /** Prepares, then goes to the provider. Further calls meanwhile join the first. */
  login(): Promise<void> {
    const { homeserver, prompt } = this.#host;
    if (this.#login) return this.#login;
    if (this.busy) return Promise.resolve();
    if (this.#state === "waiting") {
      if (this.#popup?.focus()) return Promise.resolve();
      // The popup was closed, or is cut off, or has no opener that could bring it to the front.
      this.#stop();
    }
    if (this.#state === "error" && this.#popup?.retry()) {
      this.#setState("waiting");
      return Promise.resolve();
    }
    if (!this.#host.dispatchEvent(new OidcLoginStartEvent({ homeserver, prompt }))) {
      return Promise.resolve();
    }
    const turn = (this.#turn = {});
    const login = this.#logIn(turn).finally(() => {
      if (this.#login !== login) return;
      this.#login = undefined;
      this.#host.stateChanged();
    });
    // A listener may already have started another login.
    if (turn !== this.#turn) return login;
    this.#login = login;
    this.#host.stateChanged();
    return login;
  }

  cancel(): void {
    if (this.#state !== "preparing" && this.#state !== "waiting" && !this.busy) return;
    this.reset();
    this.#host.dispatchEvent(new OidcCancelEvent({ reason: "cancelled" }));
  }

  /** Stops everything and forgets what was found out. */
  reset(): void {
    this.#lookup.forget();
    this.#stop();
  }

  /**
   * Forgets what the changed settings invalidate. Changing `disabled` keeps an error: a page may set it
   * while a login is in progress.
   *
   * @returns Whether discovery has to run again.
   */
  settingsChanged(changed: PropertyValues): boolean {
    if (changed.has("mode") && this.#host.mode === "popup") void loadPopup();
    const elsewhere = changed.has("homeserver") || changed.has("issuer");
    if (!elsewhere && (this.#state !== "error" || changed.has("disabled"))) return false;
    // A login that is already on its way to the provider continues.
    if (this.#state === "redirecting" || this.#state === "waiting") this.#lookup.forget();
    else this.reset();
    return true;
  }

  /** Stops everything, but keeps what was found out. */
  #stop(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#lookup.stop();
    this.#login = undefined;
    this.#endPopup();
    this.#setState(this.#lookup.target ? "ready" : "idle");
  }

  async #logIn(turn: object): Promise<void> {
    // Changed settings would close a popup that was opened before them.
    this.#host.applyProperties();
    const prepared = this.prepare();
    if (turn !== this.#turn) return;
    // Before any `await`, while the click still allows a popup.
    const { signal } = this.#abort;
    const opened = this.#openPopup(signal);
    // Where the preparation fails too, that is what the user is told.
    opened.catch(() => undefined);
    await prepared;
    if (this.#state === "unsupported") return this.#fail(this.#lookup.unsupported, signal);
    const { target } = this.#lookup;
    if (this.#state !== "ready" || !target || signal.aborted) return;
    this.#setState("redirecting");
    try {
      const settings = readSettings(this.#host);
      checkTarget(settings, target);
      await opened;
      const [started] = await Promise.all([
        // The page may have set another mode since the click.
        startLogin({ ...settings, mode: this.#popup ? "popup" : "redirect" }, target, { signal }),
        // A page that stays open handles the response itself.
        this.#popup && loadCompletion(),
      ]);
      if (signal !== this.#abort.signal) return;
      if (!this.#popup) storeFlow(started.flow);
      this.#goTo(started, signal);
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  #goTo({ url, flow }: StartedLogin, signal: AbortSignal): void {
    const stays = !this.#host.dispatchEvent(new OidcRedirectEvent({ url }));
    // A listener may have cancelled the login.
    if (signal.aborted) return;
    if (this.#popup) {
      this.#popup.start(url, flow, !stays);
      this.#setState("waiting");
      return;
    }
    if (stays) return this.#stop();
    this.#leave.begin();
    location.assign(url);
  }

  /** Opens it at once if its code is loaded: too long after the click, the browser blocks it. */
  async #openPopup(signal: AbortSignal): Promise<void> {
    this.#endPopup();
    if (this.#host.mode !== "popup") return;
    this.#success = undefined;
    const { PopupLogin } = loadedPopup() ?? (await loadPopup());
    if (["unsupported", "error"].includes(this.#state) || signal.aborted) return;
    const popup = new PopupLogin(this.#host, {
      responded: () => this.#host.stateChanged(),
      settled: (outcome) => {
        if (popup === this.#popup) this.#settled(outcome, popup);
      },
      closed: () => {
        if (popup !== this.#popup) return;
        this.#stop();
        this.#host.dispatchEvent(new OidcCancelEvent({ reason: "closed" }));
      },
    });
    popup.showText(this.#host.localize.term("redirecting"));
    this.#popup = popup;
  }

  #settled(outcome: SettledLogin, popup: PopupLogin): void {
    if (outcome.state === "error" && outcome.error.code !== "access_denied") {
      return this.#announceError(outcome.error);
    }
    this.#stop();
    if (outcome.state === "error") {
      this.#refused = true;
      this.#host.dispatchEvent(new OidcCancelEvent({ reason: "refused" }));
    } else if (outcome.result) {
      this.#success = outcome;
      outcome.session?.addEventListener("session-ended", () => {
        if (outcome === this.#success) this.#success = undefined;
        this.#host.stateChanged();
      });
      void popup.finish(outcome);
    }
  }

  #endPopup(): void {
    this.#popup?.end();
    this.#popup = undefined;
  }

  #fail(error: unknown, { aborted }: AbortSignal): void {
    if (aborted) return;
    this.#endPopup();
    this.#announceError(asFlowError(error));
  }

  #announceError(error: OidcFlowError): void {
    // Reset before the event: a listener may try again.
    this.#login = undefined;
    this.#error = error;
    this.#isShown = false;
    this.#setState("error");
    explainError(error, SETUP_ADVICE);
    void this.#host.updateComplete.then(() =>
      scrollIntoView(this.#host.shadowRoot?.querySelector("#error")),
    );
    const isLeft = !this.#host.dispatchEvent(new OidcErrorEvent(error));
    // A listener may have tried again.
    if (isLeft && error === this.#error) this.#isShown = true;
  }

  #setState(state: OidcLoginState): void {
    this.#leave.end();
    if (state !== "error") this.#error = undefined;
    this.#refused = false;
    this.#state = state;
    this.#host.stateChanged();
  }
}
