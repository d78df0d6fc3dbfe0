import { html, nothing, type TemplateResult } from "lit";
import { field, usernameField } from "../../../ui/lazy/field.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import type { NewPassword } from "./password.js";
import { renderButton, renderChoice, renderForm } from "./section-view.js";

export function renderPassword(password: NewPassword): TemplateResult {
  const { section, form } = password;
  const { refusal } = form;
  const label = section.term("passwordChange");
  const fields = html`${usernameField(form.light, section.account.userId)}${field(form.light, {
    name: "password",
    label: section.term("passwordNew"),
    type: "password",
    autocomplete: "new-password",
    error: refusal && withReason(section.term("passwordWeak"), refusal.reason),
  })}${renderChoice(form, "others", section.term("signOutOthers"), (isChecked) => {
    password.signsOutOthers = isChecked;
  })}`;
  const warning = html`<p>${section.term("passwordResetWarning")}</p>`;
  return html`${renderForm(form, fields)}
    <div role="status">${password.signsOutOthers ? warning : nothing}</div>
    ${renderButton({ label, kind: "primary", onClick: () => form.light.submit() }, section)}`;
}
