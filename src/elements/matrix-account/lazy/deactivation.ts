import { valueOf } from "../../../ui/lazy/field.js";
import { SectionForm } from "./form.js";
import type { Section } from "./section.js";

/** Deactivates the account, once the user has typed its user ID. */
export class Deactivation {
  readonly section: Section;
  /** It is refused if another user ID was typed. */
  readonly form: SectionForm<true>;
  #isOpen = false;

  constructor(section: Section) {
    this.section = section;
    this.form = new SectionForm(section, (values) => this.#submit(values));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  set isOpen(value: boolean) {
    this.#isOpen = value;
    this.section.host.requestUpdate();
  }

  async #submit(values: FormData): Promise<boolean> {
    const { section, form } = this;
    const { client, userId } = section.account;
    const isUser = valueOf(values, "user") === userId;
    form.refuse(isUser ? undefined : true);
    if (!isUser) return false;
    await section.confirm(async (auth) => client.deactivateAccount(auth, values.has("erase")), {
      heading: section.term("deactivate"),
      description: section.term("deactivateWarning"),
      destructive: true,
      done: () => {
        section.report({ action: "deactivated" });
        section.controller.deactivated(section.account);
      },
    });
    return false;
  }
}
