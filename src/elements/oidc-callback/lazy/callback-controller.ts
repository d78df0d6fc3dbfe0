import { html, nothing, type TemplateResult } from "lit";
import type { OidcFlowError } from "../../../core/oidc/errors.js";
import { OidcCancelEvent } from "../../../events/oidc-cancel.js";
import { OidcErrorEvent } from "../../../events/oidc-error.js";
import { OidcSuccessEvent } from "../../../events/oidc-success.js";
import { addStyles } from "../../shared/lazy/add-styles.js";
import { errorKey } from "../../shared/lazy/error-text.js";
import { pageScriptsDone } from "../../shared/page-lifecycle.js";
import { ownAddress } from "../../shared/lazy/page-urls.js";
import type { Capture } from "../../shared/captured-response.js";
import { viewStyles } from "./callback.styles.js";
import { Completion, nothingToComplete, type Outcome } from "../../shared/lazy/login-completion.js";
import type { OidcCallbackElement } from "../oidc-callback.js";
import { renderPending } from "../render-pending.js";

/** What an element shows, and which events it fires, about the completion of a login. */
export class CallbackView {
  readonly #host: OidcCallbackElement;
  readonly #changed: () => void;
  #completion: Completion | undefined;
  #nothing: OidcFlowError | undefined;

  constructor(host: OidcCallbackElement, changed: () => void) {
    this.#host = host;
    this.#changed = changed;
  }

  get success(): Extract<Outcome, { state: "success" }> | undefined {
    const { outcome } = this;
    return outcome.state === "success" ? outcome : undefined;
  }

  get outcome(): Outcome {
    if (this.#nothing) return { state: "error", error: this.#nothing };
    return this.#completion?.outcome ?? { state: "pending" };
  }

  /** Resolves when the outcome is no longer pending. */
  async settled(): Promise<void> {
    await this.#completion?.settled();
  }

  /** Completes the captured login, or joins its completion; without one, shows and fires an error. */
  async complete(captured: Capture | undefined): Promise<void> {
    this.disconnect();
    this.#nothing = captured ? undefined : nothingToComplete();
    this.#completion = captured && Completion.of(captured, { persist: this.#host.persist });
    this.connect();
    if (!this.#nothing) return;
    await this.#ready();
    this.#host.dispatchEvent(new OidcErrorEvent(this.#nothing));
  }

  connect(): void {
    this.#completion?.addEventListener("change", this.#onChange);
    this.#onChange();
  }

  disconnect(): void {
    this.#completion?.removeEventListener("change", this.#onChange);
  }

  render(): TemplateResult {
    const { outcome } = this;
    const { localize } = this.#host;
    addStyles(this.#host, viewStyles);
    return html`<div role="status" tabindex="-1">
        ${outcome.state === "pending" ? renderPending(localize) : nothing}
        ${
          outcome.state === "success"
            ? html`<slot name="success"
                ><div part="success">${localize.term("signedIn")}</div></slot
              >`
            : nothing
        }
      </div>
      <div role="alert">
        ${outcome.state === "error" ? this.#renderError(outcome.error) : nothing}
      </div>
      ${outcome.state === "error" ? this.#renderWays() : nothing}`;
  }

  #renderError({ code }: OidcFlowError): TemplateResult {
    const refused = code === "access_denied";
    return html`<div class=${refused ? nothing : "error"} part="error" dir="auto">
      <slot name="error-${code}"
        ><slot name="error">${this.#host.localize.term(errorKey(code))}</slot></slot
      >
    </div>`;
  }

  #renderWays(): TemplateResult {
    const { localize } = this.#host;
    return html`<div class="ways">
      ${
        this.#completion?.canRetry
          ? html`<button part="retry" type="button" @click=${this.#onRetry}>
              ${localize.term("tryAgain")}
            </button>`
          : nothing
      }
      <a part="start-again" href=${this.#startUrl}>${localize.term("startAgain")}</a>
    </div>`;
  }

  /** Where the login began, else `return-to`, else the folder of this page. */
  get #startUrl(): string {
    // A page without a URL of its own, such as a frame's `srcdoc`, is not in a folder.
    const folder = URL.canParse(".", location.href) ? location.href : document.baseURI;
    return (
      ownAddress(this.#completion?.appState["startUrl"]) ??
      ownAddress(this.#host.returnTo) ??
      new URL(".", folder).href
    );
  }

  readonly #onChange = (): void => {
    this.#changed();
    void this.#announce();
  };

  /** The pressed button disappears, so focus moves to the status message, then to the next action. */
  readonly #onRetry = async (): Promise<void> => {
    this.#completion?.retry();
    await this.#focus("[role=status]");
    await this.settled();
    if (this.#host.shadowRoot?.activeElement?.role === "status") await this.#focus(".ways > *");
  };

  async #focus(selector: string): Promise<void> {
    await this.#host.updateComplete;
    this.#host.shadowRoot?.querySelector<HTMLElement>(selector)?.focus();
  }

  /** Resolves when listeners are attached and the element shows what the event will report. */
  async #ready(): Promise<void> {
    await pageScriptsDone();
    // `updateComplete` never resolves for an element that was never on the page.
    if (this.#host.isConnected) await this.#host.updateComplete;
  }

  async #announce(): Promise<void> {
    if (!this.#completion) return;
    await this.#ready();
    const { outcome } = this;
    if (!this.#host.isConnected || !this.#completion.takeAnnouncement()) return;
    if (outcome.state === "success") this.#announceSuccess(outcome);
    else if (outcome.state === "error") {
      this.#host.dispatchEvent(
        outcome.error.code === "access_denied"
          ? new OidcCancelEvent({ reason: "refused" })
          : new OidcErrorEvent(outcome.error),
      );
    }
  }

  #announceSuccess({ result }: Extract<Outcome, { state: "success" }>): void {
    if (!result) return;
    const stays = !this.#host.dispatchEvent(new OidcSuccessEvent(result));
    const address = ownAddress(this.#host.returnTo || result.appState?.["returnTo"]);
    // Replaced, so that "back" does not lead to a page that has nothing left to do.
    if (address !== undefined && !stays) location.replace(address);
  }
}
