import { html, nothing, type TemplateResult } from "lit";
import type { LoadedPart } from "../../../ui/lazy.js";
import { fieldStyles } from "../../../ui/lazy/field.js";
import {
  addStyles,
  buttonStyles,
  DIALOG_PARTS,
  doneStyles,
  errorBox,
  visuallyHidden,
} from "../../../ui/lazy/styles.js";
import { panelStyles } from "../../../ui/styles.js";
import type { MatrixAccountElement } from "../matrix-account.js";
import { AccountController } from "./controller.js";
import { renderSection } from "./section-view.js";
import { SECTIONS } from "./sections.js";
import { accountStyles } from "./styles.js";
import { texts } from "./texts.js";

const STYLES = [
  visuallyHidden,
  panelStyles,
  buttonStyles,
  doneStyles,
  errorBox,
  fieldStyles,
  accountStyles,
];

export function createAccount(host: MatrixAccountElement): LoadedPart<AccountController> {
  const controller = new AccountController(host, SECTIONS);
  return { controller, render: () => renderAccount(controller) };
}

function renderAccount(controller: AccountController): TemplateResult {
  const { host, current } = controller;
  addStyles(host, ...STYLES);
  const user = controller.account?.userId;
  const retry = current.name === "error" ? (): unknown => controller.load() : undefined;
  const sections = current.name === "shown" ? [...current.sections.values()] : [];
  return html`<div part="panel" class="account">
    <slot name="heading">${user ? html`<h2 part="heading"><bdi>${user}</bdi></h2>` : nothing}</slot>
    <div role="status" id="status" tabindex="-1">${renderStatus(controller)}</div>
    ${controller.errors.render("error" in current ? current.error : undefined, { retry })}
    <slot name="before"></slot>
    ${sections.map(
      (section) =>
        html`<slot name="section-${section.name}"
          >${section.content ? renderSection(section, section.content) : nothing}</slot
        >`,
    )}
    <slot name="after"></slot>
    <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>
  </div>`;
}

function renderStatus({ host: { localize }, current }: AccountController): unknown {
  if (current.name === "loading") {
    return html`<div class="finding">
      <span part="spinner"></span><span>${texts.term(localize, "working")}</span>
    </div>`;
  }
  // The homeserver forbids all sections that the page has set.
  const isEmpty = current.name === "shown" && current.sections.size === 0;
  const notice = current.name === "ended" ? current.reason : isEmpty && "administratorOnly";
  return notice ? html`<div part="notice">${texts.term(localize, notice)}</div>` : nothing;
}
