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

/** Where the focus was set last. */
interface Place {
  readonly element: Element;
  readonly section: Element;
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
    host.addEventListener("focusin", this.#onFocus);
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

  hostUpdated(): void {
    for (const section of this.#shown.sections.values()) section?.updated();
    const place = this.#place;
    const isLost = document.activeElement === document.body && place?.element.isConnected === false;
    if (isLost) this.#focusNear(place);
  }

  /** What had the focus is gone: the user goes on with what has taken its place. */
  #focusNear({ section, row }: Place): void {
    if (!section.isConnected) return this.#host.shadowRoot?.getElementById("status")?.focus();
    const rows = rowsOf(section);
    const next = row >= 0 ? (rows[row] ?? rows.at(-1)) : undefined;
    const target =
      next?.querySelector<HTMLElement>("[part=danger], a") ??
      next?.querySelector<HTMLElement>("button") ??
      section.querySelector<HTMLElement>("[part=heading]");
    target?.focus();
  }

  /** The path leads through the slots: of a field in the light DOM, too, it has the section. */
  readonly #onFocus = (event: Event): void => {
    const path = event.composedPath().filter((each) => each instanceof HTMLElement);
    const [element] = path;
    if (!element) return;
    const section = path.find(({ dataset }) => "section" in dataset);
    const row = path.find(({ dataset }) => "row" in dataset);
    // The dialog returns the focus itself.
    this.#place = section && { element, section, row: row ? rowsOf(section).indexOf(row) : -1 };
  };

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
