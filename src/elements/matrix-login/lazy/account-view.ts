import { html, nothing, type TemplateResult } from "lit";
import {
  accountErrorTexts,
  accountTexts,
  fieldTexts,
  matrixLoginTexts,
  validationTexts,
} from "../../../texts/english.js";
import { partTexts } from "../../../texts/part-texts.js";
import { field } from "../../../ui/lazy/field.js";
import { renderSubmit, setDisabled } from "../../../ui/lazy/form.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import { DIALOG_PARTS } from "../../../ui/lazy/styles.js";
import { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";
import type { AccountForm, AccountOutcome } from "./account-form.js";
import type { MatrixLoginElement } from "../matrix-login.js";
import type { MatrixLoginController } from "./controller.js";

export { AccountForm } from "./account-form.js";

const { username, password, email } = fieldTexts;
const { alreadyInUse, notAllowed } = validationTexts;
const { errorAwaitingApproval } = accountErrorTexts;
const { passwordReset } = matrixLoginTexts;
const texts = partTexts(accountTexts, {
  ...{ username, password, email, alreadyInUse, notAllowed, errorAwaitingApproval, passwordReset },
});

type TextKey = Parameters<typeof texts.term>[1];

export function renderAccountForm(
  controller: MatrixLoginController,
  account: AccountForm,
): TemplateResult {
  UiaDialogElement.define();
  const { form, state, host } = controller;
  const { localize } = host;
  const busy = state.name === "authenticating";
  const warning = html`<p class="warning">${texts.term(localize, "passwordResetWarning")}</p>`;
  return html`${account.action === "reset" ? warning : nothing}
    <slot name="fields"></slot>
    ${renderSubmit(texts.term(localize, account.heading), busy, () => form.submit())}
    <button part="back" class="link" type="button" @click=${() => controller.closeForm(account)}>
      ${texts.term(localize, "back")}
    </button>
    <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>`;
}

export function renderOutcome(
  host: MatrixLoginElement,
  { text, reason }: AccountOutcome,
): TemplateResult {
  const { localize } = host;
  const isDone = text === "passwordChanged";
  return html`<div part="notice" class=${isDone ? "done" : nothing} role="status">
    ${withReason(texts.term(localize, text), reason)}
  </div>`;
}

/** Shows the fields, in the light DOM. */
export function showAccountFields(
  controller: MatrixLoginController,
  account: AccountForm,
): HTMLFormElement {
  const { form, host } = controller;
  const { action, homeserverUrl, refusal } = account;
  const { localize } = host;
  const error = refusal && withReason(texts.term(localize, refusal.text), refusal.reason);
  const one = (name: string, text: TextKey, autocomplete: string): TemplateResult =>
    field(form, {
      name,
      label: texts.term(localize, text),
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
