import { html, nothing, type ReactiveController, type TemplateResult } from "lit";
import type { OidcFlowError } from "../../../core/oidc/errors.js";
import { OidcCancelEvent } from "../../../events/oidc-cancel.js";
import { OidcErrorEvent } from "../../../events/oidc-error.js";
import { OidcSuccessEvent } from "../../../events/oidc-success.js";
import type { CapturedResponse } from "../../shared/captured-response.js";
import { addStyles } from "../../shared/lazy/add-styles.js";
import { errorKey } from "../../shared/lazy/error-text.js";
import { LoginCompletion, type Outcome, type Success } from "../../shared/lazy/login-completion.js";
import { ownUrl } from "../../shared/lazy/page-urls.js";
import { readSessionOptions } from "../../shared/lazy/session-settings.js";
import { pageScriptsDone } from "../../shared/page-lifecycle.js";
import type { CallbackHost } from "../callback-host.js";
import { renderPending } from "../render-pending.js";
import { callbackStyles } from "./callback.styles.js";

/** What an element shows, and which events it fires, about the completion of a login. */
export class CallbackController implements ReactiveController {
  readonly #host: CallbackHost;
  #completion: LoginCompletion | undefined;

  constructor(host: CallbackHost) {
    this.#host = host;
    host.addController(this);
  }

  get outcome(): Outcome {
    return this.#completion?.outcome ?? { state: "pending" };
  }

  get success(): Success | undefined {
    const { outcome } = this;
    return outcome.state === "success" ? outcome : undefined;
  }

  /** Completes the captured login, or joins its completion; without one, shows and fires an error. */
  async complete(response: CapturedResponse | undefined): Promise<void> {
    this.hostDisconnected();
    this.#completion = LoginCompletion.of(response, () => readSessionOptions(this.#host));
    this.#completion.addEventListener("change", this.#onChange);
    this.#host.stateChanged();
    await this.#completion.settled();
    await this.#announce();
  }

  hostConnected(): void {
    this.#completion?.addEventListener("change", this.#onChange);
    this.#onChange();
  }

  hostDisconnected(): void {
    this.#completion?.removeEventListener("change", this.#onChange);
  }

  render(): TemplateResult {
    const { outcome } = this;
    const { localize } = this.#host;
    addStyles(this.#host, callbackStyles);
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
      ${outcome.state === "error" ? this.#renderActions() : nothing}`;
  }

  #renderError({ code }: OidcFlowError): TemplateResult {
    const refused = code === "access_denied";
    return html`<div class=${refused ? nothing : "error"} part="error" dir="auto">
      <slot name="error-${code}"
        ><slot name="error">${this.#host.localize.term(errorKey(code))}</slot></slot
      >
    </div>`;
  }

  #renderActions(): TemplateResult {
    const { localize } = this.#host;
    return html`<div class="actions">
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
      ownUrl(this.#completion?.appState["startUrl"]) ??
      ownUrl(this.#host.returnTo) ??
      new URL(".", folder).href
    );
  }

  readonly #onChange = (): void => {
    this.#host.stateChanged();
    void this.#announce();
  };

  /** The pressed button disappears, so focus moves to the status message, then to the next action. */
  readonly #onRetry = async (): Promise<void> => {
    this.#completion?.retry();
    await this.#focus("[role=status]");
    await this.#completion?.settled();
    if (this.#host.shadowRoot?.activeElement?.role === "status") await this.#focus(".actions > *");
  };

  async #focus(selector: string): Promise<void> {
    await this.#host.updateComplete;
    this.#host.shadowRoot?.querySelector<HTMLElement>(selector)?.focus();
  }

  /** Fires the outcome's event, once listeners are attached and the element shows what it reports. */
  async #announce(): Promise<void> {
    const completion = this.#completion;
    if (!completion || completion.outcome.state === "pending") return;
    await pageScriptsDone();
    // `updateComplete` never resolves for an element that was never on the page.
    if (this.#host.isConnected) await this.#host.updateComplete;
    const { outcome } = completion;
    // Away from the page: the next element takes over, if there is anything to take over.
    if (!this.#host.isConnected && completion.hasResponse) return;
    if (completion !== this.#completion || !completion.takeAnnouncement()) return;
    if (outcome.state === "success") this.#announceSuccess(outcome);
    else {
      this.#host.dispatchEvent(
        outcome.error.code === "access_denied"
          ? new OidcCancelEvent({ reason: "refused" })
          : new OidcErrorEvent(outcome.error),
      );
    }
  }

  #announceSuccess({ result }: Success): void {
    if (!result) return;
    const stays = !this.#host.dispatchEvent(new OidcSuccessEvent(result));
    const url = ownUrl(this.#host.returnTo || result.appState?.["returnTo"]);
    // Replaced, so that "back" does not lead to a page that has nothing left to do.
    if (url !== undefined && !stays) location.replace(url);
  }
}
