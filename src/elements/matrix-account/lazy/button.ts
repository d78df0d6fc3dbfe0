import { html, nothing, type TemplateResult } from "lit";
import type { Section } from "./section.js";

export interface Button {
  readonly label: string;
  readonly onClick: () => unknown;
  /** `primary`: the section's main action. `danger`: a destructive action. Default: neither. */
  readonly kind?: "primary" | "danger";
  readonly id?: string;
  /** The ID of the element that names the button's object, if other buttons have the same label. */
  readonly about?: string;
}

/** @param section The button does nothing while it is busy, and keeps the focus. */
export function renderButton(
  { label, onClick, kind, id, about }: Button,
  section?: Section,
): TemplateResult {
  const isOff = section?.isBusy;
  return html`<button
    part=${kind === "danger" ? "danger" : "button"}
    class=${kind ?? "secondary"}
    type="button"
    id=${id ?? nothing}
    aria-labelledby=${about ? [id, about].join(" ") : nothing}
    aria-disabled=${isOff ? "true" : nothing}
    @click=${isOff ? nothing : onClick}
  >
    ${label}
  </button>`;
}
