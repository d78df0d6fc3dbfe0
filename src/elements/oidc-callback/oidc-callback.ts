import { ContextProvider } from "@lit/context";
import {
  html,
  nothing,
  type CSSResultGroup,
  type PropertyDeclarations,
  type TemplateResult,
} from "lit";
import { authClientContext } from "../../context/auth-client-context.js";
import type {
  AuthorizationCodeGrantResult,
  HomeserverClient,
  OidcFlowError,
} from "../../core/index.js";
import { OidcCancelEvent } from "../../events/oidc-cancel.js";
import { OidcErrorEvent } from "../../events/oidc-error.js";
import { OidcSuccessEvent } from "../../events/oidc-success.js";
import { AuthElement } from "../shared/auth-element.js";
import { asFlowError } from "../shared/flow-error.js";
import { loadCore, loadLater, type Later } from "../shared/load.js";
import { LocalizeController } from "../shared/localize.js";
import { pageScriptsDone } from "../shared/page.js";
import { sharedStyles } from "../shared/styles.js";
import { capture, reloadWith, type Capture } from "./capture.js";
import type { Completion, Outcome } from "./completion.js";
import { styles } from "./oidc-callback.styles.js";

/** Where the end of a login stands; also a `:state()` of the element. */
export type OidcCallbackState = "idle" | Outcome["state"];

/** The answer that the browser came back with: one for a page load, whatever elements come and go. */
let captured: Capture | undefined;

/**
 * Ends a login on the page that the provider sends the browser back to. It acts only on an answer
 * that this library asked for, and on each once, however often it is mounted; the code is out of the
 * address bar before any request goes out.
 *
 * Where the page was opened without an answer it says so, unless there is an `<oidc-login>` on the
 * page: then it shows nothing, so that both can stand on one page.
 *
 * @summary Complete a sign-in.
 * @tag oidc-callback
 * @experimental
 *
 * @slot pending - Shown while the tokens are fetched and verified.
 * @slot success - Shown after signing in.
 * @slot error - Replaces the text of every error; the ways on stay.
 * @slot error-(code) - Replaces the text of the error with this code, such as `error-access_denied`.
 *
 * @fires {OidcSuccessEvent} oidc-success - Somebody has signed in. Cancelable: stays on this page.
 * @fires {OidcCancelEvent} oidc-cancel - The person said no at the provider.
 * @fires {OidcErrorEvent} oidc-error - The login failed.
 *
 * @csspart pending - What is shown while the tokens are fetched.
 * @csspart spinner - What turns meanwhile.
 * @csspart success - What is shown after signing in.
 * @csspart error - The error's text.
 * @csspart retry - The button that tries again.
 * @csspart start-again - The link to where the login began.
 *
 * @cssprop [--oidc-accent-color] - The button's background and the link.
 * @cssprop [--oidc-on-accent-color] - The button's text.
 * @cssprop [--oidc-error-color] - The error's text.
 * @cssprop [--oidc-border-radius=0.5em] - The button's corners.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the button.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 *
 * @cssstate idle - There is nothing to end.
 * @cssstate pending - The tokens are being fetched and verified.
 * @cssstate success - Somebody has signed in.
 * @cssstate error - The login failed, or was refused.
 */
export class OidcCallbackElement extends AuthElement {
  static override readonly tag: string = "oidc-callback";

  static override get properties(): PropertyDeclarations {
    return {
      manual: { type: Boolean, reflect: true },
      returnTo: { attribute: "return-to" },
    };
  }

  static override get styles(): CSSResultGroup {
    return [sharedStyles, styles];
  }

  /** Whether to wait for `complete()` instead of acting when the element is on the page. */
  declare manual: boolean;
  /** Where to go after signing in, over what the login was started with: an address of this origin. */
  declare returnTo: string | undefined;

  readonly #localize = new LocalizeController(this);
  readonly #provider = new ContextProvider(this, { context: authClientContext });
  #later: Later | undefined;
  #completion: Completion | undefined;
  /** What kept this element from having a completion. */
  #ownError: OidcFlowError | undefined;
  #loading = false;

  constructor() {
    super();
    this.manual = false;
  }

  /** Where the end of the login stands. */
  get state(): OidcCallbackState {
    if (this.#ownError) return "error";
    return this.#completion?.outcome.state ?? (this.#loading ? "pending" : "idle");
  }

  /** The tokens and all that belongs to them, after success. */
  get result(): AuthorizationCodeGrantResult | undefined {
    const outcome = this.#completion?.outcome;
    return outcome?.state === "success" ? outcome.result : undefined;
  }

  /** A client of the homeserver with these tokens, after success. Elements inside find it by context. */
  get client(): HomeserverClient | undefined {
    const outcome = this.#completion?.outcome;
    return outcome?.state === "success" ? outcome.client : undefined;
  }

  /** What failed, while `state` is `error`. */
  get error(): OidcFlowError | undefined {
    return this.#ownError ?? this.#completion?.error;
  }

  /**
   * Ends the login whose answer is in an address, for `manual`.
   *
   * @param url Default: the page's address.
   * @returns Resolves when `state` is `success` or `error`; never rejects.
   */
  async complete(url: string | URL = location.href): Promise<void> {
    captured = capture(new URL(url, location.href).href) ?? captured;
    await this.#complete();
    await this.#completion?.settled();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#completion?.addEventListener("change", this.#onChange);
    if (this.hasUpdated) this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#completion?.removeEventListener("change", this.#onChange);
  }

  /** Only now are properties in place that were set before the element was defined. */
  protected override willUpdate(): void {
    if (!this.hasUpdated) this.#start();
  }

  override render(): TemplateResult {
    const { state } = this;
    return html`<div role="status">
        ${
          state === "pending"
            ? html`<slot name="pending"
                ><div class="view" part="pending">
                  <span part="spinner"></span><span>${this.#localize.term("completing")}</span>
                </div></slot
              >`
            : nothing
        }
        ${
          state === "success"
            ? html`<slot name="success"
                ><div class="view" part="success">${this.#localize.term("signedIn")}</div></slot
              >`
            : nothing
        }
      </div>
      <div role="alert">${this.#renderErrorText()}</div>
      ${this.#renderWays()}`;
  }

  #renderErrorText(): TemplateResult | typeof nothing {
    const code = this.error?.code;
    if (!code) return nothing;
    const refused = code === "access_denied";
    return html`<div class=${refused ? "view" : "view error"} part="error" dir="auto">
      <slot name="error-${code}"
        ><slot name="error"
          >${this.#localize.term(this.#later?.errorText(code) ?? "errorLoadFailed")}</slot
        ></slot
      >
    </div>`;
  }

  #renderWays(): TemplateResult | typeof nothing {
    if (this.state !== "error") return nothing;
    return html`<div class="ways">
      ${
        this.#completion?.canRetry || (captured && this.error?.code === "load_failed")
          ? html`<button part="retry" type="button" @click=${this.#onRetry}>
              ${this.#localize.term("tryAgain")}
            </button>`
          : nothing
      }
      <a part="start-again" href=${this.#startUrl}>${this.#localize.term("startAgain")}</a>
    </div>`;
  }

  /** Where the login began; what the page says; else the folder of this page. */
  get #startUrl(): string {
    const { ownAddress } = this.#later ?? {};
    return (
      ownAddress?.(this.#completion?.appState["startUrl"]) ??
      ownAddress?.(this.returnTo) ??
      new URL(".", location.href).href
    );
  }

  #start(): void {
    if (!this.manual) {
      captured = capture(location.href) ?? captured;
      void (captured ? this.#complete() : this.#lookForLogin());
    }
    this.#onChange();
  }

  /** Ends the captured login, or takes part in its end; says so where there is none. */
  async #complete(): Promise<void> {
    this.#ownError = undefined;
    this.#loading = captured !== undefined;
    this.#onChange();
    try {
      this.#later ??= await loadLater();
      if (!captured) throw this.#later.nothingToComplete();
      this.#completion?.removeEventListener("change", this.#onChange);
      this.#completion = this.#later.Completion.of(captured, loadCore);
      this.#completion.addEventListener("change", this.#onChange);
    } catch (error) {
      this.#ownError = asFlowError(error);
    }
    this.#loading = false;
    this.#onChange();
    await this.#ready();
    if (this.#ownError) this.dispatchEvent(new OidcErrorEvent(this.#ownError));
  }

  /** A sign-in button on the same page waits for a click: there is no need to say anything. */
  async #lookForLogin(): Promise<void> {
    await pageScriptsDone();
    if (this.isConnected && !captured && !document.querySelector("oidc-login")) {
      await this.#complete();
    }
  }

  readonly #onChange = (): void => {
    this.showState(this.state);
    this.#provider.setValue(this.client);
    this.requestUpdate();
    void this.#announce();
  };

  /** Resolves when an event finds its listeners, and the element shows what it tells. */
  async #ready(): Promise<void> {
    await pageScriptsDone();
    await this.updateComplete;
  }

  async #announce(): Promise<void> {
    if (!this.#completion) return;
    await this.#ready();
    if (!this.isConnected || !this.#completion.takeAnnouncement()) return;
    const { result, error } = this;
    if (result) this.#announceSuccess(result);
    else if (error?.code === "access_denied") {
      this.dispatchEvent(new OidcCancelEvent({ reason: "refused" }));
    } else if (error) this.dispatchEvent(new OidcErrorEvent(error));
  }

  #announceSuccess(result: AuthorizationCodeGrantResult): void {
    const stays = !this.dispatchEvent(new OidcSuccessEvent(result));
    const address = this.#later?.ownAddress(this.returnTo ?? result.appState?.["returnTo"]);
    // Replaced, so that "back" does not lead to a page that has nothing to do any more.
    if (address !== undefined && !stays) location.replace(address);
  }

  readonly #onRetry = (): void => {
    if (this.error?.code !== "load_failed") this.#completion?.retry();
    // Browsers may remember that a module failed to load until the page is loaded anew.
    else if (captured) reloadWith(captured);
  };
}

declare global {
  interface HTMLElementTagNameMap {
    "oidc-callback": OidcCallbackElement;
  }
}
