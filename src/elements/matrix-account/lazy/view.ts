import { html, nothing, type ReactiveController, type TemplateResult } from "lit";
import type { CodedError } from "../../../sign-in/lazy/error-text.js";
import type { Texts } from "../../../texts/texts.js";
import { Countdown } from "../../../ui/lazy/countdown.js";
import { fieldStyles } from "../../../ui/lazy/field.js";
import {
  addStyles,
  doneStyles,
  errorBox,
  exportParts,
  visuallyHidden,
} from "../../../ui/lazy/styles.js";
import { panelStyles } from "../../../ui/styles.js";
import type { Account, AccountHost, AccountPhase, AccountSectionName } from "./account.js";
import { type AccountSection, renderButton, renderError } from "./section.js";
import { accountStyles } from "./styles.js";

const DIALOG_PARTS = exportParts(
  "dialog",
  "dialog heading progress description stage instruction error notice other actions submit cancel spinner open finished link text host user initial",
);

interface ShownAccount {
  readonly phase: AccountPhase;
  readonly account: Account | undefined;
  readonly sections: ReadonlyMap<AccountSectionName, AccountSection | undefined>;
  /** Why there is nothing else to show. */
  readonly failure: CodedError | undefined;
  readonly notice: keyof Texts;
  refresh(): Promise<void>;
}

/** Where the focus is: its element may be gone after the next render. */
interface Place {
  readonly section: string;
  /** The number of the row; -1: none. */
  readonly row: number;
}

export class AccountView implements ReactiveController {
  readonly #host: AccountHost;
  readonly #shown: ShownAccount;
  readonly #countdown: Countdown;
  #place: Place | undefined;

  constructor(host: AccountHost, shown: ShownAccount) {
    this.#host = host;
    this.#shown = shown;
    this.#countdown = new Countdown(host);
    host.addController(this);
  }

  render(): TemplateResult {
    addStyles(
      this.#host,
      ...[visuallyHidden, panelStyles, doneStyles, errorBox, fieldStyles, accountStyles],
    );
    const { account, failure, phase, sections } = this.#shown;
    const heading = html`<h2 part="heading"><bdi>${account?.userId}</bdi></h2>`;
    return html`<div part="panel" class="account">
      <slot name="heading">${account ? heading : nothing}</slot>
      <div role="status" tabindex="-1" id="status">${this.#renderStatus()}</div>
      <div role="alert">
        ${failure ? renderError(this.#host, this.#countdown, failure) : nothing}
      </div>
      ${failure && phase === "failed" ? this.#renderRetry() : nothing}
      <slot name="before"></slot>
      ${[...sections].map(
        ([name, section]) =>
          html`<slot name="section-${name}">${section?.render() ?? nothing}</slot>`,
      )}
      <slot name="after"></slot>
      <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>
    </div>`;
  }

  hostUpdate(): void {
    const active = this.#host.shadowRoot?.activeElement;
    const section = active?.closest<HTMLElement>("[data-section]");
    const row = active?.closest("[data-row]");
    this.#place = section?.dataset["section"]
      ? { section: section.dataset["section"], row: row ? rowsOf(section).indexOf(row) : -1 }
      : undefined;
  }

  hostUpdated(): void {
    for (const section of this.#shown.sections.values()) section?.updated();
    // The forms are in the light DOM: there, the shadow root has no active element.
    if (!this.#place || this.#host.matches(":focus-within")) return;
    const root = this.#host.shadowRoot;
    // What had the focus is gone: the user goes on with what has taken its place.
    const { section: name, row } = this.#place;
    const section = root?.querySelector(`[data-section="${name}"]`);
    const next = section && row >= 0 ? (rowsOf(section)[row] ?? rowsOf(section).at(-1)) : undefined;
    const target =
      next?.querySelector<HTMLElement>("[part=danger], a") ??
      next?.querySelector<HTMLElement>("button") ??
      section?.querySelector<HTMLElement>("[part=heading]") ??
      root?.getElementById("status");
    target?.focus();
  }

  #renderStatus(): unknown {
    const { phase, account, sections, failure, notice } = this.#shown;
    if (phase === "finding") {
      return html`<div class="busy">
        <span part="spinner"></span><span>${this.#term("working")}</span>
      </div>`;
    }
    if (phase === "ended") return html`<div part="notice">${this.#term(notice)}</div>`;
    // The homeserver forbids all that the page wants to show.
    if (account && sections.size === 0 && !failure) {
      return html`<div part="notice">${this.#term("administratorOnly")}</div>`;
    }
    return nothing;
  }

  #renderRetry(): TemplateResult {
    return renderButton({
      label: this.#term("tryAgain"),
      kind: "primary",
      onClick: () => void this.#shown.refresh(),
    });
  }

  #term(key: keyof Texts): string {
    return this.#host.localize.term(key);
  }
}

const rowsOf = (section: Element): readonly Element[] => [
  ...section.querySelectorAll("[data-row]"),
];
