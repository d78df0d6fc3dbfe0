import { html, type ReactiveController, render, type TemplateResult } from "lit";
import type { BasicKey } from "../../texts/part-texts.js";
import { type AuthElement, copiesIn } from "../element.js";
import { isFocusLost } from "../focus-path.js";
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
  /**
   * While this stays the same, the form keeps the user's input. A form for another purpose never
   * shows it.
   */
  readonly purpose: string;
  readonly fields: TemplateResult;
  /** Called at each submission, because a password manager might submit the form twice in a row. */
  readonly isBusy: () => boolean;
  /**
   * Receives the typed values. The fields no longer contain the secrets.
   *
   * @returns Whether to put the secrets back: true only after a failure that is not about them,
   *   such as a network failure.
   */
  readonly submit: (values: FormData) => boolean | Promise<boolean>;
}

type TypedSecrets = readonly (readonly [input: HTMLInputElement, value: string])[];

/** Makes the IDs of each form's fields unique in the document. */
let formCount = 0;

/**
 * A form in an element's light DOM, because password managers do not look into shadow roots.
 *
 * The text in a password field, or in another field for a secret, is removed from the document at
 * the submission, and together with the form, the element, or the page, which the browser might
 * keep.
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
  /** The secrets of a removed form. The page might only be moving the element. */
  #moved: TypedSecrets | undefined;
  /** The focused field, even while the page removes the form. */
  #focused: HTMLElement | undefined;
  #observer: MutationObserver | undefined;
  /** The form's nodes after the last render, and their children. */
  #nodes: readonly (readonly [parent: Node, children: readonly Node[]])[] = [];

  /** @param slot The slot of the form. Each form of an element has its own slot. */
  constructor(host: AuthElement, slot = "fields") {
    this.#host = host;
    this.#slot = slot;
  }

  readonly id = (name: string): string => this.#prefix + name;
  readonly term = (key: BasicKey): string => this.#host.localize.term(key);

  get root(): Node {
    return this.#host.getRootNode();
  }

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
    adoptStyles(this.root, fieldStyles);
    this.#removeCopies();
    this.#bringBack();
    form.onsubmit = (event): void => {
      event.preventDefault();
      // Listeners of the surrounding page must not treat this as their own form.
      event.stopPropagation();
      if (!isBusy() && !this.#host.isDisabled) void this.#submit(form, submit);
    };
    const onClick = (event: Event): void => {
      event.preventDefault();
      this.submit();
    };
    unwrapTexts(form);
    this.#putBack(form);
    // The hidden button lets "Enter" submit the form, and lets password managers find the submit
    // button.
    render(
      html`${fields}<input type="submit" tabindex="-1" aria-hidden="true" @click=${onClick} />`,
      form,
    );
    this.#nodes = [form, ...form.querySelectorAll("*")].map((each) => [each, [...each.childNodes]]);
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

  /** Removes all secrets, including those of a submission in progress. */
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
    this.#nodes = [];
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

  /** Pages that render their own markup again remove unknown elements. */
  readonly #bringBack = (): void => {
    const form = this.#form;
    if (!form || form.parentNode === this.#host) return;
    this.#host.append(form);
    if (isFocusLost()) this.#focused?.focus();
  };

  /**
   * Pages that render their own markup again might also remove comments, which Lit needs, or elements
   * of the form. What the page has only moved stays there.
   */
  #putBack(form: HTMLFormElement): void {
    for (const [parent, children] of this.#nodes) {
      for (const [index, child] of children.entries()) {
        if (child instanceof Text || form.contains(child)) continue;
        const next = children.slice(index).find(({ parentNode }) => parentNode === parent);
        parent.insertBefore(child, next ?? null);
      }
    }
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
    const secrets = (this.#submitted = this.#takeSecrets());
    const outcome = submit(values);
    const isKept = typeof outcome === "boolean" ? outcome : await outcome;
    // Another submission or the end of the form has removed the secrets.
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

  /** An extension or the page might have added elements to the form. */
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
    // The browser also fires this event before the form is removed.
    form.addEventListener("focusout", ({ target }) =>
      queueMicrotask(() => {
        const isLeft = form.parentNode === this.#host && this.#focused === target;
        if (isLeft) this.#focused = undefined;
      }),
    );
    form.slot = this.#slot;
    // On a page with editable text, the labels must not be editable.
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
  // Browsers don't support internationalized addresses. The homeserver validates them.
  const isAddress = type !== "email" || /.@./.test(value);
  return given && isAddress ? undefined : { id, missing: !given };
}
