import { html, nothing, type TemplateResult } from "lit";
import { field } from "../../../ui/lazy/field.js";
import { insert, isolated } from "../../../ui/lazy/format-text.js";
import type { Deactivation } from "./deactivation.js";
import { renderButton, renderChoice, renderForm } from "./section-view.js";

export function renderDeactivation(deactivation: Deactivation): TemplateResult {
  const { section, isOpen } = deactivation;
  const label = section.term("deactivate");
  return html`<p>${section.term("deactivateWarning")}</p>
    <details
      @toggle=${({ currentTarget }: Event) => {
        deactivation.isOpen = (currentTarget as HTMLDetailsElement).open;
      }}
    >
      <summary>${label}</summary>
      ${isOpen ? renderFields(deactivation, label) : nothing}
    </details>`;
}

function renderFields(deactivation: Deactivation, submitLabel: string): TemplateResult {
  const { section, form } = deactivation;
  const user = isolated(section.account.userId);
  const label = insert(section.term("deactivateConfirm"), "user", user);
  const error = form.refusal && label;
  const fields = html`${field(form.light, { name: "user", label, autocomplete: "off", error })}
  ${renderChoice(form, "erase", section.term("eraseMessages"))}`;
  return html`${renderForm(form, fields)}
  ${renderButton({ label: submitLabel, kind: "danger", onClick: () => form.light.submit() }, section)}`;
}
