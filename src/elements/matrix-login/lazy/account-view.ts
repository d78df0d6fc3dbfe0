import { html, nothing, type TemplateResult } from "lit";
import { accountTexts, validationTexts } from "../../../locales/en.js";
import { addTexts, type Texts } from "../../../texts/texts.js";
import { field } from "../../../ui/lazy/field.js";
import { renderSubmit, setDisabled } from "../../../ui/lazy/form.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import { DIALOG_PARTS } from "../../../ui/lazy/styles.js";
import { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";
import type { AccountForm } from "./account-form.js";
import type { MatrixLoginController } from "./controller.js";

export { AccountForm } from "./account-form.js";

const { alreadyInUse, notAllowed } = validationTexts;
addTexts({ $code: "en", ...accountTexts, alreadyInUse, notAllowed });

export function renderAccountForm(
  controller: MatrixLoginController,
  account: AccountForm,
): TemplateResult {
  UiaDialogElement.define();
  const { form, state } = controller;
  const busy = state.name === "authenticating";
  const warning = html`<p class="warning">${form.term("passwordResetWarning")}</p>`;
  return html`${account.action === "reset" ? warning : nothing}
    <slot name="fields"></slot>
    ${renderSubmit(form.term(account.heading), busy, () => form.submit())}
    <button part="back" class="link" type="button" @click=${() => controller.closeForm(account)}>
      ${form.term("back")}
    </button>
    <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>`;
}

/** Shows the fields, in the light DOM. */
export function showAccountFields(
  controller: MatrixLoginController,
  account: AccountForm,
): HTMLFormElement {
  const { form, host } = controller;
  const { action, homeserverUrl, refusal } = account;
  const error = refusal && withReason(form.term(refusal.text), refusal.reason);
  const one = (name: string, text: keyof Texts, autocomplete: string): TemplateResult =>
    field(form, {
      name,
      label: form.term(text),
      autocomplete,
      type: name === "email" ? "email" : name === "username" ? "text" : "password",
      error: refusal?.name === name ? error : undefined,
    });
  const user = action === "reset" ? "email" : "username";
  const fields = html`${one(user, user, user)}
  ${one("password", action === "reset" ? "passwordNew" : "password", "new-password")}
  ${one("repeat", "passwordRepeat", "new-password")}`;
  const element = form.show({
    purpose: `${homeserverUrl} ${action}`,
    fields,
    isBusy: () => controller.state.name === "authenticating",
    submit: (values) => controller.submitAccount(account, values),
  });
  setDisabled(element, host.disabled);
  return element;
}
