import { nothing, type TemplateResult } from "lit";
import {
  type AccountSectionName,
  MatrixAccountChangeEvent,
  type MatrixAccountLinkEvent,
} from "../../events/matrix-account.js";
import { asClientError } from "../../errors/client-error.js";
import type { CodedError } from "../../errors/coded-error.js";
import { ErrorView } from "../../errors/error-view.js";
import { LateResponse } from "../../ui/late-response.js";
import { Operation } from "../../ui/operation.js";
import type { AuthenticateOptions, DoRequest } from "../uia-dialog/options.js";
import type { MatrixAccountElement } from "./matrix-account.js";
import { assertOwner, type ShownAccount } from "./account.js";
import type { AccountController } from "./controller.js";
import { isSessionOver } from "./errors.js";
import type { QuestionText } from "./question.js";
import type { SectionRule } from "./sections.js";
import { isReplaced } from "./skeleton.js";
import { type AccountText, texts } from "./texts.js";

/**
 * The place where the user has started an operation. Its progress and its error are shown there.
 */
export interface Place {
  /** The name of the pressed button. */
  readonly control: string;
  /** The entry of the list that the button belongs to. */
  readonly row?: string | undefined;
}

/** The state of a section, with the data of that state. */
type SectionState =
  | { readonly name: "loading" | "ready" | "closed" }
  | { readonly name: "busy"; readonly at: Place | undefined }
  | { readonly name: "error"; readonly error: CodedError; readonly at: Place | undefined };

/** A list, a form, or anything else that a section consists of. */
export interface SectionPart {
  /** Whether its content is loaded. If not, "Try again" loads it. */
  readonly isLoaded?: boolean;
  /** Loads or reloads the content. */
  readonly load?: (signal: AbortSignal) => Promise<void>;
  /** Called when the user or the page ends the operation. */
  cancel?(): void;
  close?(): void;
}

/** The content of a section, and its operations. */
export interface SectionContent {
  /** Whether it has its own frame. Default: the sections share one frame. */
  readonly isFramed?: boolean;
  readonly render: () => unknown;
}

/** A message, written at each render, because the page's language can change. */
type Notice = () => string | TemplateResult;

/** A request that changes something. */
interface Change {
  /** Default: the section as a whole. */
  readonly at?: Place | undefined;
  /** Called once the homeserver has carried out the change. */
  readonly done: () => unknown;
  /** Shows an error next to its field. @returns Whether the error belongs to a field. */
  readonly refused?: ((error: CodedError) => boolean) | undefined;
}

/** A protected request that deletes something. */
interface Asked {
  readonly question?: () => QuestionText;
  /** Whether the homeserver itself will ask the user. Default: the question is always shown. */
  readonly isAsked?: () => Promise<boolean>;
}

/**
 * A section of the account. It runs one operation at a time, and has a state and an outcome. It
 * loads and fails independently of the other sections.
 */
export class Section {
  readonly controller: AccountController;
  readonly account: ShownAccount;
  readonly name: AccountSectionName;
  readonly rule: SectionRule;
  /** Whether the page replaces the section with its own content. */
  readonly isReplaced: boolean;
  readonly errors: ErrorView;
  readonly #operation = new Operation();
  readonly #parts: SectionPart[] = [];
  /** The last change that the homeserver has confirmed. */
  notice: Notice | undefined;
  #content: SectionContent | undefined;
  #state: SectionState = { name: "ready" };

  constructor(controller: AccountController, account: ShownAccount, name: AccountSectionName) {
    this.controller = controller;
    this.account = account;
    this.name = name;
    this.rule = controller.rules[name];
    this.errors = new ErrorView(this.host);
    this.isReplaced = isReplaced(this.host, name);
    if (!this.isShown) return;
    const Content = this.rule.load();
    if (!(Content instanceof Promise)) this.#content = new Content(this);
  }

  /** Whether the section itself is shown, and not only a link or the page's content. */
  get isShown(): boolean {
    return !this.isReplaced && !this.isElsewhere;
  }

  /** Undefined until its code is loaded. */
  get content(): SectionContent | undefined {
    return this.#content;
  }

  /** Whether it is only a link to the provider's page. */
  get isElsewhere(): boolean {
    return this.isAtProvider && !this.rule.provider?.deviceAction;
  }

  get host(): MatrixAccountElement {
    return this.controller.host;
  }

  get state(): SectionState {
    return this.#state;
  }

  get isBusy(): boolean {
    return this.#state.name === "busy";
  }

  get error(): CodedError | undefined {
    return this.#state.name === "error" ? this.#state.error : undefined;
  }

  /** Whether it could not be loaded for the same reason as another section, such as no network. */
  failsLike(other: Section): boolean {
    const [own, its] = [this, other].map(({ isLoaded, error }) => (isLoaded ? undefined : error));
    return !!own && own.code === its?.code && own.reason === its.reason;
  }

  /** The place where an operation is in progress or has failed. */
  get #at(): Place | undefined {
    return "at" in this.#state ? this.#state.at : undefined;
  }

  /**
   * Whether this button has started the operation in progress. While a question is open, no button
   * is busy.
   */
  isBusyAt({ control, row }: Place): boolean {
    return (
      this.isBusy &&
      !this.controller.question &&
      this.#at?.control === control &&
      this.#at.row === row
    );
  }

  /** Whether the operation of this button has failed. */
  isErrorAt({ control, row }: Place): boolean {
    return this.error !== undefined && this.#at?.control === control && this.#at.row === row;
  }

  /** The place for the errors of an entry, or of the buttons that belong to no entry. */
  renderError(row?: string): TemplateResult | typeof nothing {
    const at = this.#at;
    // The place is in the page before the text, so that screen readers announce the text.
    if (row !== undefined && at?.row !== row) return nothing;
    const isHere = at && at.row === row;
    return this.#renderBox(
      isHere ? this.error : undefined,
      `${this.name}-error-${row === undefined ? "here" : "row"}`,
    );
  }

  /** The place for errors of the whole section, such as one that could not be loaded. */
  renderGeneralError(): TemplateResult {
    const retry = (): unknown => this.controller.loadAlike(this);
    return this.#renderBox(
      this.#at ? undefined : this.error,
      `${this.name}-error`,
      this.isLoaded ? undefined : retry,
    );
  }

  #renderBox(error: CodedError | undefined, id: string, retry?: () => unknown): TemplateResult {
    return this.errors.render(error, { id, retry: error && retry });
  }

  get isLoaded(): boolean {
    return this.#content !== undefined && this.#parts.every(({ isLoaded }) => isLoaded !== false);
  }

  /** Whether the section's content is changed on a provider's page. */
  get isAtProvider(): boolean {
    return this.account.management === "provider" && this.rule.provider !== undefined;
  }

  /** Whether the homeserver or its provider allows what the section offers. */
  get isOffered(): boolean {
    const { capability } = this.rule;
    if (this.rule.needs && !(this.rule.needs in this.account.client)) return false;
    return this.isAtProvider || !capability || !this.account.forbids(capability);
  }

  term(key: AccountText): string {
    return texts.term(this.host.localize, key);
  }

  /** Adds a part. From now on it is loaded, cancelled, and closed together with the section. */
  add(part: SectionPart): void {
    this.#parts.push(part);
  }

  async load(): Promise<void> {
    if (this.#hasLoads) await this.run(this.#loadAll, {}, "loading");
  }

  /**
   * Loads again what another app might have changed. The user's operations have precedence, and a
   * failure changes nothing, unless the session is over.
   */
  async refresh(): Promise<void> {
    const { isLoaded } = this;
    if (!this.#hasLoads || ["busy", "loading", "closed"].includes(this.#state.name)) return;
    await this.#operation.run(async (signal) => {
      try {
        await this.#loadAll(signal);
        signal.throwIfAborted();
        if (!isLoaded) this.#become({ name: "ready" });
        this.host.requestUpdate();
      } catch (thrown) {
        signal.throwIfAborted();
        const error = asClientError(thrown);
        if (isSessionOver(error)) this.controller.fail(error, this);
      }
    });
  }

  /** Whether there is anything to load. */
  get #hasLoads(): boolean {
    return this.isShown && (!this.#content || this.#parts.some(({ load }) => load));
  }

  readonly #loadAll = async (signal: AbortSignal): Promise<void> => {
    assertOwner(this.account);
    if (!this.#content) {
      const Content = await this.rule.load();
      signal.throwIfAborted();
      this.#content ??= new Content(this);
    }
    await Promise.all(this.#parts.flatMap(({ load }) => load?.(signal) ?? []));
  };

  /** Runs an operation, unless another operation that the user has started is in progress. */
  async run(
    work: (signal: AbortSignal) => Promise<unknown>,
    { refused, at }: Pick<Change, "refused" | "at"> = {},
    name: "busy" | "loading" = "busy",
  ): Promise<void> {
    if (this.#state.name === "closed" || this.isBusy) return;
    if (name === "busy") {
      this.notice = undefined;
      this.controller.tryNow();
    }
    await this.#operation.run(async (signal) => {
      this.#become(name === "busy" ? { name, at } : { name });
      try {
        assertOwner(this.account);
        await work(signal);
        signal.throwIfAborted();
        this.#become({ name: "ready" });
      } catch (thrown) {
        signal.throwIfAborted();
        const error = asClientError(thrown);
        const isCancelled = error.code === "cancelled";
        const isShown = !isCancelled && !refused?.(error);
        this.#become(isShown ? { name: "error", error, at } : { name: "ready" });
        if (!isCancelled) this.controller.fail(error, this);
        if (isShown && at) void this.errors.reveal(`[data-section=${this.name}]`);
      }
    });
  }

  /**
   * Sends a request that changes something. A late response still counts.
   *
   * @param start Sends the request, and ends when the user no longer waits. Default: sends it once.
   */
  async change(
    request: DoRequest,
    { done, refused, at }: Change,
    start: (send: DoRequest, signal: AbortSignal) => Promise<unknown> = (send) => send(null, false),
  ): Promise<void> {
    const late = new LateResponse<Parameters<DoRequest>, unknown>(async (...given) => {
      assertOwner(this.account);
      return request(...given);
    }, done);
    await this.run(
      async (signal) => {
        try {
          await start(late.send, signal);
        } catch (error) {
          if (!late.isCarriedOut) throw error;
        }
      },
      { refused, at },
    );
    late.end();
    if (late.isCarriedOut) await done();
  }

  /** Like `change()`, but asks the user a question first. */
  ask(question: () => QuestionText, request: () => Promise<unknown>, how: Change): Promise<void> {
    return this.change(request, how, async (send, signal) => {
      if (await this.controller.ask(question, signal)) await send(null, false);
    });
  }

  /** Like `change()`, for a protected request, which the user confirms in the dialog. */
  confirm(
    request: DoRequest,
    { question, isAsked, ...how }: Change & AuthenticateOptions & Asked,
  ): Promise<void> {
    return this.change(request, how, async (send, signal) => {
      const isOurs = question && !(await isAsked?.());
      if (isOurs && !(await this.controller.ask(question, signal))) return;
      await this.controller.authenticate(this.account, send, how, signal);
    });
  }

  /** Shows and reports a change that the homeserver has confirmed. */
  report(change: Omit<MatrixAccountChangeEvent["detail"], "section">, notice = this.notice): void {
    if (this.#state.name === "closed") return;
    this.notice = notice;
    this.host.requestUpdate();
    this.host.dispatchEvent(new MatrixAccountChangeEvent({ section: this.name, ...change }));
  }

  /** Reports a failure that is shown elsewhere, such as in the dialog. */
  reportFailure(thrown: unknown): void {
    if (this.#state.name !== "closed") this.controller.fail(asClientError(thrown), this);
  }

  /**
   * The provider's page for the section or for one of its devices. Undefined if there is no safe
   * URL.
   */
  pageFor(deviceId?: string): MatrixAccountLinkEvent["detail"] | undefined {
    const { action, deviceAction } = this.rule.provider ?? {};
    const wanted = deviceId === undefined ? action : deviceAction;
    const url = wanted && this.account.pageFor(wanted, deviceId);
    return url ? { action: wanted, url, ...(deviceId !== undefined && { deviceId }) } : undefined;
  }

  /** @param id The ID of the element that gets the focus once it is rendered. */
  focus(id: string): void {
    if (this.#state.name !== "closed") this.controller.focus.next(id);
  }

  /** What a field contains. Not everything that fills in a field fires an event. */
  valueIn(id: string): string {
    return this.host.shadowRoot?.querySelector<HTMLInputElement>(`input#${id}`)?.value ?? "";
  }

  /** Called when the user dismisses a failed operation. */
  dismiss(): void {
    if (this.error && this.isLoaded) this.#become({ name: "ready" });
  }

  cancel(): void {
    if (this.isBusy) {
      this.#operation.cancel();
      this.#become({ name: "ready" });
    }
    for (const part of this.#parts) part.cancel?.();
  }

  /**
   * Ends the section. Operations that are still running no longer change the page, and no new ones
   * can start.
   */
  close(): void {
    this.#operation.cancel();
    this.#state = { name: "closed" };
    for (const part of this.#parts) part.close?.();
  }

  #become(state: SectionState): void {
    this.#state = state;
    this.host.stateChanged();
  }
}
