import { html, nothing, type TemplateResult } from "lit";
import type { LoadedPart } from "../../ui/loading.js";
import { fieldStyles, hideEditing } from "../../ui/form/field.js";
import { contentStyles, controlStyles, dangerStyles } from "../../ui/form/content-styles.js";
import { secondaryStyles } from "../../ui/form/buttons.js";
import { addStyles, DIALOG_PARTS, initialStyles } from "../../ui/form/styles.js";
import { verbatim } from "../../ui/format-text.js";
import type { MatrixAccountElement } from "./matrix-account.js";
import { AccountController } from "./controller.js";
import { Profile } from "./profile.js";
import { profileStyles } from "./profile-view.js";
import { renderProvider, renderSection } from "./section-view.js";
import type { Section } from "./section.js";
import { SECTIONS } from "./sections.js";
import { frameStyles, renderFrames } from "./skeleton.js";
import { accountStyles } from "./styles.js";
import { texts } from "./texts.js";

const STYLES = [
  frameStyles,
  contentStyles,
  controlStyles,
  secondaryStyles,
  dangerStyles,
  fieldStyles,
  initialStyles,
  accountStyles,
  profileStyles,
];

export function create(host: MatrixAccountElement): LoadedPart<AccountController> {
  const controller = new AccountController(host, SECTIONS);
  hideEditing(host);
  return { controller, render: () => renderAccount(controller) };
}

function renderAccount(controller: AccountController): TemplateResult {
  const { host, state } = controller;
  addStyles(host, ...STYLES);
  const sections = state.name === "shown" ? state.sections : [];
  // The profile contains the heading.
  const hasProfile = sections.some(({ content }) => content instanceof Profile);
  const user = hasProfile ? undefined : controller.account?.userId;
  return html`<div part="panel" class="account" ?inert=${host.isDisabled && !controller.isAsking}>
    <slot name="heading">${user ? html`<h2 part="heading">${verbatim(user)}</h2>` : nothing}</slot>
    ${renderStatus(controller)}
    <slot name="before"></slot>
    ${renderSections(sections)} ${state.name === "loading" ? renderFrames(host) : nothing}
    <slot name="after"></slot>
    <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>
    ${controller.question?.render() ?? nothing}
  </div>`;
}

/** Sections that fail to load alike share the message of the first one, and its "Try again". */
const isRepeated = (section: Section, sections: readonly Section[]): boolean =>
  !section.content?.isFramed &&
  (sections.find((each) => each.failsLike(section)) ?? section) !== section;

function renderSections(sections: readonly Section[]): unknown {
  const linked = sections.filter(({ isAtProvider, isReplaced }) => isAtProvider && !isReplaced);
  const place = linked.find(({ isElsewhere }) => isElsewhere) ?? linked.at(-1);
  return sections.map(
    (section) =>
      html`<slot name="section-${section.name}"
          >${section.isShown && !isRepeated(section, sections) ? renderSection(section) : nothing}</slot
        >${section === place ? renderProvider(linked) : nothing}`,
  );
}

/** The panel with a message, shown instead of the sections. */
function renderStatus(controller: AccountController): TemplateResult {
  const {
    host: { localize },
    state,
  } = controller;
  // The pressed button disappears.
  const tryAgain = (): void => {
    void controller.load();
    controller.focus.next("status");
  };
  const retry = state.name === "error" ? tryAgain : undefined;
  // The homeserver forbids all sections that the page has set.
  const isEmpty = state.name === "shown" && state.sections.length === 0;
  const notice = state.name === "ended" ? state.reason : isEmpty && "administratorOnly";
  const error = "error" in state ? state.error : undefined;
  const working = html`<div class="visually-hidden">${texts.term(localize, "working")}</div>`;
  const status = notice
    ? html`<div part="notice">${texts.term(localize, notice)}</div>`
    : state.name === "loading"
      ? working
      : nothing;
  return html`<div
    part=${notice || error ? "section" : nothing}
    class=${notice || error ? "panel" : "visually-hidden"}
  >
    <div role="status" id="status" tabindex="-1">${status}</div>
    ${controller.errors.render(error, { retry })}
  </div>`;
}
