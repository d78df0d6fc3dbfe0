import { saysNothing, whileSending } from "../../../core/uia/failure.js";
import type { CodedError } from "../../../errors/lazy/error-text.js";
import { SectionForm } from "./form.js";
import type { Section } from "./section.js";

/** Homeservers have many codes for weak passwords, such as `M_PASSWORD_NO_DIGIT`. */
const WEAK = /^M_(WEAK_PASSWORD|PASSWORD_\w+)$/;

/** Sets a new password; the dialog asks for the current one. */
export class NewPassword {
  readonly section: Section;
  /** Its refusal is the homeserver's error. */
  readonly form: SectionForm<CodedError>;
  #signsOutOthers = false;

  constructor(section: Section) {
    this.section = section;
    this.form = new SectionForm(section, (values) => this.#submit(values));
  }

  get signsOutOthers(): boolean {
    return this.#signsOutOthers;
  }

  set signsOutOthers(value: boolean) {
    this.#signsOutOthers = value;
    this.section.host.requestUpdate();
  }

  async #submit(values: FormData): Promise<boolean> {
    const { section, form } = this;
    const { client } = section.account;
    const password = values.get("password");
    if (typeof password !== "string") return false;
    const signsOutOthers = this.#signsOutOthers;
    form.refuse(undefined);
    await section.confirm(
      (auth) =>
        whileSending({ password }, async () => client.setPassword(auth, password, signsOutOthers)),
      {
        heading: section.term("passwordChange"),
        refused: (error) => {
          const isUnsuitable = WEAK.test(error.code);
          if (isUnsuitable) form.refuse(error);
          return isUnsuitable;
        },
        done: () => {
          this.#signsOutOthers = false;
          // A new, empty form shows password managers that the password was accepted.
          form.light.remove();
          section.report({ action: "changed" }, section.term("passwordChanged"));
          if (signsOutOthers) section.controller.reload("devices");
        },
      },
    );
    // The user might only have closed the dialog.
    return section.error ? saysNothing(section.error) : !form.refusal;
  }
}
