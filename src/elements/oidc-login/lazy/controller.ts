import { css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { RequestOptions } from "../../../core/index.js";
import { createFlow } from "../../../core/oauth/authorization.js";
import {
  findClient,
  registerClient,
  type RegisteredClient,
  REGISTRATION_STATE,
} from "../../../core/oauth/client-cache.js";
import { asFlowError, type OidcFlowError } from "../../../core/oauth/errors.js";
import { storeFlow } from "../../../core/oauth/flow-store.js";
import { assertPrompt } from "../../../core/oauth/metadata.js";
import { secureRandomString } from "../../../core/shared/base64url.js";
import {
  OidcCancelEvent,
  OidcErrorEvent,
  OidcLoginStartEvent,
  OidcRedirectEvent,
} from "../../../events/oidc.js";
import { loginTexts, oauthTexts, requestTexts } from "../../../locales/en.js";
import { POPUP_STATE } from "../../../sign-in/captured-response.js";
import {
  errorSentence,
  LOGIN_ERRORS,
  insertServer,
  lookUpContext,
  OAUTH_ERRORS,
  REQUEST_ERRORS,
} from "../../../errors/lazy/error-text.js";
import { explainError, SETUP_ADVICE } from "../../../errors/lazy/explain-error.js";
import { looksComplete } from "../../../sign-in/lazy/homeserver.js";
import type { SettledLogin } from "../../../sign-in/lazy/login-completion.js";
import { explainLostResponse, PageLeave } from "../../../sign-in/lazy/page.js";
import type { Success } from "../../../sign-in/lazy/signed-in.js";
import { asAppState } from "../../../sign-in/lazy/starter.js";
import { loadCompletion } from "../../../sign-in/parts.js";
import { addTexts } from "../../../texts/texts.js";
import { Countdown, renderSentence } from "../../../ui/lazy/countdown.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import { adoptStyles, errorBox, scrollIntoView, visuallyHidden } from "../../../ui/lazy/styles.js";
import { type Turn, Turns } from "../../../ui/element.js";
import type { PopupLogin } from "./popup-login.js";
import {
  type LoginHost,
  type LoginSettings,
  type LoginTarget,
  type OidcLoginState,
  readSettings,
} from "./settings.js";
import { isStale, loadedPopup, loadPopup, shareTarget } from "./target.js";

addTexts({ $code: "en", ...requestTexts, ...oauthTexts, ...loginTexts });

const OIDC_LOGIN_ERRORS = { ...REQUEST_ERRORS, ...OAUTH_ERRORS, ...LOGIN_ERRORS };

export class LoginController {
  readonly #host: LoginHost;
  readonly #countdown: Countdown;
  readonly #leave: PageLeave;
  #state: OidcLoginState = "idle";
  /** The reason for the state `error`, or for `unsupported`. */
  #error: OidcFlowError | undefined;
  #shownByPage: OidcFlowError | undefined;
  /** The last target that was found, even if it does not support the settings. */
  #target: LoginTarget | undefined;
  #lookup: Promise<void> | undefined;
  /** Whether a caller waits for the lookup. Otherwise its failure is not reported. */
  #isAwaited = false;
  readonly #lookupTurns = new Turns();
  /** The error if the user has declined in the last popup. */
  #refusal: OidcFlowError | undefined;
  #login: Promise<void> | undefined;
  /** Each turn is a call of `login()`. */
  readonly #turns = new Turns();
  #popup: PopupLogin | undefined;
  #success: Success | undefined;

  constructor(host: LoginHost) {
    this.#host = host;
    this.#countdown = new Countdown(host);
    this.#leave = new PageLeave(host, () => {
      if (this.#state === "redirecting") this.#stop();
    });
    explainLostResponse();
  }

  get state(): OidcLoginState {
    return this.#state;
  }

  /** Undefined while `unsupported`: the user sees that error only after a click. */
  get error(): OidcFlowError | undefined {
    return this.#state === "error" ? this.#error : undefined;
  }

  get success(): Success | undefined {
    return this.#success;
  }

  get busy(): boolean {
    return !!this.#login || this.#state === "redirecting" || !!this.#popup?.completing;
  }

  render(): TemplateResult {
    // The button keeps its size while its code loads, so it keeps its font.
    for (const styles of [visuallyHidden, errorBox, messagesStyles]) {
      adoptStyles(this.#host.shadowRoot, styles);
    }
    const { localize } = this.#host;
    const error = this.error === this.#shownByPage ? undefined : this.error;
    const text = withReason(localize.term("errorDenied"), this.#refusal?.reason);
    const declined = html`<div class="note" part="text">${text}</div>`;
    const waiting = this.#state === "waiting" ? this.#popup : undefined;
    return html`<div role="status">
        ${waiting?.renderNote()} ${this.#refusal ? declined : nothing}
      </div>
      ${waiting?.renderCancel()}
      <div id="error" class="error" part="error" role="alert" dir="auto" ?hidden=${!error}>
        ${error ? this.#renderError(error) : nothing}
      </div>`;
  }

  #renderError(error: OidcFlowError): TemplateResult {
    const { homeserver, localize } = this.#host;
    const sought = this.#target ? undefined : homeserver;
    const context = lookUpContext(OIDC_LOGIN_ERRORS, sought);
    const sentence = insertServer(errorSentence(localize, error.code, context), sought);
    return html`<slot name="error-${error.code}"
      ><slot name="error">${renderSentence(this.#countdown, localize, error, sentence)}</slot></slot
    >`;
  }

  /** Discovers the provider before a click. A failure isn't shown. */
  prepareEarly(): void {
    const { homeserver, issuer, disabled } = this.#host;
    const isKnown = homeserver ? looksComplete(homeserver) : issuer;
    if (this.#state === "idle" && !disabled && isKnown) void this.#lookUp();
  }

  /** Finds the provider. Resolves when `state` is `ready`, `unsupported` or `error`. */
  async prepare(): Promise<void> {
    const isReady = this.#state === "ready" && !isStale(this.#target);
    if (isReady || ["unsupported", "redirecting", "waiting"].includes(this.#state)) return;
    this.#isAwaited = true;
    await (this.#lookup ?? this.#lookUp());
  }

  /** Finds the provider, synchronously if no request is necessary. Never rejects. */
  #lookUp(): Promise<void> | undefined {
    const turn = this.#lookupTurns.current;
    this.#setState("preparing");
    if (this.#host.mode === "popup") {
      void loadPopup();
      void loadCompletion();
    }
    const fail = (error: unknown): void => {
      if (!turn.isOver()) this.#lookupFailed(asFlowError(error));
    };
    try {
      const settings = readSettings(this.#host);
      const found = (target: LoginTarget): void => {
        if (turn.isOver()) return;
        this.#target = target;
        assertPrompt(target.provider.named, settings.request.prompt);
        this.#endLookup();
        this.#setState("ready");
      };
      const known = this.#host.target;
      if (known && !isStale(known)) found(known);
      else this.#lookup = shareTarget(settings, turn.signal, this.#target).then(found).catch(fail);
    } catch (error) {
      fail(error);
    }
    return this.#lookup;
  }

  #lookupFailed(error: OidcFlowError): void {
    const isAwaited = this.#isAwaited;
    this.#endLookup();
    if (error.code === "oidc_not_supported") this.#setState("unsupported", error);
    else if (isAwaited) this.#fail(error);
    else this.#setState("idle");
  }

  #endLookup(): void {
    this.#lookup = undefined;
    this.#isAwaited = false;
  }

  /** Prepares, then opens the provider. Other calls join the first one. */
  async login(): Promise<void> {
    const { homeserver, prompt } = this.#host;
    if (this.#login) return this.#login;
    if (this.busy) return;
    if (this.#state === "waiting") {
      if (this.#popup?.focus()) return;
      // The popup was closed, is isolated, or has no opener that could bring it to the front.
      this.#stop();
    }
    if (this.#state === "error" && this.#popup?.retry()) {
      return this.#setState("waiting");
    }
    if (!this.#host.dispatchEvent(new OidcLoginStartEvent({ homeserver, prompt }))) return;
    // Changed settings would close a popup that was opened before them.
    this.#host.applyProperties();
    const turn = this.#turns.begin();
    const login = this.#logIn(turn).finally(() => {
      if (this.#login !== login) return;
      this.#login = undefined;
      this.#host.stateChanged();
    });
    if (!turn.isOver()) {
      this.#login = login;
      this.#host.stateChanged();
    }
    return login;
  }

  cancel(): void {
    if (this.#state !== "preparing" && this.#state !== "waiting" && !this.busy) return;
    this.reset();
    this.#host.dispatchEvent(new OidcCancelEvent({ reason: "cancelled" }));
  }

  reset(): void {
    this.#target = undefined;
    this.#stop();
  }

  /** Forgets what the changed settings invalidate. @returns Whether discovery must run again. */
  settingsChanged(changed: PropertyValues): boolean {
    if (changed.has("mode") && this.#host.mode === "popup") void loadPopup();
    const elsewhere = changed.has("homeserver") || changed.has("issuer");
    // A page can set `disabled` during a sign-in, so that keeps the error.
    if (!elsewhere && (this.#state !== "error" || changed.has("disabled"))) return false;
    // A sign-in that is already on its way to the provider continues.
    if (this.#state === "redirecting" || this.#state === "waiting") this.#target = undefined;
    else this.reset();
    return true;
  }

  #stop(): void {
    this.#turns.begin();
    this.#lookupTurns.begin();
    this.#endLookup();
    this.#login = undefined;
    this.#endPopup();
    this.#setState(this.#target ? "ready" : "idle");
  }

  async #logIn(turn: Turn): Promise<void> {
    const prepared = this.prepare();
    if (turn.isOver()) return;
    // This must run before any `await`, while the click still allows a popup.
    const opened = this.#openPopup(turn);
    // If the preparation fails too, the user sees that error.
    opened.catch(() => undefined);
    await prepared;
    if (turn.isOver()) return;
    if (this.#state === "unsupported") return this.#fail(this.#error);
    const target = this.#target;
    if (this.#state !== "ready" || !target) return;
    this.#setState("redirecting");
    try {
      const settings = readSettings(this.#host);
      assertPrompt(target.provider.named, settings.request.prompt);
      await opened;
      const [{ url, flow }] = await Promise.all([
        // The page might have set another mode since the click.
        startLogin({ ...settings, mode: this.#popup ? "popup" : "redirect" }, target, {
          signal: turn.signal,
        }),
        // A page that stays open handles the response itself.
        this.#popup && loadCompletion(),
      ]);
      if (turn.isOver()) return;
      if (!this.#popup) storeFlow(flow);
      const stays = !this.#host.dispatchEvent(new OidcRedirectEvent({ url }));
      if (turn.isOver()) return;
      if (this.#popup) {
        this.#popup.start(url, flow, !stays);
        return this.#setState("waiting");
      }
      if (stays) return this.#stop();
      this.#leave.begin();
      location.assign(url);
    } catch (error) {
      if (!turn.isOver()) this.#fail(error);
    }
  }

  /** Immediately if its code is loaded: too long after the click, the browser blocks a popup. */
  async #openPopup(turn: Turn): Promise<void> {
    this.#endPopup();
    if (this.#host.mode !== "popup") return;
    this.#success = undefined;
    const { PopupLogin } = loadedPopup() ?? (await loadPopup());
    if (["unsupported", "error"].includes(this.#state) || turn.isOver()) return;
    this.#popup = new PopupLogin(this.#host, {
      settled: (outcome) => this.#settled(outcome),
      closed: () => {
        this.#stop();
        this.#host.dispatchEvent(new OidcCancelEvent({ reason: "closed" }));
      },
    });
    this.#popup.showText(this.#host.localize.term("redirecting"));
  }

  #settled(outcome: SettledLogin): void {
    if (outcome.state === "error" && outcome.error.code !== "access_denied") {
      return this.#announceError(outcome.error);
    }
    this.#stop();
    if (outcome.state === "error") {
      this.#refusal = outcome.error;
      this.#host.dispatchEvent(new OidcCancelEvent({ reason: "refused" }));
    } else {
      this.#success = outcome;
      outcome.session?.addEventListener("session-ended", () => {
        if (outcome === this.#success) this.#success = undefined;
        this.#host.stateChanged();
      });
    }
  }

  #endPopup(): void {
    this.#popup?.end();
    this.#popup = undefined;
  }

  #fail(error: unknown): void {
    this.#endPopup();
    this.#announceError(asFlowError(error));
  }

  #announceError(error: OidcFlowError): void {
    // Reset before the event, because a listener might try again.
    this.#login = undefined;
    this.#setState("error", error);
    explainError(error, SETUP_ADVICE);
    void this.#host.updateComplete.then(() =>
      scrollIntoView(this.#host.shadowRoot?.querySelector("#error")),
    );
    if (!this.#host.dispatchEvent(new OidcErrorEvent(error))) this.#shownByPage = error;
  }

  #setState(state: OidcLoginState, error?: OidcFlowError): void {
    this.#leave.end();
    this.#error = error;
    this.#refusal = undefined;
    this.#state = state;
    this.#host.stateChanged();
  }
}

/** Registers the app if no client ID is known, and starts the sign-in with the confirmed provider. */
async function startLogin(
  settings: LoginSettings,
  target: LoginTarget,
  options: RequestOptions,
): ReturnType<typeof createFlow> {
  const { provider, homeserverUrl } = target;
  const { clientMetadata, homeserver, mode, registration, request, returnTo, starter } = settings;
  const registrant = { provider, homeserverUrl, clientMetadata, policy: registration };
  const known = (): RegisteredClient | undefined => {
    if (mode === "popup" && registration === "per-login") return undefined;
    try {
      return findClient(registrant);
    } catch (error) {
      // A sign-in in a popup needs no storage; any other fails here without it, before any request.
      if (mode === "popup") return undefined;
      throw error;
    }
  };
  const [client, metadata] = await Promise.all([
    settings.clientId === undefined
      ? (known() ?? registerClient(registrant, options))
      : { clientId: settings.clientId },
    provider.confirm(options),
  ]);
  assertPrompt(metadata, request.prompt);
  return createFlow({
    ...request,
    metadata,
    clientId: client.clientId,
    homeserverUrl,
    identityServerUrl: request.identityServerUrl ?? target.identityServerUrl,
    nonce: secureRandomString(32),
    urlState: mode === "popup" ? POPUP_STATE : undefined,
    responseMode:
      request.responseMode ??
      (metadata.response_modes_supported?.includes("fragment") ? "fragment" : "query"),
    appState: {
      startUrl: location.href,
      ...asAppState(starter),
      ...(returnTo !== undefined && { returnTo }),
      ...(homeserver !== undefined && { homeserver }),
      ...("fingerprint" in client && { [REGISTRATION_STATE]: client.fingerprint }),
    },
  });
}

const messagesStyles = css`
  /* Announces later; until then it takes no room. */
  [role="status"]:not(:has(*)) {
    position: absolute;
  }
  .note {
    margin-block-start: var(--_gap);
    line-height: 1.45;
  }
  [part="cancel"] {
    align-self: start;
    background: none;
    border-color: color-mix(in srgb, currentcolor 55%, transparent);
    color: inherit;
  }
  a {
    /* A larger target; its line stays as high as the others. */
    padding-block: 0.25em;
    color: var(--_accent);
  }
`;
