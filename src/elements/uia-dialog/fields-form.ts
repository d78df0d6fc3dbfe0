import { html, render, type nothing, type TemplateResult } from "lit";
import { fieldStyles } from "./uia-dialog.styles.js";

/**
 * The form that a person fills in, in light DOM below the dialog's element: password managers do not
 * look into shadows.
 */
export class FieldsForm {
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
   * Shows fields. What was typed is kept while the purpose is the same, and never shows up in the
   * fields of another.
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
    // A page may have emptied its element.
    if (this.#form.parentNode !== this.#host) this.#host.append(this.#form);
    this.#form.onsubmit = (event): void => {
      event.preventDefault();
      // Nothing is submitted to what the page has around it.
      event.stopPropagation();
      submit();
    };
    // The hidden button makes "Enter" submit, and tells password managers what does.
    render(
      html`${fields}${error}<input type="submit" tabindex="-1" aria-hidden="true" />`,
      this.#form,
    );
    return this.#form;
  }

  remove(): void {
    this.#form?.remove();
    this.#form = undefined;
  }
}

function createForm(): HTMLFormElement {
  const form = document.createElement("form");
  form.slot = "fields";
  form.className = "uia-fields";
  return form;
}

function adopt(root: Node): void {
  const { styleSheet } = fieldStyles;
  const found = root instanceof Document || root instanceof ShadowRoot ? root : undefined;
  if (!styleSheet || !found || found.adoptedStyleSheets.includes(styleSheet)) return;
  found.adoptedStyleSheets = [...found.adoptedStyleSheets, styleSheet];
}
