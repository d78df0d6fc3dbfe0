import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { RequestError } from "../../../core/http/errors.js";
import { presentMembers } from "../../../core/http/json.js";
import type { IInputs } from "../../../core/index.js";
import {
  MatrixAccountChangeEvent,
  MatrixAccountLinkEvent,
} from "../../../events/matrix-account.js";
import type { CodedError } from "../../../errors/lazy/error-text.js";
import type { AuthHost } from "../../../ui/element.js";
import type { AuthenticateOptions, DoRequest } from "../../uia-dialog/lazy/host.js";
import type { Account, AccountSectionName } from "./account.js";
import { type Button, Progress, renderButton, type Work } from "./progress.js";

/** The part of the element that a section uses. */
export interface AccountModel {
  readonly host: AuthHost;
  /** Sends a protected request of the account, which the user confirms in the dialog. */
  authenticate(
    account: Account,
    request: DoRequest,
    options: DialogOptions,
    signal: AbortSignal,
  ): Promise<void>;
  /** Checks whether a stage in the dialog was completed elsewhere. */
  pollDialog(): void;
  /** Reports a failure. If the session is over, the account is no longer shown. */
  fail(error: CodedError, section: AccountSectionName): void;
  signOut(account: Account): Promise<void>;
  /** Call it after other devices were signed out. */
  reloadDevices(): void;
  /** Call it after the account was deactivated, also if another account is shown by then. */
  deactivated(account: Account): void;
}

/** `inputs`: the initial values of the dialog's fields. */
export interface DialogOptions extends AuthenticateOptions {
  readonly heading: string;
  readonly inputs?: IInputs | undefined;
}

/** A request that changes something. */
interface Change extends Work {
  /** Runs once the homeserver has carried it out. */
  readonly done: () => unknown;
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

/** A section of the account. It loads and fails independently of the others. */
export abstract class AccountSection extends Progress {
  readonly name: AccountSectionName;
  readonly model: AccountModel;
  readonly account: Account;
  #isStopped = false;
  #notice = "";
  /** The ID of the element that gets the focus after the next render. */
  #focusNext: string | undefined;

  constructor(model: AccountModel, account: Account, name: AccountSectionName) {
    super(model.host);
    this.model = model;
    this.account = account;
    this.name = name;
  }

  updated(): void {
    const id = this.#focusNext;
    this.#focusNext = undefined;
    if (id) this.host.shadowRoot?.getElementById(id)?.focus();
  }

  cancel(): void {
    if (this.isBusy) this.end();
  }

  /** Ends the section. Operations that still run no longer change the page, and none can start. */
  override stop(): void {
    this.#isStopped = true;
    super.stop();
  }

  render(): TemplateResult {
    const id = `${this.name}-heading`;
    const isWorking = this.isBusy || this.progress === "loading";
    const spinner = isWorking ? html`<span part="spinner"></span>` : nothing;
    const heading = this.term(this.name === "deactivation" ? "deactivate" : this.name);
    return html`<section
      part="section"
      class="panel"
      data-section=${this.name}
      aria-labelledby=${id}
    >
      <h3 part="heading" id=${id} tabindex="-1">${heading}${spinner}</h3>
      ${this.renderMessages(`${this.name}-`)} ${this.renderContent()}
    </section>`;
  }

  protected abstract renderContent(): unknown;

  protected override failed(error: CodedError): void {
    if (!this.#isStopped) this.model.fail(error, this.name);
  }

  protected override renderStatus(): unknown {
    const isWaiting = this.isBusy || (this.progress === "loading" && this.needsLoad);
    if (isWaiting) return html`<div class="visually-hidden">${this.term("working")}</div>`;
    return this.#notice ? html`<div part="notice" class="done">${this.#notice}</div>` : nothing;
  }

  /** @param id The ID of the element that gets the focus once it is rendered. */
  protected focus(id: string): void {
    if (this.#isStopped) return;
    this.#focusNext = id;
    this.host.requestUpdate();
  }

  /** Shows and reports a change that the homeserver has confirmed. */
  protected done(
    change: Omit<MatrixAccountChangeEvent["detail"], "section">,
    notice = this.#notice,
  ): void {
    if (this.#isStopped) return;
    this.#notice = notice;
    this.host.requestUpdate();
    this.host.dispatchEvent(new MatrixAccountChangeEvent({ section: this.name, ...change }));
  }

  protected override async work(
    run: (signal: AbortSignal) => Promise<unknown>,
    how: Work = {},
  ): Promise<boolean> {
    if (this.#isStopped) return false;
    if (how.state !== "loading" && !this.isBusy) this.#notice = "";
    return super.work(run, how);
  }

  /**
   * Sends a request that changes something. The homeserver might carry out a request although the
   * user has cancelled it, so its response counts even then.
   *
   * @param start Sends it, and ends when the user no longer waits. Default: sends it once.
   */
  protected async change(
    request: DoRequest,
    { done, ...how }: Change,
    start: (send: DoRequest, signal: AbortSignal) => Promise<unknown> = (send) => send(null, false),
  ): Promise<void> {
    const outcome = { isCarriedOut: false, isAwaited: true };
    const send: DoRequest = async (...parameters) => {
      const result = await request(...parameters);
      if (!outcome.isAwaited && !outcome.isCarriedOut) void done();
      outcome.isCarriedOut = true;
      return result;
    };
    await this.work(async (signal) => {
      try {
        await start(send, signal);
      } catch (error) {
        if (!outcome.isCarriedOut) throw error;
      }
    }, how);
    outcome.isAwaited = false;
    if (outcome.isCarriedOut) await done();
  }

  /** Like `change()`, for a protected request, which the user confirms in the dialog. */
  protected confirm(request: DoRequest, how: Change & DialogOptions): Promise<void> {
    return this.change(request, how, (send, signal) =>
      this.model.authenticate(this.account, send, how, signal),
    );
  }

  /** Renders a button, which does nothing while the section is busy. */
  protected button(button: Button): TemplateResult {
    return renderButton({ busy: this.isBusy, ...button });
  }

  /** Renders a link to the provider's account page, or a text if the provider has no such page. */
  protected renderPageLink(action: string, link: PageLink): TemplateResult {
    const { label, id, about, deviceId, onOpen } = link;
    const url = this.account.pageFor(action, deviceId);
    if (url === undefined) {
      return label === undefined ? html`<p>${this.term("administratorOnly")}</p>` : html``;
    }
    const detail = { action, url, ...(deviceId !== undefined && { deviceId }) };
    return html`<a
      part="button"
      class="button secondary"
      href=${url}
      target="_blank"
      rel="noopener noreferrer"
      aria-labelledby="${id} ${about} ${id}-window"
      @click=${(event: Event) => {
        if (!this.host.dispatchEvent(new MatrixAccountLinkEvent(detail))) event.preventDefault();
        if (!this.#isStopped) onOpen?.();
      }}
      ><span id=${id}>${label ?? this.term("onAccountPage")}</span>
      <span class="visually-hidden" id="${id}-window">${this.term("newWindow")}</span></a
    >`;
  }
}

/** A section with a link to the provider's account page. */
export class ProviderSection extends AccountSection {
  protected override renderContent(): TemplateResult {
    const { name } = this;
    const action = name === "deactivation" ? "org.matrix.account_deactivate" : "org.matrix.profile";
    return this.renderPageLink(action, { id: `${name}-page`, about: `${name}-heading` });
  }
}

/** How many entries are shown at first, and added by each "Show more". Thousands would be slow. */
const PAGE = 50;

/** A section with a list from the homeserver. */
export abstract class ListSection<Item> extends AccountSection {
  #items: readonly Item[] | undefined;
  #shown = PAGE;

  get items(): readonly Item[] {
    return this.#items ?? [];
  }

  override async load(): Promise<void> {
    await this.work(
      async (signal) => {
        const items = await this.fetch(signal);
        signal.throwIfAborted();
        this.accept(items);
      },
      { state: "loading" },
    );
  }

  protected override get needsLoad(): boolean {
    return !this.#items;
  }

  protected abstract fetch(signal: AbortSignal): Promise<readonly Item[]>;

  protected abstract renderItems(): TemplateResult;

  protected accept(items: readonly Item[]): void {
    this.#items = items;
  }

  protected override renderContent(): unknown {
    return this.needsLoad ? nothing : this.renderItems();
  }

  /**
   * Renders the first entries of a list, which can have any length, and a button that shows more.
   *
   * @param control The ID of an entry's control, without its index.
   */
  protected renderList(
    items: readonly Item[],
    keyOf: (item: Item) => string,
    renderItem: (item: Item, index: number) => TemplateResult,
    control: string,
  ): TemplateResult {
    const onClick = (): void => {
      // The button might disappear, so the focus moves to the first of the added entries.
      this.focus(`${control}-${this.#shown}`);
      this.#shown += PAGE;
    };
    const showMore = this.button({ label: this.term("showMore"), onClick, busy: false });
    return html`<ul part="list" aria-labelledby="${this.name}-heading">
        ${repeat(items.slice(0, this.#shown), keyOf, renderItem)}
      </ul>
      ${items.length > this.#shown ? showMore : nothing}`;
  }

  protected showFirstPage(): void {
    this.#shown = PAGE;
    this.host.requestUpdate();
  }

  /** @param lead The content before the subject. */
  protected renderRow(about: unknown, actions: unknown, lead?: unknown): TemplateResult {
    return html`<li part="item" data-row>
      <div class="subject">
        ${lead}
        <div class="about">${about}</div>
      </div>
      <div part="actions">${actions}</div>
    </li>`;
  }
}

/** The list in a response. @throws {RequestError} `response_not_json` if an entry is invalid. */
export function readList<Item>(
  response: unknown,
  key: string,
  isItem: (each: unknown) => each is Item,
): readonly Item[] {
  const list = presentMembers(response)[key];
  if (Array.isArray(list) && list.every(isItem)) return list;
  throw new RequestError("response_not_json", `The response contains no valid ${key}`);
}
