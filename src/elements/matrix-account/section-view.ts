import { html, nothing, type TemplateResult } from "lit";
import { parseUrl } from "../../core/http/url.js";
import { MatrixAccountLinkEvent } from "../../events/matrix-account.js";
import { isComposing } from "../../ui/form/field.js";
import { insert, isolated } from "../../ui/format-text.js";
import { oncePerDoubleClick } from "../../ui/form/buttons.js";
import type { Place, Section } from "./section.js";
import { headingOf, renderSkeleton } from "./skeleton.js";

/** The frame of a section: its heading, its status, and its error. */
export function renderSection(section: Section): TemplateResult {
  const { name, state, notice, isBusy, isLoaded, content } = section;
  if (content?.isFramed) return html`${content.render()}`;
  const id = `${name}-heading`;
  const isLoading = state.name === "loading";
  const status =
    isBusy || (isLoading && !isLoaded)
      ? html`<div class="visually-hidden">${section.term("working")}</div>`
      : notice && html`<div part="notice" class="done">${notice()}</div>`;
  const skeleton = isLoading ? renderSkeleton(name) : nothing;
  return html`<section part="section" class="panel" data-section=${name} aria-labelledby=${id}>
    <h3 part="heading" id=${id} tabindex="-1">${section.term(headingOf(name))}</h3>
    <div role="status" id="${name}-status" tabindex="-1">${status}</div>
    ${section.renderGeneralError()} ${isLoaded ? content?.render() : skeleton}
  </section>`;
}

/** The links to the provider's account page, in one card. */
export function renderProvider(sections: readonly Section[]): TemplateResult | typeof nothing {
  const [first] = sections;
  if (!first) return nothing;
  const id = "provider-heading";
  const { host } = parseUrl(first.pageFor()?.url ?? "") ?? {};
  const isLast = ({ rule }: Section): boolean => rule.provider?.isDestructive === true;
  const inOrder = [...sections].sort((a, b) => Number(isLast(a)) - Number(isLast(b)));
  const links = inOrder.map((section) => {
    const label = section.term(section.rule.provider?.label ?? headingOf(section.name));
    const kind = isLast(section) ? "danger" : "secondary";
    return html`<li>${renderPageLink(section, { label, id: `${section.name}-page`, kind })}</li>`;
  });
  const heading = (of: string): TemplateResult =>
    html`<h3 part="heading" id=${id} tabindex="-1">
      ${insert(first.term("managedAt"), "host", isolated(of))}
    </h3>`;
  return html`<section part="section" class="panel" data-section="provider" aria-labelledby=${id}>
    ${
      host
        ? html`${heading(host)}
            <ul class="links">
              ${links}
            </ul>`
        : html`<p id=${id}>${first.term("administratorOnly")}</p>`
    }
  </section>`;
}

interface PageLink {
  readonly label: string;
  readonly id: string;
  /** The ID of the element that names the link's object, if other links have the same label. */
  readonly about?: string;
  readonly deviceId?: string;
  readonly kind?: "secondary" | "danger" | "quiet";
}

/** A link to the provider's account page. Renders nothing if the provider has no such page. */
export function renderPageLink(
  section: Section,
  { label, id, about, deviceId, kind = "secondary" }: PageLink,
): TemplateResult | typeof nothing {
  const page = section.pageFor(deviceId);
  if (!page) return nothing;
  return html`<a
    part=${kind === "danger" ? "danger" : "button"}
    class="button ${kind}"
    href=${page.url}
    target="_blank"
    rel="noopener noreferrer"
    aria-labelledby="${[id, about, `${id}-window`].filter(Boolean).join(" ")}"
    @click=${(event: Event) => {
      if (!section.host.dispatchEvent(new MatrixAccountLinkEvent(page))) event.preventDefault();
    }}
    ><span id=${id}>${label}</span>
    <span class="visually-hidden" id="${id}-window">${section.term("newWindow")}</span></a
  >`;
}

/** The keys of a field that is edited in place. */
export const editingKeys =
  (save: () => unknown, cancel: () => void) =>
  (event: KeyboardEvent): void => {
    if (isComposing(event) || !["Enter", "Escape"].includes(event.key)) return;
    // The key must neither press the button that gets the focus next, nor close a dialog of the page.
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") cancel();
    else if (!event.repeat) save();
  };

interface Button {
  readonly label: string | TemplateResult;
  readonly onClick: () => unknown;
  /**
   * `primary`: the section's main action. `danger`: a destructive action. `quiet`: one of many. Default: none of
   * them.
   */
  readonly kind?: "primary" | "danger" | "quiet" | "quiet danger";
  readonly id?: string | undefined;
  /** The ID of the element that names the button's object, if other buttons have the same label. */
  readonly about?: string | undefined;
  /** The button's place. While its operation is in progress, the button shows the spinner. */
  readonly at?: Place | undefined;
}

/** @param section The button does nothing while it is busy, and keeps the focus. */
export function renderButton(
  { label, onClick, kind = "" as Button["kind"], id, about, at }: Button,
  section?: Section,
): TemplateResult {
  const off = section?.isBusy;
  const isBusy = at !== undefined && section?.isBusyAt(at);
  const click = oncePerDoubleClick(onClick);
  return html`<button
    part=${kind?.includes("danger") ? "danger" : "button"}
    class=${kind || "secondary"}
    type="button"
    id=${id ?? nothing}
    aria-labelledby=${about ? [id, about].join(" ") : nothing}
    aria-disabled=${off ? "true" : nothing}
    aria-busy=${isBusy ? "true" : nothing}
    @click=${(event: MouseEvent) => {
      // Safari doesn't focus a clicked button. With the focus here, it later stays near the removed
      // element.
      (event.currentTarget as HTMLElement).focus();
      if (!off) click(event);
    }}
  >
    <span>${label}${isBusy ? html`<span part="spinner"></span>` : nothing}</span>
  </button>`;
}
