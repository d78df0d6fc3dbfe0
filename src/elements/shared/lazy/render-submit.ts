import { html, nothing, type TemplateResult } from "lit";

/** The main button of a form. It looks like every other button, so it is not in the light DOM as the form is. */
export const renderSubmit = (
  label: string,
  busy: boolean,
  onClick: () => void,
  disabled = false,
): TemplateResult =>
  html`<button
    part="submit"
    type="button"
    ?disabled=${disabled}
    aria-disabled=${busy ? "true" : nothing}
    aria-busy=${busy ? "true" : nothing}
    @click=${onClick}
  >
    <span>${label}</span>${busy ? html`<span part="spinner"></span>` : nothing}
  </button>`;
