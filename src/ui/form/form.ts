import { html, nothing, type ReactiveController, render, type TemplateResult } from "lit";
import type { BasicKey } from "../../texts/part-texts.js";
import { type AuthElement, copiesIn } from "../element.js";
import { isFocusLost } from "../focus-path.js";
import type { Message } from "../format-text.js";
import { oncePerDoubleClick } from "../haste-guard.js";
import { unwrapTexts } from "../localize.js";
import { whenRemoved } from "../page.js";
import {
  type FieldContext,
  type FieldProblem,
  fieldStyles,
  isSecretField,
  passwordsOf,
  showPassword,
  valuesOf,
  withoutInvisible,
} from "./field.js";
import { scrollIntoView } from "./styles.js";
import { adoptStyles } from "../styles.js";

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
  readonly #host: AuthElement;
  readonly #slot: string;
  readonly #prefix = `uia-fields-${(formCount += 1)}-`;
  #form: HTMLFormElement | undefined;
  #purpose: string | undefined;
  #problem: FieldProblem | undefined;
  /** The secrets of the submission in progress. */
  #submitted: TypedSecrets | undefined;
  /** The secrets of a form whose element the page might only move. */
  #moved: TypedSecrets | undefined;
  /** The field that has the focus, also while the page removes the form. */
  #focused: HTMLElement | undefined;
  #observer: MutationObserver | undefined;

  /** @param slot The slot of the form. Each form of an element has its own slot. */
  constructor(host: AuthElement, slot = "fields") {
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
    this.#bringBack();
    form.onsubmit = (event): void => {
      event.preventDefault();
      // Listeners of the surrounding page must not treat this as their own form.
      event.stopPropagation();
      if (!isBusy()) void this.#submit(form, submit);
    };
    const onClick = (event: Event): void => {
      event.preventDefault();
      this.submit();
    };
    unwrapTexts(form);
    // With the hidden button, "Enter" submits the form, and password managers find the submit button.
    render(
      html`${fields}<input type="submit" tabindex="-1" aria-hidden="true" @click=${onClick} />`,
      form,
    );
    return form;
  }

  /** Submits the form, like "Enter" in a field. */
  submit(): void {
    const form = this.#form;
    const fired: Event[] = [];
    const onSubmit = (event: Event): void => void fired.push(event);
    form?.addEventListener("submit", onSubmit, { capture: true });
    form?.requestSubmit();
    form?.removeEventListener("submit", onSubmit, { capture: true });
    // In a sandboxed frame without `allow-forms`, the browser fires no event.
    if (fired.length === 0)
      form?.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
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
    this.#observer?.disconnect();
    this.#host.removeController(this);
    this.#form?.remove();
    this.#form = undefined;
    this.#removeCopies();
    this.#setProblem(undefined);
  }

  hostConnected(): void {
    window.addEventListener("pagehide", this.clearSecrets);
    this.#giveBack(this.#moved);
    this.#moved = undefined;
  }

  hostDisconnected(): void {
    window.removeEventListener("pagehide", this.clearSecrets);
    this.#moved = this.#takeSecrets();
    whenRemoved(this.#host, () => (this.#moved = undefined));
  }

  /** Pages that render their own markup again remove what they don't know. */
  readonly #bringBack = (): void => {
    const form = this.#form;
    if (!form || form.parentNode === this.#host) return;
    this.#host.append(form);
    if (isFocusLost()) this.#focused?.focus();
  };

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
    const secrets = (this.#submitted = this.#takeSecrets());
    const outcome = submit(values);
    const isKept = typeof outcome === "boolean" ? outcome : await outcome;
    // Another submission, or the end of the form, has removed them.
    if (this.#submitted !== secrets) return;
    this.#submitted = undefined;
    if (isKept) this.#giveBack(secrets);
  }

  /** Removes all secrets from the document. */
  #takeSecrets(): TypedSecrets {
    const secrets = this.#secretInputs.map((input) => [input, input.value] as const);
    this.clearSecrets();
    return secrets;
  }

  #giveBack(secrets: TypedSecrets = []): void {
    for (const [input, value] of secrets) input.value ||= value;
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
    this.#observer = new MutationObserver(this.#bringBack);
    this.#observer.observe(this.#host, { childList: true });
    const form = document.createElement("form");
    form.addEventListener("focusin", ({ target }) => (this.#focused = target as HTMLElement));
    // The browser fires it before the form is removed, too.
    form.addEventListener("focusout", ({ target }) =>
      queueMicrotask(() => {
        const isLeft = form.parentNode === this.#host && this.#focused === target;
        if (isLeft) this.#focused = undefined;
      }),
    );
    form.slot = this.#slot;
    // Labels in a text that the user can edit.
    form.contentEditable = "false";
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
  const given =
    type === "checkbox" ? checked : type === "password" ? value : withoutInvisible(value);
  // Browsers don't validate internationalized addresses. The homeserver does.
  const isAddress = type !== "email" || /.@./.test(value);
  return given && isAddress ? undefined : { id, missing: !given };
}

export function setDisabled({ elements }: HTMLFormElement, disabled: boolean): void {
  for (const each of elements) (each as HTMLInputElement).disabled = disabled;
}

/** The same as in the styles of the rows. */
const NARROW = "(max-width: 26em)";

/**
 * The buttons of a row. On a narrow screen, they are one below the other, and the main one, the last, comes
 * first: for the eye and, because their order is that in the document, for the Tab key.
 */
export class ButtonRow implements ReactiveController {
  readonly #host: AuthElement;
  // Test environments might not have it.
  readonly #narrow = (globalThis as Partial<typeof globalThis>).matchMedia?.(NARROW);

  constructor(host: AuthElement) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#narrow?.addEventListener("change", this.#update);
  }

  hostDisconnected(): void {
    this.#narrow?.removeEventListener("change", this.#update);
  }

  render(...buttons: readonly unknown[]): readonly unknown[] {
    return this.#narrow?.matches ? [...buttons].reverse() : buttons;
  }

  readonly #update = (): void => this.#host.requestUpdate();
}

interface SubmitOptions {
  readonly id?: string;
  readonly part?: string;
  readonly disabled?: boolean;
  readonly destructive?: boolean | undefined;
}

/** A form's main button. It is in the shadow DOM, so that it looks like every other button. */
export const renderSubmit = (
  label: Message,
  busy: boolean,
  onClick: () => void,
  { id, part = "submit", disabled, destructive }: SubmitOptions = {},
): TemplateResult =>
  html`<button
    id=${id ?? nothing}
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
