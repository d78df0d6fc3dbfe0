import { html, nothing, type TemplateResult } from "lit";
import { looksComplete, understood } from "../../../sign-in/lazy/homeserver.js";
import { focusedElement, isFocusLost } from "../../../ui/focus.js";
import { inputOf, isComposing } from "../../../ui/lazy/field.js";
import { renderSubmit } from "../../../ui/lazy/form.js";
import type { LoginModel } from "./model.js";
import { isUsersChoice, type MatrixLoginHost, readSuggestions, serverNameOf } from "./settings.js";

/** The homeserver field. It looks up the homeserver while the user types, but shows no errors. */
export class HomeserverField {
  readonly #model: LoginModel;
  readonly #host: MatrixLoginHost;
  /** Whether the user has finished the field. Once the homeserver is found, the focus moves on. */
  #isDone = false;
  #typed: string | undefined;
  #isTyping = false;
  #asked: string | undefined;

  constructor(model: LoginModel) {
    this.#model = model;
    this.#host = model.host;
  }

  get value(): string {
    const { found, soughtServer = "" } = this.#model;
    const typed = found && !this.#isTyping ? undefined : this.#typed;
    return typed ?? found?.homeserver ?? (soughtServer || this.#host.homeserver || "");
  }

  get hasButton(): boolean {
    return isUsersChoice(this.#host) && !this.#model.found;
  }

  render(alert: TemplateResult | typeof nothing): TemplateResult {
    if (this.#host.homeserverLocked) {
      // Only this repeats the lookup after a cancellation.
      const isAsked = this.#model.state !== "idle" || !this.value;
      return html`${this.renderName()}${isAsked ? nothing : this.#renderButton()}`;
    }
    const { found, error } = this.#model;
    // While its name is being typed the field stays.
    if (found && !this.#isTyping) return this.#renderChosen();
    const invalid = !found && error;
    const options = readSuggestions(this.#host).map(
      (each) => html`<option value=${each}></option>`,
    );
    const suggestions = html`<datalist id="suggestions">${options}</datalist>`;
    return html`<div part="homeserver" class="field">
      <div class="uia-fields">
        <label for="homeserver">${this.#host.localize.term("homeserver")}</label>
        <input
          id="homeserver"
          name="homeserver"
          list=${options.length > 0 ? "suggestions" : nothing}
          .value=${this.value}
          inputmode="url"
          enterkeyhint="next"
          autocomplete="off"
          autocapitalize="none"
          autocorrect="off"
          spellcheck="false"
          dir="ltr"
          placeholder=${this.#host.localize.term("homeserverExample")}
          aria-invalid=${invalid ? "true" : nothing}
          aria-describedby=${invalid ? "error" : nothing}
          ?disabled=${this.#host.disabled}
          @input=${this.#onInput}
          @change=${this.#onChange}
          @keydown=${this.#onKeydown}
        />
        ${options.length > 0 ? suggestions : nothing}
      </div>
      ${alert} ${this.hasButton ? this.#renderButton() : nothing}
    </div>`;
  }

  /** As high as the field: a click below it, which leaves the field, still hits its target. */
  #renderChosen(): TemplateResult {
    const { localize, disabled } = this.#host;
    return html`<div part="homeserver" class="field">
      <div class="label">${localize.term("homeserver")}</div>
      <div class="chosen">
        <bdi id="server-name" part="server-name">${serverNameOf(this.value)}</bdi>
        <button
          part="change"
          class="link"
          type="button"
          ?disabled=${disabled}
          aria-describedby="server-name"
          @click=${() => void this.#change()}
        >
          ${localize.term("homeserverChange")}
        </button>
      </div>
    </div>`;
  }

  async #change(): Promise<void> {
    this.#typed = this.value;
    this.#asked = undefined;
    this.#model.forget();
    await this.#host.updateComplete;
    const field = this.#host.shadowRoot?.querySelector<HTMLInputElement>("#homeserver");
    field?.focus();
    field?.select();
  }

  #renderButton(): TemplateResult {
    const { localize, disabled } = this.#host;
    const busy = this.#model.state === "checking";
    const options = { part: "continue", disabled };
    return renderSubmit(localize.term("continue"), busy, () => this.#done(), options);
  }

  renderName(): TemplateResult {
    const name = serverNameOf(this.value);
    return html`<div part="server-name" class="server-name"><bdi>${name}</bdi></div>`;
  }

  reset(): void {
    this.#isDone = false;
    this.#typed = undefined;
  }

  takeDone(): boolean {
    const { found, state } = this.#model;
    if (!this.#isDone || !found || state !== "ready") return false;
    this.#isDone = false;
    const focused = focusedElement(this.#host);
    // The pressed button has disappeared.
    return isFocusLost() || focused === this.#host || focused?.id === "homeserver";
  }

  readonly #onInput = (event: Event): void => {
    this.#typed = inputOf(event).value;
    this.#isTyping = true;
    this.#model.pause();
    this.#isDone = false;
    // The input no longer matches the homeserver of the current forms.
    if (this.#model.state !== "idle") this.#model.forget();
    this.#asked = undefined;
    const name = this.#typed.trim();
    if (!looksComplete(name)) return;
    this.#model.checkSoon(() => {
      this.#asked = name;
      void this.#model.check(name, { typing: true });
    });
  };

  /** Browsers also fire it when they remove the focused field, whose value is submitted by then. */
  readonly #onChange = (): void => {
    if (this.#isTyping && this.value.trim()) this.#submit();
  };

  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || isComposing(event)) return;
    // The same key press must not trigger the next focused button.
    event.preventDefault();
    this.#done();
  };

  #done(): void {
    this.#isDone = true;
    this.#host.requestUpdate();
    this.#submit();
  }

  #submit(): void {
    const name = this.value.trim();
    this.#model.pause();
    this.#isTyping = false;
    const { found, state } = this.#model;
    if (name && found?.homeserver === understood(name)) return this.#host.requestUpdate();
    if (name === this.#asked && state !== "error") return this.#model.typed();
    this.#asked = name;
    void this.#model.check(name);
  }
}
