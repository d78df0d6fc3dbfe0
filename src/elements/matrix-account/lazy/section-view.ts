import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { MatrixAccountLinkEvent } from "../../../events/matrix-account.js";
import type { LoadedPart } from "../../../ui/lazy.js";
import { inputOf } from "../../../ui/lazy/field.js";
import type { SectionForm } from "./form.js";
import type { SectionList } from "./list.js";
import type { Section } from "./section.js";

/** The frame of a section: its heading, its status, and its error. */
export function renderSection(section: Section, { render }: LoadedPart<unknown>): TemplateResult {
  const { name, state, error, notice, isBusy, isLoaded } = section;
  const id = `${name}-heading`;
  const isLoading = state.name === "loading";
  const spinner = isBusy || isLoading ? html`<span part="spinner"></span>` : nothing;
  const status =
    isBusy || (isLoading && !isLoaded)
      ? html`<div class="visually-hidden">${section.term("working")}</div>`
      : notice && html`<div part="notice" class="done">${notice}</div>`;
  const retry = error && !isLoaded ? (): unknown => section.load() : undefined;
  return html`<section part="section" class="panel" data-section=${name} aria-labelledby=${id}>
    <h3 part="heading" id=${id} tabindex="-1">${section.term(section.rule.heading)}${spinner}</h3>
    <div role="status" id="${name}-status" tabindex="-1">${status}</div>
    ${section.errors.render(error, { id: `${name}-error`, retry })} ${isLoaded ? render() : nothing}
  </section>`;
}

/** A section that is only a link to the provider's account page. */
export function renderProvider(section: Section): TemplateResult {
  const { name } = section;
  return renderPageLink(section, { id: `${name}-page`, about: `${name}-heading` });
}

interface PageLink {
  /** Default: "Manage on your account page". */
  readonly label?: string;
  readonly id: string;
  /** The ID of the element that names the link's object, because other links have the same label. */
  readonly about: string;
  readonly deviceId?: string;
  readonly onOpen?: () => void;
}

/** A link to the provider's account page, or a text if the provider has no such page. */
export function renderPageLink(
  section: Section,
  { label, id, about, deviceId, onOpen }: PageLink,
): TemplateResult {
  const page = section.pageFor(deviceId);
  if (!page) {
    return label === undefined ? html`<p>${section.term("administratorOnly")}</p>` : html``;
  }
  return html`<a
    part="button"
    class="button secondary"
    href=${page.url}
    target="_blank"
    rel="noopener noreferrer"
    aria-labelledby="${id} ${about} ${id}-window"
    @click=${(event: Event) => {
      if (!section.host.dispatchEvent(new MatrixAccountLinkEvent(page))) event.preventDefault();
      onOpen?.();
    }}
    ><span id=${id}>${label ?? section.term("onAccountPage")}</span>
    <span class="visually-hidden" id="${id}-window">${section.term("newWindow")}</span></a
  >`;
}

/**
 * The first entries of a list, which can have any length, and a button that shows more.
 *
 * @param items The items that are found.
 * @param control The ID of an entry's control, without its index.
 */
export function renderList<Item>(
  list: SectionList<Item>,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  render: (item: Item, index: number) => TemplateResult,
  control: string,
): TemplateResult {
  const { section } = list;
  const onClick = (): void => list.showMore(control);
  const showMore = renderButton({ label: section.term("showMore"), onClick });
  return html`<ul part="list" aria-labelledby="${section.name}-heading">
      ${repeat(items.slice(0, list.shown), keyOf, render)}
    </ul>
    ${items.length > list.shown ? showMore : nothing}`;
}

/** @param lead The content before the subject. */
export const renderRow = (about: unknown, actions: unknown, lead?: unknown): TemplateResult =>
  html`<li part="item" data-row>
    <div class="subject">
      ${lead}
      <div class="about">${about}</div>
    </div>
    <div part="actions">${actions}</div>
  </li>`;

/** The slot of a form, whose fields are in the light DOM. */
export function renderForm<Refusal>(
  { section, light, submit }: SectionForm<Refusal>,
  fields: TemplateResult,
): TemplateResult {
  const isBusy = (): boolean => section.isBusy;
  light.show({ purpose: section.account.userId, fields, isBusy, submit });
  return html`<slot name="fields-${section.name}"></slot>`;
}

/** A checkbox of a form. */
export function renderChoice<Refusal>(
  { light }: SectionForm<Refusal>,
  name: string,
  label: string,
  onChange?: (isChecked: boolean) => void,
): TemplateResult {
  const id = light.id(name);
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

interface Button {
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
