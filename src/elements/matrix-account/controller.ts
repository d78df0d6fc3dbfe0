import type { ContextConsumer } from "@lit/context";
import type { ReactiveController } from "lit";
import {
  type AccountClient,
  type AuthClient,
  authClientContext,
} from "../../context/auth-client.js";
import { followContext } from "../../context/root.js";
import { wait } from "../../core/http/wait.js";
import type { MatrixSession } from "../../core/index.js";
import type { AccessTokenSource } from "../../core/matrix/access-token.js";
import { settingsInvalid } from "../../core/oauth/errors.js";
import { UiaError } from "../../core/uia/errors.js";
import {
  type AccountSectionName,
  MatrixAccountErrorEvent,
  MatrixAccountSignOutEvent,
} from "../../events/matrix-account.js";
import { asClientError } from "../../errors/client-error.js";
import type { CodedError } from "../../errors/coded-error.js";
import { ErrorView } from "../../errors/error-view.js";
import { watchHaste } from "../../ui/haste.js";
import { lazyPart } from "../../ui/loading.js";
import { Operation } from "../../ui/operation.js";
import { whenRemoved } from "../../ui/page.js";
import { pollWhileVisible } from "../../ui/visibility-poller.js";
import type { AuthenticateOptions, DoRequest } from "../uia-dialog/options.js";
import type { UiaDialogElement } from "../uia-dialog/uia-dialog.js";
import type { MatrixAccountElement } from "./matrix-account.js";
import { assertOwner, findAccount, type ShownAccount } from "./account.js";
import type { AccountDevice } from "./device.js";
import { Devices } from "./devices.js";
import { isSessionOver } from "./errors.js";
import { AccountFocus } from "./focus.js";
import type { Question, QuestionText } from "./question.js";
import { Section } from "./section.js";
import type { SectionRules } from "./sections.js";
import { isReplaced, isSection, namesIn } from "./skeleton.js";
import { texts } from "./texts.js";

const loadQuestion = /* @__PURE__ */ lazyPart(() => import("./question.js"));
const loadDialogElement = /* @__PURE__ */ lazyPart(() => import("../uia-dialog/uia-dialog.js"));

/** The time that the sections wait for the devices, which are above most of them. */
const DEVICES_MS = 1000;

/** The element's state; also a `:state()` of it. */
export type MatrixAccountState = "idle" | "loading" | "ready" | "busy" | "error";

type AccountState =
  /** There is no client. */
  | { readonly name: "idle" }
  /** The client's account is being looked up. */
  | { readonly name: "loading" }
  /** The account was not found. "Try again" repeats the lookup. */
  | { readonly name: "error"; readonly error: CodedError }
  | {
      readonly name: "shown";
      readonly account: ShownAccount;
      /** In the order that the page has set. */
      readonly sections: readonly Section[];
    }
  /** The session or the account has ended. */
  | {
      readonly name: "ended";
      /** Without the server's confirmation, the user is only `signedOutHere`. */
      readonly reason: "signedOut" | "signedOutHere" | "errorDeactivated";
      readonly error?: CodedError | undefined;
    };

/**
 * The order of precedence: the element's state is the first of these that is the state of a
 * section.
 */
const PRECEDENCE = ["busy", "loading", "error"] as const;

/** Finds the account of the client, and opens its sections. */
export class AccountController implements ReactiveController {
  readonly host: MatrixAccountElement;
  readonly focus: AccountFocus;
  readonly errors: ErrorView;
  readonly rules: SectionRules;
  readonly #context: ContextConsumer<typeof authClientContext, MatrixAccountElement>;
  readonly #search = new Operation();
  /** Reloads when the user returns to the page, because another app might have changed the account. */
  readonly #watch = new Operation();
  /** Resolves when the account is loaded, or loading has failed. */
  #loading: Promise<unknown> | undefined;
  #client: AuthClient | undefined;
  #session: MatrixSession | undefined;
  /** The names of the sections that the page has set. */
  #wanted: string | undefined;
  #state: AccountState = { name: "idle" };
  #question: Question | undefined;
  /** The list of devices, which is requested together with the account. */
  #early: ReturnType<AccountClient["getDevices"]> | undefined;

  constructor(host: MatrixAccountElement, rules: SectionRules) {
    this.host = host;
    this.rules = rules;
    this.errors = new ErrorView(host);
    this.#context = followContext(host, authClientContext);
    host.addController(this);
    this.focus = new AccountFocus(host);
    watchHaste();
  }

  get state(): AccountState {
    return this.#state;
  }

  /** Undefined before the element has a client. */
  get publicState(): MatrixAccountState | undefined {
    const { name } = this.#state;
    if (name === "idle") return undefined;
    if (name === "ended") return this.error ? "error" : "idle";
    if (name !== "shown") return name;
    const states = this.#sections.map(({ state }) => state.name);
    return PRECEDENCE.find((each) => states.includes(each)) ?? "ready";
  }

  get error(): CodedError | undefined {
    if ("error" in this.#state) return this.#state.error;
    return this.#sections.map(({ error }) => error).find(Boolean);
  }

  get account(): ShownAccount | undefined {
    return this.#state.name === "shown" ? this.#state.account : undefined;
  }

  get devices(): readonly AccountDevice[] {
    const content = this.#sectionOf("devices")?.content;
    return content instanceof Devices ? content.list.items : [];
  }

  /** The names of the sections to show; undefined if the page has set an unknown one. */
  get names(): readonly AccountSectionName[] | undefined {
    const names = [...new Set(namesIn(this.host.sections))];
    return names.every(isSection) ? names : undefined;
  }

  /** Whether a question or the dialog is open. */
  get isAsking(): boolean {
    return this.#question !== undefined || this.#dialog?.open === true;
  }

  /** The open question. */
  get question(): Question | undefined {
    return this.#question;
  }

  hostUpdate(): void {
    const { client, session, sections, isConnected } = this.host;
    if (!isConnected) return;
    const given = client || (session ? undefined : this.#context.value);
    if (given !== this.#client || session !== this.#session) {
      this.#setIdentity(given, session);
    } else if (!Object.is(sections, this.#wanted)) {
      this.#wanted = sections;
      if (this.account) void this.#open(this.account);
      else if (this.#state.name === "error") this.#start();
    }
  }

  hostDisconnected(): void {
    whenRemoved(this.host, () => this.#setIdentity(undefined, undefined));
  }

  /** Loads the account, or its sections if the account is loaded already. */
  async load(): Promise<void> {
    // The page might have just set another account.
    this.host.applyProperties();
    this.tryNow();
    if (!this.account && this.#state.name !== "loading") this.#start();
    const sections = this.#sections.map((section) => section.load());
    await (this.account ? Promise.all(sections) : this.#loading);
  }

  /**
   * Call it before an action of the user. The action is then tried even if the session waits after
   * a failure.
   */
  tryNow(): void {
    const session: AccessTokenSource | undefined = this.#session;
    session?.tryNow?.();
  }

  /** Loads the sections that failed to load for the same reason as this one. */
  async loadAlike(failed: Section): Promise<void> {
    this.tryNow();
    const alike = this.#sections.filter((section) => section.failsLike(failed));
    await Promise.all(alike.map((section) => section.load()));
  }

  /** Reloads a section after a change in another section. */
  reload(name: AccountSectionName): void {
    void this.#sectionOf(name)?.load();
  }

  cancel(): void {
    for (const section of this.#sections) section.cancel();
  }

  /**
   * Asks the user before something is deleted. An open question is never replaced, because the user
   * would answer another section's late question by accident.
   *
   * @returns Whether the user agrees.
   */
  async ask(text: () => QuestionText, signal: AbortSignal): Promise<boolean> {
    const { Question } = await loadQuestion();
    signal.throwIfAborted();
    if (this.#question) return false;
    const question = (this.#question = new Question(this.host, text, signal));
    this.host.requestUpdate();
    const isAgreed = await question.answer;
    this.#question = undefined;
    this.host.requestUpdate();
    signal.throwIfAborted();
    return isAgreed;
  }

  /** The devices that were requested together with the account. They are returned only once. */
  takeEarlyDevices(): ReturnType<AccountClient["getDevices"]> | undefined {
    const early = this.#early;
    this.#early = undefined;
    return early;
  }

  /** Sends a protected request of the account, which the user confirms in the dialog. */
  async authenticate(
    { client, userId }: ShownAccount,
    request: DoRequest,
    options: AuthenticateOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { UiaDialogElement } = await loadDialogElement();
    signal.throwIfAborted();
    UiaDialogElement.define();
    const dialog = this.#dialog;
    if (!dialog) throw new UiaError("not_connected", "The element contains no dialog");
    const submitLabel = options.heading;
    await dialog.authenticate(request, { submitLabel, ...options, client, userId, signal });
  }

  /** Checks whether a stage in the dialog was completed elsewhere. */
  pollDialog(): void {
    void this.#dialog?.poll();
  }

  /** Reports a failure. If the session is over, hides the account. */
  fail(error: CodedError, section?: Section): void {
    // If the account is locked, the session continues.
    if (isSessionOver(error) && this.#session?.state !== "signed-in") {
      this.#end("signedOut", error);
    }
    const isOpen = section && section.state.name !== "closed";
    const { errors } = isOpen ? section : this;
    errors.announce(error, new MatrixAccountErrorEvent(error, section?.name));
  }

  /** Signs out this device once the user has agreed. The page can replace both steps. */
  async signOut(account: ShownAccount, signal: AbortSignal): Promise<void> {
    const { client, session, userId, deviceId } = account;
    if (!this.host.dispatchEvent(new MatrixAccountSignOutEvent({ userId, deviceId }))) return;
    const { localize } = this.host;
    const question = (): QuestionText => ({
      heading: texts.term(localize, "signOutHereAsk"),
      warning: texts.term(localize, "signOutHereWarning"),
      slot: "sign-out-note",
      confirm: texts.term(localize, "signOut"),
    });
    if (!(await this.ask(question, signal))) return;
    // Signing out cancels the section's work, but must continue itself, so it gets no signal.
    assertOwner(account);
    let isConfirmed = true;
    if (session) isConfirmed = await session.signOut();
    else await client.logout();
    // The element already shows the session's end.
    if (!isConfirmed && session === this.#session) {
      this.#become({ name: "ended", reason: "signedOutHere" });
    } else if (account === this.account) this.#end("signedOut");
  }

  /** Call it after the account was deactivated, even if another account is shown by then. */
  deactivated(account: ShownAccount): void {
    if (account === this.account) this.#end("errorDeactivated");
    void account.session?.signOut({ notify: false });
  }

  get #sections(): readonly Section[] {
    return this.#state.name === "shown" ? this.#state.sections : [];
  }

  #sectionOf(name: AccountSectionName): Section | undefined {
    return this.#sections.find((section) => section.name === name);
  }

  get #dialog(): UiaDialogElement | null | undefined {
    return this.host.shadowRoot?.querySelector("uia-dialog");
  }

  #setIdentity(client: AuthClient | undefined, session: MatrixSession | undefined): void {
    this.#listen("removeEventListener");
    this.#client = client;
    this.#session = session;
    this.#listen("addEventListener");
    if (client || session) this.#start();
    else this.#become({ name: "idle" });
  }

  /** Does nothing if the page has set something else as the session. `findAccount()` reports that. */
  #listen(method: "addEventListener" | "removeEventListener"): void {
    const session: Partial<MatrixSession> | undefined = this.#session;
    session?.[method]?.("session-ended", this.#onSessionEnded);
  }

  readonly #onSessionEnded = (): void => this.#end("signedOut");

  /** Reloads what might have changed elsewhere. Without the devices, only `whoami` needs the session. */
  async #look(): Promise<void> {
    const looks = this.#sections.map((section) => section.refresh());
    if (!this.#sectionOf("devices")?.isShown) looks.push(this.#checkSession());
    await Promise.all(looks);
  }

  /** Finds out whether the account and its session still exist. */
  async #checkSession(): Promise<void> {
    const { account } = this;
    if (!account) return;
    try {
      await account.client.whoami();
    } catch (thrown) {
      const error = asClientError(thrown);
      // Other failures aren't about the account.
      if (account === this.account && isSessionOver(error)) this.fail(error);
    }
  }

  /** Looks up the current account of the page. */
  #start(): void {
    const identity = { client: this.#client, session: this.#session };
    this.#wanted = this.host.sections;
    this.#become({ name: "loading" });
    this.#early = undefined;
    this.#loading = this.#search.run(async (signal) => {
      try {
        const account = await findAccount(identity, signal, (client) => {
          if (this.#showsDevices) this.#early = client.getDevices({ signal });
          this.#early?.catch(() => undefined);
        });
        signal.throwIfAborted();
        // Otherwise, the sections below the devices would soon move.
        await Promise.race([this.#early?.catch(() => undefined), wait(DEVICES_MS, signal)]);
        signal.throwIfAborted();
        await this.#open(account);
      } catch (thrown) {
        signal.throwIfAborted();
        this.#failed(thrown);
      }
    });
  }

  /** Opens and loads the sections that the page has set and the homeserver allows. */
  async #open(account: ShownAccount): Promise<void> {
    const { names } = this;
    if (!names) {
      const message = `sections contains a value other than ${Object.keys(this.rules).join(", ")}`;
      return this.#failed(settingsInvalid(message));
    }
    const present = this.#sections;
    const sections = names
      .map((name) => this.#sectionOf(name) ?? new Section(this, account, name))
      .filter(({ isOffered }) => isOffered);
    const added = sections.filter((section) => !present.includes(section));
    const loads = added.map((section) => section.load());
    this.#become({ name: "shown", account, sections });
    await Promise.all(loads);
  }

  get #showsDevices(): boolean {
    return !!this.names?.includes("devices") && !isReplaced(this.host, "devices");
  }

  #failed(thrown: unknown): void {
    const error = asClientError(thrown);
    this.#become({ name: "error", error });
    this.fail(error);
  }

  /** Cancels all operations, and hides the account. */
  #end(reason: "signedOut" | "errorDeactivated", error?: CodedError): void {
    if (this.#state.name !== "ended") this.#become({ name: "ended", reason, error });
  }

  #become(state: AccountState): void {
    const kept = state.name === "shown" ? state.sections : [];
    for (const section of this.#sections) if (!kept.includes(section)) section.close();
    if (state.name !== "shown") {
      this.#search.cancel();
      this.#watch.cancel();
    } else if (!this.#watch.isRunning) {
      void this.#watch.run((signal) => pollWhileVisible(signal, () => this.#look(), Infinity));
    }
    this.#state = state;
    this.host.stateChanged();
  }
}
