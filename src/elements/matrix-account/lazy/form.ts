import { LightForm } from "../../../ui/lazy/form.js";
import type { Section, SectionPart } from "./section.js";

/** A section's form, in the light DOM, where password managers look. */
export class SectionForm<Refusal> implements SectionPart {
  readonly section: Section;
  readonly light: LightForm;
  /** @returns Whether the secrets return to their fields. */
  readonly submit: (values: FormData) => Promise<boolean>;
  #refusal: Refusal | undefined;

  constructor(section: Section, submit: (values: FormData) => Promise<boolean>) {
    this.section = section;
    this.submit = submit;
    this.light = new LightForm(section.host, `fields-${section.name}`);
    section.add(this);
  }

  /** Why its text field is rejected. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  refuse(refusal: Refusal | undefined): void {
    const { host } = this.section;
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
}
