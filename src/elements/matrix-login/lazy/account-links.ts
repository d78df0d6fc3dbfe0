import { html, nothing, type TemplateResult } from "lit";
import { lazyPart } from "../../../ui/lazy.js";
import type { LightForm } from "../../../ui/lazy/form.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import type { AccountAction, AccountForm } from "./account-form.js";
import type { LoginModel, Notice } from "./model.js";
import type { MatrixLoginHost } from "./settings.js";

const loadForm = /* @__PURE__ */ lazyPart(() => import("./account-form.js"));

const LINKS = {
  registration: { part: "register", text: "createAccount" },
  reset: { part: "forgot", text: "passwordForgotten" },
} as const;

export class AccountLinks {
  readonly #host: MatrixLoginHost;
  readonly #model: LoginModel;
  readonly #fields: LightForm;
  opening: AccountAction | undefined;
  #form: AccountForm | undefined;
  #notice: Notice | undefined;
  /** The link that gets the focus, because the form that had it is gone. */
  #focusNext: string | undefined;

  constructor(host: MatrixLoginHost, model: LoginModel, fields: LightForm) {
    this.#host = host;
    this.#model = model;
    this.#fields = fields;
    // If the user continues to type in the current form, another one must not replace it.
    host.addEventListener("input", () => this.stopOpening());
  }

  /** The form, while it is shown: only if the homeserver supports passwords. */
  get form(): AccountForm | undefined {
    return this.#model.found?.methods.includes("password") ? this.#form : undefined;
  }

  /** Shows the form, whose code is loaded now. If that fails, the model reports it. */
  async open(action: AccountAction): Promise<void> {
    this.#model.dismissError();
    this.#notice = undefined;
    this.opening = action;
    this.#host.requestUpdate();
    try {
      const { AccountForm } = await loadForm();
      // The user has done something else since then.
      if (action !== this.opening || this.#model.state !== "ready") return;
      const close = (notice?: Notice): void => this.close(notice);
      this.#form = new AccountForm(this.#host, this.#model, this.#fields, action, close);
    } catch (error) {
      if (action === this.opening) this.#model.fail(action, error);
    } finally {
      if (action === this.opening) this.opening = undefined;
      this.#host.requestUpdate();
    }
  }

  /** Call it when the user does something else. A form that is still loading is then not shown. */
  stopOpening(): void {
    if (this.opening) this.#host.requestUpdate();
    this.opening = undefined;
  }

  close(notice?: Notice): void {
    this.#focusNext = this.#form && LINKS[this.#form.action].part;
    this.#notice = notice;
    this.opening = this.#form = undefined;
    this.#model.dismissError();
    this.#host.requestUpdate();
  }

  /** @param elsewhere The button that creates an account at the provider, instead of the form. */
  render(elsewhere: TemplateResult | undefined): TemplateResult | typeof nothing {
    const { noRegistration, noReset } = this.#host;
    const hasForms = this.#model.found?.methods.includes("password");
    if (!hasForms) return elsewhere ? html`<div class="links">${elsewhere}</div>` : nothing;
    return html`${this.#notice ? this.#renderNotice(this.#notice) : nothing}
      <div class="links">
        ${noReset ? nothing : this.#renderLink("reset")}
        ${elsewhere ?? (noRegistration ? nothing : this.#renderLink("registration"))}
      </div>`;
  }

  #renderNotice({ text, reason }: Notice): TemplateResult {
    const isDone = text === "passwordChanged";
    return html`<div part="notice" class=${isDone ? "done" : nothing} role="status">
      ${withReason(this.#host.localize.term(text), reason)}
    </div>`;
  }

  #renderLink(action: AccountAction): TemplateResult {
    const { part, text } = LINKS[action];
    const isOpening = action === this.opening;
    const spinner = html`<span part="spinner"></span>`;
    return html`<button
      part=${part}
      class="link"
      type="button"
      ?disabled=${this.#host.disabled || this.#model.isBusy}
      aria-busy=${isOpening ? "true" : nothing}
      @pointerenter=${loadForm}
      @focus=${loadForm}
      @click=${() => this.#model.start(action)}
    >
      <span>${this.#host.localize.term(text)}${isOpening ? spinner : nothing}</span>
    </button>`;
  }

  updated(): void {
    const part = this.#focusNext;
    this.#focusNext = undefined;
    if (part) this.#host.shadowRoot?.querySelector<HTMLElement>(`[part=${part}]`)?.focus();
  }
}
