import { css, type CSSResult, html, nothing, type TemplateResult } from "lit";
import type { AccountSectionName } from "../../events/matrix-account.js";
import { accountHeadingTexts } from "../../texts/english-first.js";
import { partTexts } from "../../texts/part-texts.js";
import type { AuthElement } from "../../ui/element.js";
import { adoptStyles } from "../../ui/styles.js";

const texts = partTexts(accountHeadingTexts);

/** The key of a section's heading. The headings are shown before anything is known about the account. */
export const headingOf = (
  name: AccountSectionName,
): Exclude<AccountSectionName, "deactivation"> | "deactivate" =>
  name === "deactivation" ? "deactivate" : name;

const NAMES = Object.keys(accountHeadingTexts).map((key) =>
  key === "deactivate" ? "deactivation" : key,
);

/** A placeholder for a section's content until the content is loaded. */
export const renderSkeleton = (name: string): TemplateResult =>
  html`<div class="skeleton ${name}" aria-hidden="true"></div>`;

export const isSection = (name: string): name is AccountSectionName => NAMES.includes(name);

/**
 * The names in the element's `sections`, including unknown ones. Default: all. A value that is not a
 * string counts as an unknown name.
 */
export function namesIn(sections: unknown): readonly string[] {
  const text = sections ?? "";
  return typeof text === "string" ? (text.match(/\S+/g) ?? NAMES) : [""];
}

/** Whether the page replaces a section with its own content. */
export const isReplaced = ({ children }: Element, name: string): boolean =>
  [...children].some(({ slot }) => slot === `section-${name}`);

/**
 * The frames of the sections before the account is known. The heading above them, which is the user's
 * name, comes later.
 */
export function renderFrames(
  host: AuthElement & { readonly sections?: string | undefined },
): unknown {
  adoptStyles(host.shadowRoot, frameStyles);
  return namesIn(host.sections).map((name) => {
    if (!isSection(name) || isReplaced(host, name)) return nothing;
    if (name === "profile") return renderProfileFrame();
    return html`<div part="section" class="panel" aria-busy="true">
      <h3 part="heading" aria-level="2">${texts.term(host.localize, headingOf(name))}</h3>
      ${renderSkeleton(name)}
    </div>`;
  });
}

/** A placeholder with the size of the header. */
const renderProfileFrame = (): TemplateResult =>
  html`<div part="section" class="panel profile" aria-hidden="true">
    <div class="who">
      <div part="avatar" class="avatar gap"></div>
      <div class="about">
        <div class="heading">${renderGap()}</div>
        <div class="finding">${renderGap()}</div>
      </div>
    </div>
    ${renderActionsGap()}
  </div>`;

/** A placeholder for text that is not known yet. */
export const renderGap = (text = ""): TemplateResult =>
  html`<span class="gap"></span><span class="visually-hidden">${text}</span>`;

/** A placeholder for buttons. */
export const renderActionsGap = (): TemplateResult => html`<div part="actions" class="gap"></div>`;

export const frameStyles: CSSResult = css`
  :host {
    display: block;
  }
  .account {
    display: grid;
    gap: calc(var(--_gap) * 3);
    grid-template-columns: minmax(0, 1fr);
    max-inline-size: var(--matrix-account-inline-size, 44em);
    margin-inline: auto;
    line-height: 1.45;
  }
  .account .panel {
    inline-size: 100%;
  }
  h3 {
    margin: 0;
    font-size: 1.125em;
    line-height: 1.3;
  }
  .skeleton {
    block-size: 8em;
    background: repeating-linear-gradient(
      color-mix(in srgb, currentcolor 9%, transparent) 0 3.5em,
      transparent 0 4.5em
    );
  }
  .skeleton.devices {
    block-size: 26em;
  }
  .who {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: calc(var(--_gap) * 2) calc(var(--_gap) * 3);
  }
  .who > .about {
    flex: 1 1 12em;
    min-inline-size: 0;
  }
  .avatar {
    flex: none;
    display: grid;
    inline-size: 5em;
    block-size: 5em;
    border-radius: 50%;
    overflow: hidden;
  }
  .gap {
    display: inline-block;
    inline-size: 8em;
    max-inline-size: 100%;
    min-block-size: 1lh;
    border-radius: var(--_radius);
    background: color-mix(in srgb, currentcolor 12%, transparent);
  }
  .avatar.gap {
    inline-size: 5em;
    border-radius: 50%;
  }
  .heading {
    font-size: 1.375em;
    line-height: 1.25;
  }
  /* As high as the button next to the user ID. */
  .finding:has(> .gap) {
    display: flex;
    align-items: center;
    min-block-size: 2.11em;
  }
`;
