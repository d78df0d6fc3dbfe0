import { html, nothing, type TemplateResult } from "lit";

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "password" | "email" | "tel";
  readonly autocomplete: string;
  readonly inputmode?: string;
  readonly value?: string;
  readonly readonly?: boolean;
  readonly maxlength?: number;
}

/** What a field needs to know of its form. */
export interface FieldContext {
  /** Makes a name unique in the document. */
  readonly id: (name: string) => string;
  /** Whether the field has to be linked to an error. */
  readonly invalid: boolean;
}

/** A labeled text field; what is typed into it survives every render. */
export function field({ id, invalid }: FieldContext, field: Field): TemplateResult {
  const error = invalid && !field.readonly;
  return html`<label for=${id(field.name)}>${field.label}</label>
    <input
      id=${id(field.name)}
      name=${field.name}
      type=${field.type ?? "text"}
      autocomplete=${field.autocomplete}
      inputmode=${field.inputmode ?? nothing}
      maxlength=${field.maxlength ?? nothing}
      .defaultValue=${field.value ?? ""}
      ?readonly=${field.readonly}
      required
      autocapitalize="none"
      autocorrect="off"
      spellcheck="false"
      dir="ltr"
      aria-invalid=${error ? "true" : nothing}
      aria-describedby=${error ? id("error") : nothing}
    />`;
}

/** The trimmed value of a field. */
export const valueOf = (values: FormData, name: string): string => {
  const value = values.get(name);
  return typeof value === "string" ? value.trim() : "";
};
