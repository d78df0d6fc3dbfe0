import { html, nothing, type TemplateResult } from "lit";
import { whileSending } from "../../core/uia/failure.js";
import { type CodedError, saysNothing, WEAK_PASSWORD } from "../../errors/coded-error.js";
import { PasswordRules } from "../../sign-in/password-rules.js";
import { assertUserAt } from "../../sign-in/password-place.js";
import { field, usernameField } from "../../ui/form/field.js";
import { withReason } from "../../ui/reason.js";
import type { DoRequest } from "../uia-dialog/options.js";
import { SectionForm } from "./form.js";
import { renderButton } from "./section-view.js";
import type { Section, SectionContent } from "./section.js";

const AT = { control: "change" };

/** Sets a new password; the dialog asks for the current one. */
export class NewPassword implements SectionContent {
  readonly #section: Section;
  /** The form's refusal is the homeserver's error. */
  readonly #form: SectionForm<CodedError>;
  readonly #rules: PasswordRules;
  #signsOutOthers = false;

  constructor(section: Section) {
    this.#section = section;
    this.#form = new SectionForm(section, (values) => this.#submit(values));
    this.#rules = new PasswordRules(section.host, section.account.client.baseUrl ?? "");
  }

  async #submit(values: FormData): Promise<boolean> {
    const section = this.#section;
    const form = this.#form;
    const { client, userId } = section.account;
    const password = values.get("password");
    if (typeof password !== "string") return false;
    const signsOutOthers = this.#signsOutOthers;
    form.refuse(undefined);
    const place = { homeserverUrl: client.baseUrl, isTyped: false };
    let isHere: Promise<void> | undefined;
    const send: DoRequest = async (auth) => {
      await (isHere ??= assertUserAt(userId, place, {}));
      return client.setPassword(auth, password, signsOutOthers);
    };
    await section.confirm((...given) => whileSending({ password }, () => send(...given)), {
      at: AT,
      heading: () => section.term("passwordChange"),
      refused: (error) => {
        const isUnsuitable = WEAK_PASSWORD.test(error.code);
        if (isUnsuitable) form.refuse(error);
        return isUnsuitable;
      },
      done: () => {
        this.#signsOutOthers = false;
        // A new, empty form tells password managers that the password was accepted.
        form.light.remove();
        section.report({ action: "changed" }, () => section.term("passwordChanged"));
        if (signsOutOthers) section.controller.reload("devices");
      },
    });
    // The user might only have closed the dialog.
    return section.error ? saysNothing(section.error) : !form.refusal;
  }

  render(): TemplateResult {
    const section = this.#section;
    const form = this.#form;
    const { refusal } = form;
    const label = section.term("passwordChange");
    const onChoice = (isChecked: boolean): void => {
      this.#signsOutOthers = isChecked;
      section.host.requestUpdate();
    };
    const fields = html`${usernameField(form.light, section.account.userId)}${field(form.light, {
      name: "password",
      label: section.term("passwordNew"),
      type: "password",
      autocomplete: "new-password",
      hint: this.#rules.hint,
      error: refusal && withReason("passwordWeak", section.term("passwordWeak"), refusal.reason),
    })}${form.renderChoice("others", section.term("signOutOthers"), onChoice)}`;
    const warning = html`<p part="warning" class="warning">
      ${section.term("passwordResetWarning")}
    </p>`;
    const onClick = (): void => form.light.submit();
    return html`${form.render(fields)}
      <div role="status">${this.#signsOutOthers ? warning : nothing}</div>
      ${section.renderError()} ${renderButton({ label, kind: "primary", at: AT, onClick }, section)}`;
  }
}
