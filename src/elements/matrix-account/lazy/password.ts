import { html, nothing, type TemplateResult } from "lit";
import type { CodedError } from "../../../sign-in/lazy/error-text.js";
import { field } from "../../../ui/lazy/field.js";
import { LightForm } from "../../../ui/lazy/form.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import type { Account } from "./account.js";
import { type AccountModel, AccountSection, renderButton, renderChoice } from "./section.js";

/** There are many, such as `M_PASSWORD_NO_DIGIT`. */
const WEAK = /^M_(WEAK_PASSWORD|PASSWORD_\w+)$/;

/** Sets a new password; the dialog asks for the current one. */
export class PasswordSection extends AccountSection {
  readonly name = "password";
  readonly heading = "password";
  readonly #form: LightForm;
  /** Why the homeserver refuses the new password. */
  #refusal: CodedError | undefined;
  #isRefusalNew = false;
  #signsOutOthers = false;

  constructor(model: AccountModel, account: Account) {
    super(model, account);
    this.#form = new LightForm(model.host, "fields-password");
  }

  override remove(): void {
    super.remove();
    this.#form.remove();
  }

  override updated(): void {
    const error = this.#refusal && withReason(this.term("passwordWeak"), this.#refusal.reason);
    const fields = html`${field(this.#form, {
      name: "username",
      label: this.term("username"),
      autocomplete: "username",
      value: this.account.userId,
      readonly: true,
      // It tells password managers which password is meant.
      hidden: true,
    })}${field(this.#form, {
      name: "password",
      label: this.term("passwordNew"),
      type: "password",
      autocomplete: "new-password",
      error,
    })}${renderChoice(this.#form, "others", this.term("signOutOthers"), (isChecked) => {
      this.#signsOutOthers = isChecked;
      this.model.host.requestUpdate();
    })}`;
    this.#form.show({
      purpose: this.account.userId,
      fields,
      busy: this.isBusy,
      submit: () => void this.#submit(),
    });
    if (this.#isRefusalNew) this.#form.focusInvalid();
    this.#isRefusalNew = false;
  }

  protected override renderContent(): TemplateResult {
    const warning = html`<p class="warning">${this.term("passwordResetWarning")}</p>`;
    return html`<slot name="fields-password"></slot>
      <div role="status">${this.#signsOutOthers ? warning : nothing}</div>
      ${renderButton({
        label: this.term("passwordChange"),
        kind: "primary",
        busy: this.isBusy,
        onClick: () => this.#form.submit(),
      })}`;
  }

  async #submit(): Promise<void> {
    const password = new FormData(this.#form.element).get("password");
    if (typeof password !== "string") return;
    const { client } = this.account;
    const signsOutOthers = this.#signsOutOthers;
    this.#refusal = undefined;
    const isChanged = await this.work(
      (signal) =>
        this.model.confirm(
          async (auth) => client.setPassword(auth, password, signsOutOthers),
          { heading: this.term("passwordChange") },
          signal,
        ),
      { refused: (error) => this.#refuse(error) },
    );
    if (!isChanged) return;
    this.#signsOutOthers = false;
    // Another one, with nothing typed.
    this.#form.remove();
    this.notify(this.term("passwordChanged"));
    this.model.report({ section: "password", action: "changed" });
    if (signsOutOthers) this.model.reloadDevices();
  }

  #refuse(error: CodedError): boolean {
    if (!WEAK.test(error.code)) return false;
    this.#refusal = error;
    this.#isRefusalNew = true;
    return true;
  }
}
