import { html, nothing, type TemplateResult } from "lit";
import type { Texts } from "../../../locales/translation.js";

export interface Field {
  readonly name: string;
  readonly label: string | TemplateResult;
  readonly type?: "text" | "password" | "email" | "tel";
  readonly autocomplete: string;
  readonly inputmode?: string;
  readonly value?: string;
  readonly readonly?: boolean;
  readonly maxlength?: number;
  /** Only for password managers and screen readers: users see its value elsewhere. */
  readonly hidden?: boolean;
  /** What is wrong with it; shown below it. */
  readonly error?: unknown;
  /** The ID of an element elsewhere that says what is wrong with it. */
  readonly errorId?: string | undefined;
}

/** A field that cannot be submitted as it is. */
export interface FieldProblem {
  readonly id: string;
  /** It is empty; otherwise it is not what its type says. */
  readonly missing: boolean;
}

/** What a field needs to know of its form. */
export interface FieldContext {
  /** Makes a name unique in the document. */
  readonly id: (name: string) => string;
  readonly term: (key: keyof Texts) => string;
  /** What the form has found when the user submitted it. */
  readonly problem: FieldProblem | undefined;
}

const HIDDEN = "uia-visually-hidden";

/** A labeled text field; what is typed into it survives every render. */
export function field(context: FieldContext, field: Field): TemplateResult {
  const { id, term } = context;
  const own = id(field.name);
  const isPassword = field.type === "password";
  const missing = isPassword ? "uiaPasswordMissing" : "uiaMissing";
  const error = field.readonly ? undefined : (problemText(context, own, missing) ?? field.error);
  const errorId = error === undefined ? field.errorId : errorIdOf(own);
  const input = html`<input
    id=${own}
    name=${field.name}
    type=${field.type ?? "text"}
    autocomplete=${field.autocomplete}
    inputmode=${field.inputmode ?? nothing}
    maxlength=${field.maxlength ?? nothing}
    .defaultValue=${field.value ?? ""}
    ?readonly=${field.readonly}
    class=${field.hidden ? HIDDEN : nothing}
    tabindex=${field.hidden ? "-1" : nothing}
    required
    autocapitalize="none"
    autocorrect="off"
    spellcheck="false"
    dir="ltr"
    aria-invalid=${errorId === undefined ? nothing : "true"}
    aria-describedby=${errorId ?? nothing}
  />`;
  return html`<label for=${own} class=${field.hidden ? HIDDEN : nothing}>${field.label}</label>
    ${isPassword ? withShowButton(input, own, term("uiaPasswordShow")) : input}${renderError(own, error)}`;
}

/** What is wrong with a field, in words. */
export const problemText = (
  { problem, term }: FieldContext,
  id: string,
  missing: keyof Texts,
): string | undefined =>
  problem?.id === id ? term(problem.missing ? missing : "uiaEmailInvalid") : undefined;

export const errorIdOf = (id: string): string => `${id}-error`;

export const renderError = (id: string, error: unknown): TemplateResult | typeof nothing =>
  error === undefined
    ? nothing
    : html`<p class="error" id=${errorIdOf(id)} role="alert">${error}</p>`;

/**
 * Whether a key belongs to an input method, as Enter does that accepts a word. Safari has ended the composition by then:
 * there only the old code says so (https://bugs.webkit.org/show_bug.cgi?id=165004).
 */
export const isComposing = (event: KeyboardEvent): boolean =>
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- There is nothing else to tell by.
  event.isComposing || event.keyCode === 229;

/** The trimmed value of a field. */
export const valueOf = (values: FormData, name: string): string => {
  const value = values.get(name);
  return typeof value === "string" ? value.trim() : "";
};

/** A field for a password, and its button. Others, such as password managers, may put elements between the two. */
interface PasswordField {
  readonly input: HTMLInputElement;
  readonly button: Element;
}

/** The fields for passwords, shown or hidden. */
export const passwordsOf = (form: HTMLFormElement | undefined): readonly PasswordField[] => {
  const elements = [...(form?.elements ?? [])];
  return elements.flatMap((button) => {
    const id = button.getAttribute("aria-controls");
    const input = id && elements.find((each) => each.id === id);
    return input instanceof HTMLInputElement ? [{ input, button }] : [];
  });
};

export function showPassword({ input, button }: PasswordField, shown: boolean): void {
  input.type = shown ? "text" : "password";
  button.setAttribute("aria-pressed", String(shown));
}

/** At the end of what is typed, which is left to right in every language. */
const withShowButton = (input: TemplateResult, id: string, label: string): TemplateResult =>
  html`<div class="uia-password" dir="ltr">
    ${input}<button
      type="button"
      aria-label=${label}
      aria-controls=${id}
      aria-pressed="false"
      @mousedown=${keepFocus}
      @click=${onShow}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12Z" />
        <circle cx="12" cy="12" r="3" />
        <path d="m4 3 16 18" />
      </svg>
    </button>
  </div>`;

/** In the field: a phone's keyboard stays open. */
const keepFocus = (event: Event): void => event.preventDefault();

function onShow({ currentTarget: button }: Event): void {
  const form = (button as HTMLButtonElement).form ?? undefined;
  const field = passwordsOf(form).find((each) => each.button === button);
  if (field) showPassword(field, field.input.type === "password");
}
