import { html, render, type nothing, type TemplateResult } from "lit";
import { fieldStyles } from "./field.styles.js";

/**
 * The form that a user fills in, a light DOM child of an element: password managers do not
 * look into shadow roots.
 */
export class LightForm {
  readonly #host: HTMLElement;
  #form: HTMLFormElement | undefined;
  #purpose: string | undefined;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  get element(): HTMLFormElement | undefined {
    return this.#form;
  }

  /**
   * Shows fields. What was typed is kept while the purpose stays the same, and never appears in the fields
   * of another purpose.
   */
  show(
    purpose: string,
    fields: TemplateResult,
    error: TemplateResult | typeof nothing,
    submit: () => void,
  ): HTMLFormElement {
    if (purpose !== this.#purpose) this.remove();
    this.#purpose = purpose;
    this.#form ??= createForm();
    adopt(this.#host.getRootNode());
    // The page may have removed the element's children.
    if (this.#form.parentNode !== this.#host) this.#host.append(this.#form);
    this.#form.onsubmit = (event): void => {
      event.preventDefault();
      // Listeners of the surrounding page must not treat this as their own form.
      event.stopPropagation();
      submit();
    };
    // The hidden button makes "Enter" submit, and shows password managers what submits the form.
    render(
      html`${fields}${error}<input type="submit" tabindex="-1" aria-hidden="true" />`,
      this.#form,
    );
    return this.#form;
  }

  /** As "Enter" in a field does. */
  submit(): void {
    this.#form?.requestSubmit();
  }

  /** Forgets the passwords that were typed. */
  clearPasswords(): void {
    const inputs = this.#form?.querySelectorAll<HTMLInputElement>("[type=password]") ?? [];
    for (const input of inputs) input.value = "";
  }

  remove(): void {
    this.#form?.remove();
    this.#form = undefined;
  }
}

function createForm(): HTMLFormElement {
  const form = document.createElement("form");
  form.slot = "fields";
  // Should a script of the page keep `onsubmit` from running, nothing of it is sent anywhere.
  form.method = "dialog";
  form.className = "uia-fields";
  return form;
}

function adopt(root: Node): void {
  const { styleSheet } = fieldStyles;
  const found = root instanceof Document || root instanceof ShadowRoot ? root : undefined;
  if (!styleSheet || !found || found.adoptedStyleSheets.includes(styleSheet)) return;
  found.adoptedStyleSheets = [...found.adoptedStyleSheets, styleSheet];
}
