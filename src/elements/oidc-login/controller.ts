import type { PropertyValues } from "lit";
import { settingsInvalid } from "../../core/oauth/errors.js";
import { asFlowError, type OidcFlowError } from "../../core/oauth/flow-error.js";
import { storeFlow } from "../../core/oauth/flow-store.js";
import { assertPrompt } from "../../core/oauth/metadata.js";
import {
  OidcCancelEvent,
  OidcErrorEvent,
  OidcLoginStartEvent,
  OidcRedirectEvent,
} from "../../events/oidc.js";
import { ErrorView } from "../../errors/error-view.js";
import { looksComplete } from "../../sign-in/homeserver.js";
import type { SettledLogin } from "../../sign-in/login-completion.js";
import { explainLostResponse } from "../../sign-in/lost-response.js";
import { ambiguityOf } from "../../sign-in/starter.js";
import { PageLeave } from "../../ui/page-leave.js";
import type { Success } from "../../sign-in/signed-in.js";
import { loadCompletion } from "../../sign-in/load-completion.js";
import { loginTexts } from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import { Operation } from "../../ui/operation.js";
import type { OidcLoginElement } from "./oidc-login.js";
import type { PopupLogin } from "./popup-login.js";
import {
  APP_SETTINGS,
  type LoginSettings,
  type LoginTarget,
  PLACE_SETTINGS,
  readSettings,
} from "./settings.js";
import { isStale, loadAuthorization, loadPopup, type SharedTarget, shareTarget } from "./target.js";

const texts = partTexts(loginTexts);

/** The outcome of the last popup. */
interface LastPopup {
  /** The error, if the user has declined in the popup. */
  readonly declined?: OidcFlowError;
  /**
   * The popup, if it looks closed. A page in it might only have isolated it, so its response still
   * counts.
   */
  readonly popup?: PopupLogin;
}

/** The state of a sign-in; also a `:state()` of the element. */
export type OidcLoginState =
  "idle" | "preparing" | "ready" | "unsupported" | "redirecting" | "waiting" | "error";

/** The current activity of the element. Each name is also a state of the element. */
export type LoginState =
  | ({ readonly name: "idle" | "ready" } & LastPopup)
  /** `isAwaited`: a caller waits for the discovery. Otherwise its failure is not reported. */
  | { readonly name: "preparing"; readonly found: Promise<void>; readonly isAwaited: boolean }
  /** The error is shown only after a click. */
  | { readonly name: "unsupported"; readonly error: OidcFlowError }
  | { readonly name: "redirecting" }
  | { readonly name: "waiting"; readonly popup: PopupLogin }
  /** `popup`: the sign-in that has failed there. It might still be completed. */
  | {
      readonly name: "error";
      readonly error: OidcFlowError;
      readonly popup?: PopupLogin | undefined;
    };

/**
 * Two operations: the discovery, which starts before a click, and the sign-in, from the click to the
 * provider's page. The sign-in joins the discovery.
 */
export class LoginController {
  readonly host: OidcLoginElement;
  readonly errors: ErrorView;
  readonly #leave: PageLeave;
  readonly #discovery = new Operation();
  readonly #signIn = new Operation();
  /** The running sign-in, for further calls of `login()`, which join it. */
  #started: Promise<void> | undefined;
  #state: LoginState = { name: "idle" };
  /** The last found target, even if it does not support the settings. */
  #target: LoginTarget | undefined;
  #shared: SharedTarget | undefined;
  #success: Success | undefined;

  constructor(host: OidcLoginElement) {
    this.host = host;
    this.errors = new ErrorView(host);
    this.#leave = new PageLeave(host, () => {
      if (this.#state.name === "redirecting") this.#rest();
    });
    const load = (): void => void loadAuthorization();
    for (const type of ["pointerenter", "focusin"] as const) host.addEventListener(type, load);
    if (host.matches(":hover, :focus-within")) load();
    explainLostResponse();
  }

  get state(): LoginState {
    return this.#state;
  }

  get error(): OidcFlowError | undefined {
    return this.#state.name === "error" ? this.#state.error : undefined;
  }

  /** The result of the last sign-in in a popup. It is removed when another one starts. */
  get success(): Success | undefined {
    return this.#success;
  }

  /** The homeserver that was not found. */
  get soughtServer(): string | undefined {
    return this.#target ? undefined : this.host.homeserver;
  }

  get isBusy(): boolean {
    const state = this.#state;
    const isCompleting = state.name === "waiting" && state.popup.isCompleting;
    return this.#signIn.isRunning || state.name === "redirecting" || isCompleting;
  }

  /** The text that screen readers announce while the button is busy. */
  get status(): string | undefined {
    const { name } = this.#state;
    const isNamed = name === "preparing" || name === "redirecting";
    return this.isBusy && isNamed ? texts.term(this.host.localize, name) : undefined;
  }

  /** Discovers the provider before a click. A failure isn't shown. */
  prepareEarly(): void {
    const { homeserver, issuer, isDisabled } = this.host;
    const isKnown = homeserver ? looksComplete(homeserver) : issuer;
    if (this.#state.name === "idle" && !isDisabled && isKnown) void this.#discover(false);
  }

  /** Resolves when `state` is `ready`, `unsupported` or `error`. */
  async prepare(): Promise<void> {
    const { name } = this.#state;
    const isReady = name === "ready" && !isStale(this.#target);
    if (isReady || name === "unsupported" || name === "redirecting" || name === "waiting") return;
    await this.#discover(true);
  }

  /** Discovers the provider, or joins the discovery. Synchronous if no request is necessary. */
  #discover(isAwaited: boolean): Promise<void> | undefined {
    if (this.#state.name === "preparing") {
      if (isAwaited) this.#become({ ...this.#state, isAwaited });
      return this.#state.found;
    }
    if (this.host.mode === "popup") {
      void loadPopup();
      void loadCompletion();
    }
    try {
      const settings = readSettings(this.host);
      const known = this.host.target;
      if (known && !isStale(known)) this.#found(known, settings);
      else {
        const found = this.#request(settings);
        this.#become({ name: "preparing", found, isAwaited });
        return found;
      }
    } catch (error) {
      this.#notFound(asFlowError(error), isAwaited);
    }
    return undefined;
  }

  async #request(settings: LoginSettings): Promise<void> {
    this.#shared?.close();
    const shared = (this.#shared = shareTarget(settings, this.#target));
    try {
      const target = await this.#discovery.run(() => shared.target);
      if (target) this.#found(target, settings);
    } catch (error) {
      this.#notFound(asFlowError(error));
    }
  }

  #found(target: LoginTarget, { request }: LoginSettings): void {
    this.#target = target;
    assertPrompt(target.provider.named, request.prompt);
    this.#become({ name: "ready" });
  }

  #notFound(error: OidcFlowError, isAwaited = isAwaitedIn(this.#state)): void {
    if (error.code === "oidc_not_supported") this.#become({ name: "unsupported", error });
    else if (isAwaited) this.#fail(error);
    else this.#become({ name: "idle" });
  }

  /** Opens the provider. A call during a running sign-in joins it. */
  async login(): Promise<void> {
    const { homeserver, prompt } = this.host;
    if (this.#signIn.isRunning) return this.#started;
    if (this.isBusy) return;
    const state = this.#state;
    if (state.name === "waiting") {
      if (state.popup.focus()) return;
      // The popup was closed, is isolated, or has no opener that could bring it to the front.
      this.#rest();
    }
    if (state.name === "error" && state.popup?.retry()) {
      return this.#become({ name: "waiting", popup: state.popup });
    }
    if (!this.host.dispatchEvent(new OidcLoginStartEvent({ homeserver, prompt }))) return;
    // Apply changed settings first. Otherwise they would close a popup that is already open.
    this.host.applyProperties();
    const last = this.#started;
    const started = this.#start();
    // If it has already failed, a listener of the error might have started another sign-in.
    if (last === this.#started) this.#started = started;
    this.host.stateChanged();
    return started;
  }

  async #start(): Promise<void> {
    try {
      await this.#signIn.run((signal) => this.#openProvider(signal));
    } catch (error) {
      this.#fail(asFlowError(error));
    }
    this.host.stateChanged();
  }

  /** The sign-in, from the click to the provider's page, in this tab or in a popup. */
  async #openProvider(signal: AbortSignal): Promise<void> {
    const settings = readSettings(this.host);
    const isLeft = settings.mode === "redirect" && !this.host.starter;
    const ambiguity = isLeft ? ambiguityOf("oidc-login", this.host) : undefined;
    if (ambiguity) throw settingsInvalid(ambiguity);
    const loading = loadAuthorization();
    const prepared = this.prepare();
    signal.throwIfAborted();
    // Run this before any `await`, while the browser still allows a popup because of the click.
    const opened = this.#openPopup(signal);
    // If the preparation also fails, the user sees that error.
    opened.catch(() => undefined);
    await prepared;
    signal.throwIfAborted();
    if (this.#state.name === "unsupported") throw this.#state.error;
    const target = this.#target;
    if (this.#state.name !== "ready" || !target) return;
    this.#become({ name: "redirecting" });
    assertPrompt(target.provider.named, settings.request.prompt);
    const { timeoutMs } = settings;
    const popup = await opened;
    const { createRequest } = await loading;
    const [{ url, flow }] = await Promise.all([
      // The page might have set another mode since the click.
      createRequest({ ...settings, mode: popup ? "popup" : "redirect" }, target, {
        ...{ signal, timeoutMs },
      }),
      // A page that stays open handles the response itself.
      popup && loadCompletion(),
    ]);
    signal.throwIfAborted();
    if (!popup) storeFlow(flow);
    const goes = this.host.dispatchEvent(new OidcRedirectEvent({ url }));
    signal.throwIfAborted();
    if (popup) {
      popup.start(url, flow, goes);
      this.#become({ name: "waiting", popup });
    } else if (goes) {
      this.#leave.begin();
      location.assign(url);
    } else this.#rest();
  }

  /**
   * Opens the popup immediately if its code is loaded, because the browser blocks a popup that
   * opens too long after the click.
   */
  async #openPopup(signal: AbortSignal): Promise<PopupLogin | undefined> {
    if (this.host.mode !== "popup") return undefined;
    this.#success = undefined;
    const { PopupLogin } = loadPopup.loaded ?? (await loadPopup());
    if (this.#state.name === "unsupported" || signal.aborted) return undefined;
    const popup: PopupLogin = new PopupLogin(this.host, {
      returned: () => this.#become({ name: "waiting", popup }),
      settled: (outcome) => this.#settled(outcome, popup),
      closed: () => this.#cancel("closed", { popup }),
    });
    signal.addEventListener("abort", () => popup.cancel());
    popup.showText(texts.term(this.host.localize, "redirecting"));
    return popup;
  }

  #settled(outcome: SettledLogin, popup: PopupLogin): void {
    if (outcome.state === "success") {
      this.#success = outcome;
      outcome.session?.addEventListener("session-ended", () => {
        if (outcome === this.#success) this.#success = undefined;
        this.host.stateChanged();
      });
      this.#rest();
    } else if (outcome.error.code === "access_denied")
      this.#cancel("refused", { declined: outcome.error });
    else this.#fail(outcome.error, popup);
  }

  cancel(): void {
    const state = this.#state;
    if (state.name !== "preparing" && state.name !== "waiting" && !this.isBusy) {
      if (state.name !== "error") popupIn(state)?.cancel();
      return;
    }
    this.#closeTarget();
    this.#cancel("cancelled");
  }

  #cancel(reason: "cancelled" | "closed" | "refused", last?: LastPopup): void {
    this.#rest(last);
    this.host.dispatchEvent(new OidcCancelEvent({ reason }));
  }

  reset(): void {
    this.#closeTarget();
    this.#rest();
  }

  /** @returns Whether the changed settings need another discovery. */
  settingsChanged(changed: PropertyValues): boolean {
    if (changed.has("mode") && this.host.mode === "popup") void loadPopup();
    const has = (name: string): boolean => changed.has(name);
    const isElsewhere = PLACE_SETTINGS.some(has);
    const { name } = this.#state;
    if (!isElsewhere && !(name === "error" && APP_SETTINGS.some(has))) return false;
    // A sign-in that is already on its way to the provider continues.
    if (name === "redirecting" || name === "waiting") this.#target = undefined;
    else this.reset();
    return true;
  }

  /** Waits for a click. */
  #rest(last?: LastPopup): void {
    this.#discovery.cancel();
    this.#signIn.cancel();
    this.#become({ name: this.#target ? "ready" : "idle", ...last });
  }

  #closeTarget(): void {
    this.#shared?.close();
    this.#shared = this.#target = undefined;
  }

  #fail(error: OidcFlowError, popup?: PopupLogin): void {
    // A listener of the event might try again.
    this.#signIn.cancel();
    this.#become({ name: "error", error, popup });
    this.errors.announce(error, new OidcErrorEvent(error));
    void this.errors.reveal();
  }

  /** The only place where the state changes. Closes a popup that the new state doesn't need. */
  #become(next: LoginState): void {
    const popup = popupIn(this.#state);
    this.#state = next;
    this.#leave.cancel();
    if (popup !== popupIn(next)) popup?.cancel();
    this.host.stateChanged();
  }
}

const popupIn = (state: LoginState): PopupLogin | undefined =>
  "popup" in state ? state.popup : undefined;

const isAwaitedIn = (state: LoginState): boolean => state.name === "preparing" && state.isAwaited;
