import { html, nothing, type TemplateResult } from "lit";
import { saysNothing, whileSending } from "../../../core/uia/failure.js";
import { field, inputOf, usernameField, valueOf } from "../../../ui/lazy/field.js";
import { LightForm } from "../../../ui/lazy/form.js";
import { insert, isolated, withReason } from "../../../ui/lazy/format-text.js";
import { AccountSection } from "./section.js";

type Refusal = string | TemplateResult;

/** A section with a form, in the light DOM, where password managers look. */
abstract class FormSection extends AccountSection {
  protected readonly form = new LightForm(this.host, `fields-${this.name}`);
  protected isOpen = true;
  /** The error of the text field. */
  #refusal: Refusal | undefined;

  override stop(): void {
    super.stop();
    this.form.remove();
  }

  override updated(): void {
    super.updated();
    if (!this.isOpen) return;
    this.form.show({
      purpose: this.account.userId,
      fields: this.renderFields(this.#refusal),
      isBusy: () => this.isBusy,
      submit: (values) => this.submit(values),
    });
  }

  protected abstract renderFields(refusal: Refusal | undefined): TemplateResult;
  /** @returns Whether the secrets return to their fields. */
  protected abstract submit(values: FormData): Promise<boolean>;

  override cancel(): void {
    super.cancel();
    this.form.clearSecrets();
  }

  protected refuse(refusal: Refusal | undefined): void {
    this.#refusal = refusal;
    this.host.requestUpdate();
    if (refusal) void this.host.updateComplete.then(() => this.form.focusInvalid());
  }

  protected renderSubmit(label: string, kind: "primary" | "danger"): TemplateResult {
    return this.button({ label, kind, onClick: () => this.form.submit() });
  }

  protected renderChoice(
    name: string,
    label: string,
    onChange?: (isChecked: boolean) => void,
  ): TemplateResult {
    const id = this.form.id(name);
    return html`<div class="choice">
      <input
        type="checkbox"
        id=${id}
        name=${name}
        @change=${(event: Event) => onChange?.(inputOf(event).checked)}
      />
      <label for=${id}>${label}</label>
    </div>`;
  }
}

/** Homeservers have many codes for weak passwords, such as `M_PASSWORD_NO_DIGIT`. */
const WEAK = /^M_(WEAK_PASSWORD|PASSWORD_\w+)$/;

/** Sets a new password; the dialog asks for the current one. */
export class PasswordSection extends FormSection {
  #signsOutOthers = false;

  protected override renderFields(error: Refusal | undefined): TemplateResult {
    return html`${usernameField(this.form, this.account.userId)}${field(this.form, {
      name: "password",
      label: this.term("passwordNew"),
      type: "password",
      autocomplete: "new-password",
      error,
    })}${this.renderChoice("others", this.term("signOutOthers"), (isChecked) => {
      this.#signsOutOthers = isChecked;
      this.host.requestUpdate();
    })}`;
  }

  protected override renderContent(): TemplateResult {
    const warning = html`<p>${this.term("passwordResetWarning")}</p>`;
    return html`<slot name="fields-password"></slot>
      <div role="status">${this.#signsOutOthers ? warning : nothing}</div>
      ${this.renderSubmit(this.term("passwordChange"), "primary")}`;
  }

  protected override async submit(values: FormData): Promise<boolean> {
    const password = values.get("password");
    if (typeof password !== "string") return false;
    let isUnsuitable = false;
    const signsOutOthers = this.#signsOutOthers;
    this.refuse(undefined);
    await this.confirm(
      (auth) =>
        whileSending({ password }, async () =>
          this.account.client.setPassword(auth, password, signsOutOthers),
        ),
      {
        heading: this.term("passwordChange"),
        refused: ({ code, reason }) => {
          isUnsuitable = WEAK.test(code);
          if (isUnsuitable) this.refuse(withReason(this.term("passwordWeak"), reason));
          return isUnsuitable;
        },
        done: () => {
          this.#signsOutOthers = false;
          // A new, empty form shows password managers that the password was accepted.
          this.form.remove();
          this.done({ action: "changed" }, this.term("passwordChanged"));
          if (signsOutOthers) this.model.reloadDevices();
        },
      },
    );
    // The user might only have closed the dialog.
    return this.failure ? saysNothing(this.failure) : !isUnsuitable;
  }
}

/** Deactivates the account, once the user has typed its user ID. */
export class DeactivationSection extends FormSection {
  protected override isOpen = false;

  protected override renderFields(error: Refusal | undefined): TemplateResult {
    const label = this.#instruction;
    return html`${field(this.form, { name: "user", label, autocomplete: "off", error })}
    ${this.renderChoice("erase", this.term("eraseMessages"))}`;
  }

  protected override renderContent(): TemplateResult {
    const label = this.term("deactivate");
    return html`<p>${this.term("deactivateWarning")}</p>
      <details
        @toggle=${({ currentTarget }: Event) => {
          this.isOpen = (currentTarget as HTMLDetailsElement).open;
          this.host.requestUpdate();
        }}
      >
        <summary>${label}</summary>
        <slot name="fields-deactivation"></slot>
        ${this.isOpen ? this.renderSubmit(label, "danger") : nothing}
      </details>`;
  }

  protected override async submit(values: FormData): Promise<boolean> {
    const heading = this.term("deactivate");
    const isUser = valueOf(values, "user") === this.account.userId;
    this.refuse(isUser ? undefined : this.#instruction);
    if (!isUser) return false;
    await this.confirm(
      async (auth) => this.account.client.deactivateAccount(auth, values.has("erase")),
      {
        heading,
        description: this.term("deactivateWarning"),
        destructive: true,
        done: () => {
          this.done({ action: "deactivated" });
          this.model.deactivated(this.account);
        },
      },
    );
    return false;
  }

  get #instruction(): TemplateResult {
    return insert(this.term("deactivateConfirm"), "user", isolated(this.account.userId));
  }
}
