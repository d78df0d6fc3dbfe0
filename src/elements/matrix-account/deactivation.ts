import { html, nothing, type TemplateResult } from "lit";
import { field, valueOf } from "../../ui/form/field.js";
import { insert, isolated } from "../../ui/format-text.js";
import { SectionForm } from "./form.js";
import { renderButton } from "./section-view.js";
import type { Section, SectionContent } from "./section.js";

const AT = { control: "deactivate" };

/** Deactivates the account, once the user has typed its user ID. */
export class Deactivation implements SectionContent {
  readonly #section: Section;
  /** The form is rejected if another user ID was typed. */
  readonly #form: SectionForm<true>;
  #isOpen = false;

  constructor(section: Section) {
    this.#section = section;
    this.#form = new SectionForm(section, (values) => this.#submit(values));
  }

  async #submit(values: FormData): Promise<boolean> {
    const section = this.#section;
    const { client, userId } = section.account;
    const isUser = valueOf(values, "user") === userId;
    this.#form.refuse(isUser ? undefined : true);
    if (!isUser) return false;
    await section.confirm(async (auth) => client.deactivateAccount(auth, values.has("erase")), {
      at: AT,
      heading: () => section.term("deactivate"),
      question: () => ({
        heading: insert(section.term("deactivateAsk"), "user", isolated(userId)),
        text: section.term("deactivateWarning"),
        confirm: section.term("deactivate"),
      }),
      description: () => section.term("deactivateWarning"),
      destructive: true,
      done: () => {
        section.report({ action: "deactivated" });
        section.controller.deactivated(section.account);
      },
    });
    return false;
  }

  render(): TemplateResult {
    const section = this.#section;
    const onToggle = ({ currentTarget }: Event): void => {
      this.#isOpen = (currentTarget as HTMLDetailsElement).open;
      section.host.requestUpdate();
    };
    return html`<p>${section.term("deactivateWarning")}</p>
      <details part="disclosure" @toggle=${onToggle}>
        <summary part="summary">${section.term("deactivate")}</summary>
        ${this.#isOpen ? this.#renderForm() : nothing}
      </details>`;
  }

  #renderForm(): TemplateResult {
    const section = this.#section;
    const form = this.#form;
    const user = isolated(section.account.userId);
    const label = insert(section.term("deactivateConfirm"), "user", user);
    const error = form.refusal && label;
    const fields = html`${field(form.light, { name: "user", label, autocomplete: "off", error })}
    ${form.renderChoice("erase", section.term("eraseMessages"))}`;
    const submit = section.term("deactivate");
    const onClick = (): void => form.light.submit();
    return html`${form.render(fields)} ${section.renderError()}
    ${renderButton({ label: submit, kind: "danger", at: AT, onClick }, section)}`;
  }
}
