// The content that is shown before the rest is loaded: the frame and the homeserver field. The view
// renders the same templates, so that the field keeps its focus and its text.
import "../../ui/import-lit.js";
import { html, nothing, type TemplateResult } from "lit";
import { pageResponse } from "../../sign-in/captured-response.js";
import { onThisPage } from "../../sign-in/page-urls.js";
import { fieldTexts, firstScreenTexts } from "../../texts/english-first.js";
import { type BasicKey, partTexts } from "../../texts/part-texts.js";
import { fieldStyles, hideEditing, inputOf, isComposing } from "../../ui/form/field.js";
import { contentStyles, controlStyles } from "../../ui/form/content-styles.js";
import { oncePerDoubleClick, renderSubmit, secondaryStyles } from "../../ui/form/buttons.js";
import { addStyles } from "../../ui/form/styles.js";
import { insert, verbatim } from "../../ui/format-text.js";
import { adoptStyles, panelStyles } from "../../ui/styles.js";
import type { MatrixLoginElement } from "./matrix-login.js";
import { isUsersChoice, readSuggestions, serverNameOf } from "./settings.js";
import { blankPageStyles, matrixLoginStyles } from "./styles.js";

const texts = partTexts(firstScreenTexts, { continue: fieldTexts.continue });

const STYLES = [
  panelStyles,
  controlStyles,
  secondaryStyles,
  contentStyles,
  fieldStyles,
  matrixLoginStyles,
];

/** The user's input before the rest is loaded. */
export interface Entered {
  readonly homeserver: string;
  /** The next step, once the user has finished. */
  readonly next?: "sign-in" | "registration" | undefined;
}

interface HomeserverField {
  readonly value: string;
  readonly isInvalid?: boolean | undefined;
  /** The error, at its place below the field. */
  readonly alert?: TemplateResult | typeof nothing;
  /** Whether the user must confirm the homeserver. */
  readonly asks: boolean;
  readonly isBusy?: boolean;
  readonly type: (value: string) => void;
  /** Called when the user has left the field. */
  readonly leave?: () => void;
  readonly confirm: () => void;
  /** Creates an account. If unset, the button for that isn't shown. */
  readonly createAccount?: (() => void) | undefined;
}

/** Hides an image that cannot be loaded, so that it leaves no gap. */
const onLogo = ({ type, currentTarget }: Event): void => {
  (currentTarget as HTMLElement).hidden = type === "error";
};

/** The panel with its heading, and with all controls. Without `title`, it has no heading. */
export function renderFrame(
  host: MatrixLoginElement,
  title: unknown,
  homeserver: unknown,
  content: unknown,
): TemplateResult {
  addStyles(host, ...STYLES);
  hideEditing(host);
  const logoUri = host.logoUri ? onThisPage(host.logoUri)?.href : undefined;
  const logo = html`<img part="logo" src=${logoUri} alt="" @load=${onLogo} @error=${onLogo} />`;
  const heading = html`<h2 part="heading">${title}</h2>`;
  return html`<div part="form" class="form panel">
    <slot name="logo">${logoUri ? logo : nothing}</slot>
    <slot name="heading">${title === undefined ? nothing : heading}</slot>
    <fieldset ?disabled=${host.isDisabled}>${homeserver} ${content}</fieldset>
  </div>`;
}

/** The title of the first screen, and of the sign-in. */
export function signInTitle(host: MatrixLoginElement): unknown {
  const { clientName, localize } = host;
  if (!clientName) return localize.term("signIn");
  const text = texts.term(localize, "signInToApplication");
  return insert(text, "name", verbatim(clientName));
}

/** The slot for the homeserver, which the page can fill itself. */
export const homeserverSlot = (content: unknown): TemplateResult =>
  html`<slot name="homeserver">${content}</slot>`;

export function renderServerName(host: MatrixLoginElement, homeserver: string): TemplateResult {
  const name = serverNameOf(homeserver);
  return html`<div class="field">
    <div class="label">${texts.term(host.localize, "homeserver")}</div>
    <div part="server-name" class="server-name">${verbatim(name)}</div>
  </div>`;
}

export function renderContinue(
  host: MatrixLoginElement,
  isBusy: boolean,
  confirm: () => void,
): TemplateResult {
  const text = texts.term(host.localize, "continue");
  return renderSubmit(text, isBusy, confirm, { part: "continue" });
}

export function renderHomeserverField(
  host: MatrixLoginElement,
  { value, isInvalid, alert = nothing, asks, isBusy = false, ...actions }: HomeserverField,
): TemplateResult {
  const names = readSuggestions(host);
  const options = names.map((each) => html`<option value=${each}></option>`);
  const term = (key: keyof typeof firstScreenTexts | BasicKey): string =>
    texts.term(host.localize, key);
  // Not everything that fills in a field fires an event.
  const read = (): void => {
    const field = host.shadowRoot?.querySelector<HTMLInputElement>("input#homeserver");
    if (field && field.value !== value) actions.type(field.value);
  };
  const confirm = (): void => {
    read();
    actions.confirm();
  };
  const onKeydown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || isComposing(event)) return;
    // The same key press must not trigger the next focused button.
    event.preventDefault();
    confirm();
  };
  const onSuggestion = (name: string): void => {
    actions.type(name);
    actions.confirm();
  };
  const suggestions = html`<div class="suggestions" role="group" aria-labelledby="hint">
    ${names.map(
      (name) =>
        html`<button
          part="suggestion"
          class="secondary"
          type="button"
          @click=${() => onSuggestion(name)}
        >
          ${verbatim(name)}
        </button>`,
    )}
  </div>`;
  const { createAccount } = actions;
  const onCreate = (): void => {
    read();
    createAccount?.();
  };
  const register = html`<div class="links">
    <button part="register" class="link" type="button" @click=${oncePerDoubleClick(onCreate)}>
      ${term("createAccount")}
    </button>
  </div>`;
  const described = [isInvalid && "error", asks && "hint"].filter(Boolean).join(" ");
  return html`<div part="homeserver" class="field">
    <div class="uia-fields">
      <label for="homeserver">${term("homeserver")}</label>
      <input
        id="homeserver"
        name="homeserver"
        list=${names.length > 0 ? "suggestions" : nothing}
        .value=${value}
        inputmode="url"
        enterkeyhint="go"
        autocomplete="off"
        autocapitalize="none"
        autocorrect="off"
        spellcheck="false"
        dir="ltr"
        aria-invalid=${isInvalid ? "true" : nothing}
        aria-describedby=${described || nothing}
        @input=${(event: Event) => actions.type(inputOf(event).value)}
        @change=${() => {
          read();
          actions.leave?.();
        }}
        @keydown=${onKeydown}
      />
      ${names.length > 0 ? html`<datalist id="suggestions">${options}</datalist>` : nothing}
    </div>
    ${asks ? html`<p id="hint" class="hint">${term("homeserverHint")}</p>` : nothing} ${alert}
    ${asks && names.length > 0 ? suggestions : nothing}
    ${asks ? renderContinue(host, isBusy, confirm) : nothing}
    ${asks && createAccount ? register : nothing}
  </div>`;
}

/** The first screen, until the view continues it. */
export class FirstScreen {
  readonly #host: MatrixLoginElement;
  /** Whether the user returns from a provider. Then the element doesn't ask for the homeserver. */
  readonly #isReturn: boolean;
  #entered: Entered | undefined;
  #continue: ((entered: Entered) => void) | undefined;

  constructor(host: MatrixLoginElement) {
    this.#host = host;
    if (document.styleSheets.length === 0) adoptStyles(document, blankPageStyles);
    const response = pageResponse();
    this.#isReturn = !!response && !response.isReported;
  }

  get entered(): Entered | undefined {
    return this.#entered;
  }

  /** Passes on the input from before the view is rendered. */
  continueIn(next: (entered: Entered) => void): void {
    this.#continue = next;
  }

  render(): TemplateResult {
    const host = this.#host;
    return renderFrame(host, signInTitle(host), this.#renderHomeserver(), nothing);
  }

  #renderHomeserver(): TemplateResult | typeof nothing {
    const host = this.#host;
    if (this.#isReturn) return nothing;
    const { homeserver: value = host.homeserver || "", next } = this.#entered ?? {};
    if (host.homeserverLocked) return homeserverSlot(renderServerName(host, value));
    const enter = (entered: Entered): void => {
      this.#entered = entered;
      this.#continue?.(entered);
      host.requestUpdate();
    };
    const finish = (next: Entered["next"]) => (): void =>
      enter({ homeserver: this.#entered?.homeserver ?? value, next });
    return homeserverSlot(
      renderHomeserverField(host, {
        value,
        asks: isUsersChoice(host),
        isBusy: next !== undefined || (!this.#entered && value !== ""),
        type: (homeserver) => enter({ homeserver }),
        confirm: finish("sign-in"),
        createAccount: host.noRegistration ? undefined : finish("registration"),
      }),
    );
  }
}
