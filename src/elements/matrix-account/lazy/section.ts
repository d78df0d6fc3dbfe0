import {
  type AccountSectionName,
  MatrixAccountChangeEvent,
  type MatrixAccountLinkEvent,
} from "../../../events/matrix-account.js";
import type { CodedError } from "../../../errors/lazy/error-text.js";
import { ErrorView } from "../../../errors/lazy/error-view.js";
import type { LoadedPart } from "../../../ui/lazy.js";
import { Operation } from "../../../ui/operation.js";
import type { AuthenticateOptions, DoRequest } from "../../uia-dialog/lazy/host.js";
import type { MatrixAccountElement } from "../matrix-account.js";
import type { ShownAccount } from "./account.js";
import type { AccountController } from "./controller.js";
import { type AccountErrorKind, asAccountError } from "./errors.js";
import type { SectionRule } from "./sections.js";
import { type AccountText, texts } from "./texts.js";

/** The state of a section, with what belongs to it. */
type SectionState =
  | { readonly name: "loading" | "ready" | "busy" | "closed" }
  | { readonly name: "error"; readonly error: CodedError };

/** A list, a form, or anything else that a section consists of. */
export interface SectionPart {
  /** Whether it has its content. Without, "Try again" loads it. */
  readonly isLoaded?: boolean;
  /** Loads the content, the first time or again. */
  readonly load?: (signal: AbortSignal) => Promise<void>;
  /** The user or the page ends the operation. */
  cancel?(): void;
  close?(): void;
}

/** Shows an error at its field. @returns Whether the error belongs to a field. */
type Refused = (error: CodedError) => boolean;

/** A request that changes something. */
interface Change {
  /** Runs once the homeserver has carried it out. */
  readonly done: () => unknown;
  readonly refused?: Refused;
}

/**
 * What every section of the account has: one operation at a time, its state, and its outcome. It
 * loads and fails independently of the other sections.
 */
export class Section {
  readonly controller: AccountController;
  readonly account: ShownAccount;
  readonly name: AccountSectionName;
  readonly rule: SectionRule;
  /** Undefined if the page replaces the section. */
  readonly content: LoadedPart<unknown> | undefined;
  readonly errors: ErrorView<AccountErrorKind>;
  readonly #operation = new Operation();
  readonly #parts: SectionPart[] = [];
  /** The last change that the homeserver has confirmed. */
  notice = "";
  #state: SectionState = { name: "ready" };

  constructor(controller: AccountController, account: ShownAccount, name: AccountSectionName) {
    this.controller = controller;
    this.account = account;
    this.name = name;
    this.rule = controller.rules[name];
    this.errors = new ErrorView(this.host, texts);
    const isReplaced = [...this.host.children].some(({ slot }) => slot === `section-${name}`);
    this.content = isReplaced ? undefined : this.rule.open(this);
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

  get isLoaded(): boolean {
    return this.#parts.every(({ isLoaded }) => isLoaded !== false);
  }

  /** Whether a provider's page changes what the section shows. */
  get isAtProvider(): boolean {
    return this.account.management === "provider" && this.rule.provider !== undefined;
  }

  /** Whether the homeserver or its provider lets the user do what the section is for. */
  get isOffered(): boolean {
    const { capability } = this.rule;
    return this.isAtProvider || !capability || !this.account.forbids(capability);
  }

  term(key: AccountText): string {
    return texts.term(this.host.localize, key);
  }

  /** Adds a part, which from now on is loaded, cancelled, and closed with the section. */
  add(part: SectionPart): void {
    this.#parts.push(part);
  }

  async load(): Promise<void> {
    const loads = this.#parts.flatMap(({ load }) => load ?? []);
    const loadAll = (signal: AbortSignal): Promise<unknown> =>
      Promise.all(loads.map((load) => load(signal)));
    if (loads.length > 0) await this.run(loadAll, undefined, "loading");
  }

  /** Runs an operation, unless another one that the user has started is in progress. */
  async run(
    work: (signal: AbortSignal) => Promise<unknown>,
    refused?: Refused,
    name: "busy" | "loading" = "busy",
  ): Promise<void> {
    if (this.#state.name === "closed" || this.isBusy) return;
    if (name === "busy") this.notice = "";
    await this.#operation.run(async (signal) => {
      this.#become({ name });
      try {
        await work(signal);
        signal.throwIfAborted();
        this.#become({ name: "ready" });
      } catch (thrown) {
        signal.throwIfAborted();
        const error = asAccountError(thrown);
        const isCancelled = error.code === "cancelled";
        const isShown = !isCancelled && !refused?.(error);
        this.#become(isShown ? { name: "error", error } : { name: "ready" });
        if (!isCancelled) this.controller.fail(error, this);
      }
    });
  }

  /**
   * Sends a request that changes something. The homeserver might carry out a request although the
   * user has cancelled it, so its response counts even then.
   *
   * @param start Sends it, and ends when the user no longer waits. Default: sends it once.
   */
  async change(
    request: DoRequest,
    { done, refused }: Change,
    start: (send: DoRequest, signal: AbortSignal) => Promise<unknown> = (send) => send(null, false),
  ): Promise<void> {
    const outcome = { isCarriedOut: false, isAwaited: true };
    const send: DoRequest = async (...parameters) => {
      const result = await request(...parameters);
      if (!outcome.isAwaited && !outcome.isCarriedOut) void done();
      outcome.isCarriedOut = true;
      return result;
    };
    await this.run(async (signal) => {
      try {
        await start(send, signal);
      } catch (error) {
        if (!outcome.isCarriedOut) throw error;
      }
    }, refused);
    outcome.isAwaited = false;
    if (outcome.isCarriedOut) await done();
  }

  /** Like `change()`, for a protected request, which the user confirms in the dialog. */
  confirm(request: DoRequest, how: Change & AuthenticateOptions): Promise<void> {
    return this.change(request, how, (send, signal) =>
      this.controller.authenticate(this.account, send, how, signal),
    );
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
    if (this.#state.name !== "closed") this.controller.fail(asAccountError(thrown), this);
  }

  /** The provider's page for the section, or for one of its devices; undefined without a safe URL. */
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

  cancel(): void {
    if (this.isBusy) {
      this.#operation.cancel();
      this.#become({ name: "ready" });
    }
    for (const part of this.#parts) part.cancel?.();
  }

  /** Ends the section. Operations that still run no longer change the page, and none can start. */
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
