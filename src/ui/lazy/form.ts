import { html, nothing, type ReactiveController, render, type TemplateResult } from "lit";
import type { BasicKey } from "../../texts/part-texts.js";
import { type AuthHost, copiesIn } from "../element.js";
import {
  type FieldContext,
  type FieldProblem,
  fieldStyles,
  isSecretField,
  passwordsOf,
  showPassword,
  valuesOf,
} from "./field.js";
import { adoptStyles, scrollIntoView } from "./styles.js";

export interface FormContent {
  /** While this stays the same, the form keeps the user's input. Other purposes never show it. */
  readonly purpose: string;
  readonly fields: TemplateResult;
  /** Asked at each submission, because a password manager might submit the form twice in a row. */
  readonly isBusy: () => boolean;
  /**
   * Gets what was typed. The fields no longer have the secrets.
   *
   * @returns Whether they get them back: true only after a failure that says nothing about them, such
   *   as that of the network.
   */
  readonly submit: (values: FormData) => boolean | Promise<boolean>;
}

type TypedSecrets = readonly (readonly [input: HTMLInputElement, value: string])[];

/** Makes the IDs of each form's fields unique in the document. */
let formCount = 0;

/**
 * A form in the light DOM of an element: password managers do not look into shadow roots.
 *
 * What a user types into a password field, or another field for a secret, leaves the document with
 * the submission, with the form, with the element, and with the page, which the browser might keep.
 */
export class LightForm implements FieldContext, ReactiveController {
  readonly #host: AuthHost;
  readonly #slot: string;
  readonly #prefix = `uia-fields-${(formCount += 1)}-`;
  #form: HTMLFormElement | undefined;
  #purpose: string | undefined;
  #problem: FieldProblem | undefined;
  /** The secrets of the submission in progress. */
  #submitted: TypedSecrets | undefined;

  /** @param slot The slot of the form. Each form of an element has its own slot. */
  constructor(host: AuthHost, slot = "fields") {
    this.#host = host;
    this.#slot = slot;
  }

  readonly id = (name: string): string => this.#prefix + name;
  readonly term = (key: BasicKey): string => this.#host.localize.term(key);

  get element(): HTMLFormElement | undefined {
    return this.#form;
  }

  get problem(): FieldProblem | undefined {
    return this.#problem;
  }

  show({ purpose, fields, isBusy, submit }: FormContent): HTMLFormElement {
    if (purpose !== this.#purpose) this.remove();
    this.#purpose = purpose;
    this.#form ??= this.#create();
    const form = this.#form;
    adoptStyles(this.#host.getRootNode(), fieldStyles);
    this.#removeCopies();
    // The page might have removed the element's children.
    if (form.parentNode !== this.#host) this.#host.append(form);
    form.onsubmit = (event): void => {
      event.preventDefault();
      // Listeners of the surrounding page must not treat this as their own form.
      event.stopPropagation();
      if (!isBusy()) void this.#submit(form, submit);
    };
    // With the hidden button, "Enter" submits the form, and password managers find the submit button.
    render(html`${fields}<input type="submit" tabindex="-1" aria-hidden="true" />`, form);
    return form;
  }

  /** Submits the form, like "Enter" in a field. */
  submit(): void {
    this.#form?.requestSubmit();
  }

  /** Focuses the first field with an error, and scrolls the error into view. */
  focusInvalid(): boolean {
    const field = this.#form?.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.focus();
    scrollIntoView(this.#form?.querySelector(".error"));
    return !!field;
  }

  /** Removes all secrets, also those of a submission in progress. */
  readonly clearSecrets = (): void => {
    this.#submitted = undefined;
    for (const field of passwordsOf(this.#form)) showPassword(field, false);
    for (const input of this.#secretInputs) input.value = "";
  };

  remove(): void {
    this.clearSecrets();
    this.hostDisconnected();
    this.#host.removeController(this);
    this.#form?.remove();
    this.#form = undefined;
    this.#removeCopies();
    this.#setProblem(undefined);
  }

  hostConnected(): void {
    window.addEventListener("pagehide", this.clearSecrets);
  }

  hostDisconnected(): void {
    window.removeEventListener("pagehide", this.clearSecrets);
    this.clearSecrets();
  }

  /** A page cache or a framework might have restored an element with a form without listeners. */
  #removeCopies(): void {
    for (const form of copiesIn(this.#host)) {
      if (form !== this.#form && form.slot === this.#slot) form.remove();
    }
  }

  async #submit(form: HTMLFormElement, submit: FormContent["submit"]): Promise<void> {
    this.#setProblem(this.#inputsOf(form).map(problemOf).find(Boolean));
    if (this.#problem) return void this.#host.updateComplete.then(() => this.focusInvalid());
    const values = valuesOf(form);
    const secrets = this.#secretInputs.map((input) => [input, input.value] as const);
    this.clearSecrets();
    this.#submitted = secrets;
    const outcome = submit(values);
    const isKept = typeof outcome === "boolean" ? outcome : await outcome;
    // Another submission, or the end of the form, has removed them.
    if (this.#submitted !== secrets) return;
    this.#submitted = undefined;
    if (isKept) for (const [input, value] of secrets) input.value ||= value;
  }

  get #secretInputs(): readonly HTMLInputElement[] {
    return this.#form ? this.#inputsOf(this.#form).filter(isSecretField) : [];
  }

  /** An extension or the page might have added elements to it. */
  #inputsOf(form: HTMLFormElement): HTMLInputElement[] {
    return [...form.querySelectorAll<HTMLInputElement>(`input[id^="${this.#prefix}"]`)];
  }

  #setProblem(problem: FieldProblem | undefined): void {
    if (this.#problem !== problem) this.#host.requestUpdate();
    this.#problem = problem;
  }

  #create(): HTMLFormElement {
    this.#host.addController(this);
    this.hostConnected();
    const form = document.createElement("form");
    form.slot = this.#slot;
    // If a script of the page prevents `onsubmit`, the browser must not send the form.
    form.method = "dialog";
    // The browser's messages would cover the buttons, and would use the browser's language.
    form.noValidate = true;
    form.className = "uia-fields";
    // Remove an error once it is fixed.
    form.addEventListener("input", () => {
      const { id } = this.#problem ?? {};
      const input = this.#inputsOf(form).find((each) => each.id === id);
      if (input && !problemOf(input)) this.#setProblem(undefined);
    });
    return form;
  }
}

function problemOf(input: HTMLInputElement): FieldProblem | undefined {
  const { id, required, readOnly, type, checked, value } = input;
  if (!required || readOnly) return undefined;
  const given = type === "checkbox" ? checked : type === "password" ? value : value.trim();
  // Browsers don't validate internationalized addresses. The homeserver does.
  const isAddress = type !== "email" || /.@./.test(value);
  return given && isAddress ? undefined : { id, missing: !given };
}

export function setDisabled({ elements }: HTMLFormElement, disabled: boolean): void {
  for (const each of elements) (each as HTMLInputElement).disabled = disabled;
}

/** Ignores the second click of a double click, which might hit the button of the next step. */
export const oncePerDoubleClick =
  (onClick: () => unknown) =>
  ({ detail }: MouseEvent): void => {
    if (detail <= 1) onClick();
  };

interface SubmitOptions {
  readonly part?: string;
  readonly disabled?: boolean;
  readonly destructive?: boolean | undefined;
}

/** A form's main button. It is in the shadow DOM, so that it looks like every other button. */
export const renderSubmit = (
  label: string,
  busy: boolean,
  onClick: () => void,
  { part = "submit", disabled, destructive }: SubmitOptions = {},
): TemplateResult =>
  html`<button
    part=${part}
    class=${destructive ? "destructive" : nothing}
    type="button"
    ?disabled=${disabled}
    aria-disabled=${busy ? "true" : nothing}
    aria-busy=${busy ? "true" : nothing}
    @click=${oncePerDoubleClick(onClick)}
  >
    <span>${label}${busy ? html`<span part="spinner"></span>` : nothing}</span>
  </button>`;
