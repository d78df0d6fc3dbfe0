import { css, type CSSResult, html, noChange, nothing, type TemplateResult } from "lit";
import { fieldTexts } from "../../texts/english-first.js";
import { type Localize, partTexts } from "../../texts/part-texts.js";
import type { Message } from "../format-text.js";
import { errorBoxLook } from "./styles.js";

export interface Field {
  readonly name: string;
  readonly label: Message;
  readonly type?: "text" | "password" | "email" | "tel";
  readonly autocomplete: string;
  readonly inputmode?: string;
  readonly value?: string;
  /**
   * Whether the form removes the typed text when it is submitted and when it ends. Passwords are
   * always secrets.
   */
  readonly secret?: boolean;
  readonly readonly?: boolean;
  readonly maxlength?: number;
  /** Whether the form reports an empty field. Default: true. */
  readonly required?: boolean;
  /** `auto` is for words, such as names. Default: `ltr`, for addresses, codes, and passwords. */
  readonly dir?: "ltr" | "auto";
  /** Default: `none`. */
  readonly autocapitalize?: "none" | "words" | "sentences";
  /**
   * Whether the field is only for password managers and screen readers. Users see its value
   * elsewhere.
   */
  readonly hidden?: boolean;
  /** The text that is shown below the field, and read with it, while the field has no error. */
  readonly hint?: Message | undefined;
  /** The error, which is shown below the field. */
  readonly error?: Message | undefined;
  /** The ID of another element that contains the error. */
  readonly errorId?: string | undefined;
}

export interface FieldProblem {
  readonly id: string;
  /** Whether the field is empty. Otherwise its value doesn't match its type. */
  readonly missing: boolean;
}

export interface FieldContext extends Localize {
  /** The tree that shows the fields. */
  readonly root: Node;
  /** Makes a name unique in the document. */
  readonly id: (name: string) => string;
  /** The errors that the form found at submission. */
  readonly problem: FieldProblem | undefined;
}

const texts = partTexts(fieldTexts);

const HIDDEN = "uia-visually-hidden";

/**
 * A labeled text field. It keeps the user's input across renders. Its attributes never contain a
 * secret.
 */
export function field(context: FieldContext, field: Field): TemplateResult {
  const own = context.id(field.name);
  const isPassword = field.type === "password";
  const isSecret = isPassword || field.secret;
  const { value = "" } = field;
  const error = field.readonly ? undefined : (problemText(context, own) ?? field.error);
  const errorId = error === undefined ? field.errorId : errorIdOf(own);
  const hint = errorId === undefined ? field.hint : undefined;
  const hintId = `${own}-hint`;
  const input = html`<input
    id=${own}
    name=${field.name}
    type=${field.type ?? "text"}
    autocomplete=${field.autocomplete}
    inputmode=${field.inputmode ?? nothing}
    maxlength=${field.maxlength ?? nothing}
    ?data-private=${isSecret}
    .defaultValue=${isSecret ? "" : value}
    .value=${isSecret ? value : noChange}
    ?readonly=${field.readonly}
    class=${field.hidden ? HIDDEN : nothing}
    tabindex=${field.hidden ? "-1" : nothing}
    ?required=${field.required ?? true}
    autocapitalize=${field.autocapitalize ?? "none"}
    autocorrect="off"
    spellcheck="false"
    dir=${field.dir ?? "ltr"}
    aria-invalid=${errorId === undefined ? nothing : "true"}
    aria-describedby=${errorId ?? (hint ? hintId : nothing)}
  />`;
  const note = hint ? html`<p class="hint" id=${hintId}>${hint}</p>` : nothing;
  return html`<label for=${own} class=${field.hidden ? HIDDEN : nothing}>${field.label}</label>
    ${isPassword ? withShowButton(input, own, texts.term(context, "passwordShow")) : input}${note}${renderError(own, error)}`;
}

/**
 * The username that a password belongs to. Password managers need it even if it is known, and the
 * user sees it elsewhere.
 */
export const usernameField = (context: FieldContext, userId: string | undefined): TemplateResult =>
  field(context, {
    name: "username",
    label: texts.term(context, "username"),
    autocomplete: "username",
    value: userId ?? "",
    readonly: userId !== undefined,
    hidden: userId !== undefined,
  });

/** @param missing The text for an empty field. Default: the field must be filled in. */
export const problemText = (
  context: FieldContext,
  id: string,
  missing: string = texts.term(context, "fieldMissing"),
): string | undefined =>
  context.problem?.id === id
    ? context.problem.missing
      ? missing
      : texts.term(context, "emailInvalid")
    : undefined;

export const errorIdOf = (id: string): string => `${id}-error`;

export const renderError = (
  id: string,
  error: Message | undefined,
): TemplateResult | typeof nothing =>
  error === undefined
    ? nothing
    : html`<p class="error" id=${errorIdOf(id)} role="alert">${error}</p>`;

/**
 * Whether a key belongs to an input method, such as the Enter that accepts a word. In Safari, the
 * composition has already ended, and only the deprecated `keyCode` shows this
 * (https://bugs.webkit.org/show_bug.cgi?id=165004).
 */
export const isComposing = (event: KeyboardEvent): boolean =>
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- There is no alternative.
  event.isComposing || event.keyCode === 229;

/** The keys that belong to the page, too. */
const COMMANDS = /^(Enter|Escape|Tab)/;

/** The keys that edit a text together with Ctrl or Command. */
const EDITING = /^([acvxyz]|Arrow.*|Home|End|Backspace|Delete)$/i;

/**
 * Hides what edits a field in the element's shadow tree from the page's shortcuts, because its target
 * looks like the element instead of a field.
 */
export function hideEditing(host: HTMLElement): void {
  for (const type of ["keydown", "keypress", "keyup", "paste"]) {
    host.addEventListener(type, onEditing);
  }
}

function onEditing(event: Event): void {
  const [origin] = event.composedPath() as [Element];
  // A clipboard's event, and that of some password managers, has no key.
  const { key = "", altKey, ctrlKey, metaKey } = event as Partial<KeyboardEvent>;
  // With Alt and AltGr, many keyboards type other characters.
  const isEditing = altKey
    ? /^(.|Dead)$/.test(key)
    : ctrlKey || metaKey
      ? EDITING.test(key)
      : !COMMANDS.test(key);
  const isHidden = origin !== event.target && origin.matches("input, select") && isEditing;
  if (isHidden) event.stopPropagation();
}

/** The input whose event handler was called. */
export const inputOf = ({ currentTarget }: Event): HTMLInputElement =>
  currentTarget as HTMLInputElement;

/** Whether a field's value is a secret, even if the password is currently shown. */
export const isSecretField = ({ dataset }: HTMLInputElement): boolean => "private" in dataset;

/**
 * The values of a form's fields. `new FormData(form)` would fire an event that exposes all values,
 * including passwords, to every listener on the page.
 */
export function valuesOf({ elements }: HTMLFormElement): FormData {
  const values = new FormData();
  for (const field of elements) {
    const isInput = field instanceof HTMLInputElement;
    if (isInput && ["checkbox", "radio"].includes(field.type) && !field.checked) continue;
    if (isInput || field instanceof HTMLSelectElement) values.append(field.name, field.value);
  }
  return values;
}

/** Invisible characters, such as a zero-width space, or the marks around copied text. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, "").trim();

/** An address, a name, or a code, as the user sees it. */
export function valueOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? withoutInvisible(value) : "";
}

/** A password field and its button. Password managers can insert elements between them. */
interface PasswordField {
  readonly input: HTMLInputElement;
  readonly button: Element;
}

export const passwordsOf = (form: HTMLFormElement | null | undefined): readonly PasswordField[] => {
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

/** Adds the button at the end of the input, which is left to right in every language. */
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

/** The focus stays in the field, so that a phone's keyboard stays open. */
const keepFocus = (event: Event): void => event.preventDefault();

function onShow({ currentTarget: button }: Event): void {
  const { form } = button as HTMLButtonElement;
  const field = passwordsOf(form).find((each) => each.button === button);
  if (field) showPassword(field, field.input.type === "password");
}

/** The minifier changes only templates without expressions, like this one. */
const fields = css`
  .uia-fields.uia-fields {
    /* Against the page's global rules: some hide every form, or every error. */
    &,
    :where(input, select, label, button, .error, .hint, .uia-password),
    :where(input, select, label, button, .error)::before,
    :where(input, select, label, button, .error)::after,
    :where(label, .error, .hint) * {
      all: revert;
    }
    /* Important is what no field works without: some themes have important rules for all tags. */
    & {
      --_field-radius: var(--auth-field-border-radius, var(--_radius));
      display: grid !important;
      gap: 0.375em;
      margin: 0;
      font: inherit;
      color: inherit;
    }
    label {
      display: block !important;
      margin: 0;
      padding: 0;
      font: inherit;
      font-weight: 600;
      color: inherit;
      unicode-bidi: plaintext;
    }
    :where(input:not([type="checkbox"], [type="submit"]), select) {
      display: inline-block !important;
      visibility: visible !important;
      box-sizing: border-box !important;
      inline-size: 100%;
      min-block-size: var(--_height);
      margin: 0 0 0.625em;
      padding: var(--uia-field-padding, 0.5em min(0.75em, 3vw));
      font: inherit;
      @media (pointer: coarse) {
        /* iOS zooms into a field with smaller text. */
        font-size: max(1em, 16px);
      }
      letter-spacing: inherit;
      word-spacing: inherit;
      color: var(--uia-field-color, FieldText);
      caret-color: auto;
      /* Without it, users of Safari can't type. */
      -webkit-user-select: text;
      user-select: text;
      background: var(--uia-field-background, light-dark(Field, rgb(255 255 255 / 0.06)));
      border: var(--uia-field-border, 1px solid var(--_line));
      border-radius: var(--_field-radius);
      text-overflow: ellipsis;
      /* In a small window the button below comes into view with the focused field. */
      scroll-margin-block: 2em 4.5em;
    }
    [readonly] {
      background: transparent;
      color: inherit;
      border-style: dashed;
    }
    :disabled {
      opacity: 0.55;
      cursor: not-allowed;
    }
    .uia-password {
      position: relative;
      margin: 0 0 0.625em;
    }
    :where(.uia-password) > input {
      margin: 0;
      padding-right: max(2em, 44px);
    }
    /* Edge has its own button: https://learn.microsoft.com/microsoft-edge/web-platform/password-reveal */
    ::-ms-reveal {
      display: none;
    }
    :where(.uia-password) > button {
      all: unset;
      box-sizing: border-box !important;
      position: absolute !important;
      inset: 0 0 0 auto !important;
      inline-size: max(2em, 44px) !important;
      block-size: auto !important;
      min-block-size: 0 !important;
      margin: 0 !important;
      padding: 0 !important;
      display: grid !important;
      visibility: visible !important;
      background: none !important;
      place-content: center;
      border-left: 1px solid transparent;
      border-radius: 0 var(--_field-radius) var(--_field-radius) 0;
      color: var(--uia-field-color, FieldText);
      cursor: pointer;
    }
    /* Not "all": the shapes of an SVG are properties, too. */
    :where(.uia-password) :is(svg, svg *) {
      display: inline;
      visibility: visible;
      position: static;
      float: none;
      margin: 0;
      fill: none;
      stroke: currentcolor;
      stroke-width: 1.75;
      stroke-linecap: round;
      stroke-dasharray: none;
      color: inherit;
      opacity: 1;
      filter: none;
      clip-path: none;
      transform: none;
    }
    :where(.uia-password) svg {
      inline-size: 1.25em;
      block-size: 1.25em;
      max-inline-size: none;
      opacity: 0.75;
    }
    @media not all and (pointer: coarse) {
      button:hover > svg {
        opacity: 1;
      }
    }
    button:active > svg {
      opacity: 0.5;
    }
    [aria-pressed="false"] path:last-child {
      display: none;
    }
    :focus-visible {
      outline: var(--oidc-focus-ring, 3px solid var(--_accent));
      outline-offset: 1px;
    }
    [aria-invalid="true"] {
      border: 2px solid var(--_error);
    }
    [translate="no"] {
      text-transform: none;
    }
    a {
      color: var(--_link);
    }
    .hint {
      margin: -0.375em 0 0.625em;
      font-size: 0.9375em;
      opacity: 0.8;
      unicode-bidi: plaintext;
    }
    .error {
      /* Nearer to its field than to the next. */
      margin: -0.375em 0 0.625em;
      scroll-margin-block: 1em;
      unicode-bidi: plaintext;
    }
    :is(.uia-visually-hidden, [type="submit"]) {
      position: absolute !important;
      inline-size: 1px !important;
      block-size: 1px !important;
      min-block-size: 0 !important;
      margin: 0 !important;
      padding: 0 !important;
      border: 0 !important;
      overflow: hidden;
      clip-path: inset(50%) !important;
      white-space: nowrap;
    }
  }
`;

/**
 * For the light DOM. The doubled class overrides a page's styles for inputs and labels. The
 * specificity is not higher than that, so pages can still style these fields.
 */
export const fieldStyles: CSSResult = css`
  ${fields}
  .uia-fields.uia-fields .error {
    ${errorBoxLook}
  }
`;
