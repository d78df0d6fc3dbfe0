import { html, nothing, type TemplateResult } from "lit";
import type { MatrixLoginHost } from "../matrix-login-host.js";
import type { LoginModel } from "./login-model.js";
import { readSuggestions } from "./matrix-login-settings.js";

/** How long to wait for the next keystroke before a homeserver is asked. */
const TYPING_PAUSE_MS = 400;

/** A server name with a top-level domain or on this machine, alone, in a user ID or in a URL. */
const COMPLETE_NAME =
  /^(@[^:\s]+:|https?:\/\/)?([\w-]+(\.[\w-]+)*\.[a-z]{2,}|localhost|\d+(\.\d+){3}|\[[\da-f:.]+\])(:\d+)?(\/\S*)?$/i;

/** The field for the homeserver: while its name is typed it is asked, but nothing is said to be wrong. */
export class HomeserverField {
  readonly #host: MatrixLoginHost;
  readonly #model: LoginModel;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the user has typed. */
  #typed: string | undefined;

  constructor(host: MatrixLoginHost, model: LoginModel) {
    this.#host = host;
    this.#model = model;
  }

  /** The homeserver as it was typed, else as it was set. */
  get value(): string {
    return this.#typed ?? this.#model.found?.homeserver ?? this.#host.homeserver ?? "";
  }

  render(text: string): TemplateResult {
    if (this.#host.homeserverLocked) return this.renderName();
    const suggestions = readSuggestions(this.#host);
    const { found, error } = this.#model;
    const invalid = !found && error;
    return html`<div part="homeserver" class="field">
      <label for="homeserver">${text}</label>
      <input
        id="homeserver"
        name="homeserver"
        list=${suggestions.length > 0 ? "suggestions" : nothing}
        .value=${this.value}
        inputmode="url"
        enterkeyhint="next"
        autocomplete="off"
        autocapitalize="none"
        autocorrect="off"
        spellcheck="false"
        dir="ltr"
        placeholder="example.org"
        aria-invalid=${invalid ? "true" : nothing}
        aria-describedby=${invalid ? "error" : nothing}
        ?disabled=${this.#host.disabled}
        @input=${this.#onInput}
        @change=${this.#onChange}
        @keydown=${this.#onKeydown}
      />
      ${
        suggestions.length > 0
          ? html`<datalist id="suggestions">
              ${suggestions.map((each) => html`<option value=${each}></option>`)}
            </datalist>`
          : nothing
      }
    </div>`;
  }

  /** The homeserver's name, where the user cannot change it. */
  renderName(): TemplateResult {
    return html`<div part="server-name" class="server-name"><bdi>${this.value}</bdi></div>`;
  }

  /** The page has set another homeserver, perhaps letter by letter. */
  checkSoon(): void {
    this.reset();
    this.#timer = setTimeout(() => void this.#model.check(), TYPING_PAUSE_MS);
  }

  /** Forgets what was typed. */
  reset(): void {
    this.stopTimer();
    this.#typed = undefined;
  }

  readonly #onInput = ({ target }: Event): void => {
    this.#typed = (target as HTMLInputElement).value;
    this.stopTimer();
    // What is being typed is no longer the homeserver whose forms are shown.
    if (this.#model.state !== "idle") void this.#model.check("");
    const name = this.#typed.trim();
    if (!COMPLETE_NAME.test(name)) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#model.check(name, { typing: true });
    }, TYPING_PAUSE_MS);
  };

  /** The name is complete, by "Enter" or by leaving the field. */
  readonly #onChange = (): void => {
    const name = (this.#typed ?? "").trim();
    const wasPending = this.stopTimer();
    const { found, state } = this.#model;
    if (!name || found?.homeserver === name) return;
    const isAsked = !wasPending && COMPLETE_NAME.test(name) && state !== "error";
    if (isAsked) this.#model.typed();
    else void this.#model.check(name);
  };

  readonly #onKeydown = ({ key }: KeyboardEvent): void => {
    if (key === "Enter") this.#onChange();
  };

  /** Returns whether it was running. */
  stopTimer(): boolean {
    const wasRunning = this.#timer !== undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return wasRunning;
  }
}
