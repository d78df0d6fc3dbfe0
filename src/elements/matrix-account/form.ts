import { html, type TemplateResult } from "lit";
import { checkbox } from "../../ui/form/choice.js";
import { inputOf } from "../../ui/form/field.js";
import { LightForm } from "../../ui/form/form.js";
import type { Section, SectionPart } from "./section.js";

/** A section's form. It is in the light DOM, so that password managers find it. */
export class SectionForm<Refusal> implements SectionPart {
  readonly light: LightForm;
  readonly #section: Section;
  readonly #submit: (values: FormData) => Promise<boolean>;
  #refusal: Refusal | undefined;

  /** @param submit Returns whether to put the secrets back into their fields. */
  constructor(section: Section, submit: (values: FormData) => Promise<boolean>) {
    this.#section = section;
    this.#submit = submit;
    this.light = new LightForm(section.host, `fields-${section.name}`);
    section.add(this);
  }

  /** The reason that its text field is rejected. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  refuse(refusal: Refusal | undefined): void {
    const { host } = this.#section;
    this.#refusal = refusal;
    host.requestUpdate();
    if (refusal) void host.updateComplete.then(() => this.light.focusInvalid());
  }

  cancel(): void {
    this.light.clearSecrets();
  }

  close(): void {
    this.light.remove();
  }

  /** Shows the fields in the light DOM. @returns Their slot. */
  render(fields: TemplateResult): TemplateResult {
    const { name, account } = this.#section;
    const isBusy = (): boolean => this.#section.isBusy;
    this.light.show({ purpose: account.userId, fields, isBusy, submit: this.#submit });
    return html`<slot name="fields-${name}"></slot>`;
  }

  /** A checkbox, one of the fields. */
  renderChoice(
    name: string,
    label: string,
    onChange?: (isChecked: boolean) => void,
  ): TemplateResult {
    const { light } = this;
    const id = light.id(name);
    return html`<div class="choice">
      <input
        type=${checkbox(light.root)}
        id=${id}
        name=${name}
        @change=${(event: Event) => onChange?.(inputOf(event).checked)}
      />
      <label for=${id}>${label}</label>
    </div>`;
  }
}
