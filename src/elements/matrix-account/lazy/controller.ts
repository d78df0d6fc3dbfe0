import { ContextConsumer } from "@lit/context";
import type { ReactiveController } from "lit";
import { type AuthClient, authClientContext } from "../../../context/auth-client.js";
import type { MatrixSession } from "../../../core/index.js";
import { settingsInvalid } from "../../../core/oauth/errors.js";
import { UiaError } from "../../../core/uia/errors.js";
import {
  type AccountSectionName,
  MatrixAccountErrorEvent,
  MatrixAccountSignOutEvent,
} from "../../../events/matrix-account.js";
import type { CodedError } from "../../../errors/lazy/error-text.js";
import { ErrorView } from "../../../errors/lazy/error-view.js";
import { lazyPart } from "../../../ui/lazy.js";
import { Operation } from "../../../ui/operation.js";
import { whenRemoved } from "../../../ui/page.js";
import type { AuthenticateOptions, DoRequest } from "../../uia-dialog/lazy/host.js";
import type { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";
import type { MatrixAccountElement } from "../matrix-account.js";
import {
  findAccount,
  type Identity,
  type MatrixAccountState,
  type ShownAccount,
} from "./account.js";
import type { AccountDevice } from "./device.js";
import { Devices } from "./devices.js";
import { type AccountErrorKind, asAccountError, isSessionOver } from "./errors.js";
import { AccountFocus } from "./focus.js";
import { Section } from "./section.js";
import type { SectionRules } from "./sections.js";
import { texts } from "./texts.js";

const loadDialogElement = /* @__PURE__ */ lazyPart(() => import("../../uia-dialog/uia-dialog.js"));

/** The sections in the page's order. */
type Sections = ReadonlyMap<AccountSectionName, Section>;

type AccountState =
  /** Without a client. */
  | { readonly name: "idle" }
  /** Looks up the client's account. */
  | { readonly name: "loading" }
  /** The account was not found. "Try again" looks it up again. */
  | { readonly name: "error"; readonly error: CodedError }
  | { readonly name: "shown"; readonly account: ShownAccount; readonly sections: Sections }
  /** The session or the account has ended. */
  | {
      readonly name: "ended";
      readonly reason: "signedOut" | "errorDeactivated";
      readonly error?: CodedError | undefined;
    };

type Ending = Extract<AccountState, { name: "ended" }>["reason"];

/** The element's state is the first of these that one of its sections has. */
const PRECEDENCE = ["busy", "loading", "error"] as const;

/** Finds the account of the client, and opens its sections. */
export class AccountController implements ReactiveController {
  readonly host: MatrixAccountElement;
  readonly focus: AccountFocus;
  readonly errors: ErrorView<AccountErrorKind>;
  readonly rules: SectionRules;
  readonly #context: ContextConsumer<typeof authClientContext, MatrixAccountElement>;
  readonly #search = new Operation();
  /** Resolves when the account is loaded, or loading has failed. */
  #loading: Promise<void> | undefined;
  #client: AuthClient | undefined;
  #session: MatrixSession | undefined;
  /** The names of the sections that the page has set. */
  #wanted: string | undefined;
  #state: AccountState = { name: "idle" };

  constructor(host: MatrixAccountElement, rules: SectionRules) {
    this.host = host;
    this.rules = rules;
    this.errors = new ErrorView(host, texts);
    this.#context = new ContextConsumer(host, { context: authClientContext, subscribe: true });
    host.addController(this);
    this.focus = new AccountFocus(host);
  }

  get current(): AccountState {
    return this.#state;
  }

  /** Undefined before the element has a client. */
  get state(): MatrixAccountState | undefined {
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
    const { controller } = this.#sectionOf("devices")?.content ?? {};
    return controller instanceof Devices ? controller.list.items : [];
  }

  hostUpdate(): void {
    const { client, session, sections, isConnected } = this.host;
    if (!isConnected) return;
    const given = client ?? (session ? undefined : this.#context.value);
    if (given !== this.#client || session !== this.#session) {
      this.#setIdentity(given, session);
    } else if (sections !== this.#wanted) {
      this.#wanted = sections;
      if (this.account) void this.#open(this.account);
      else if (this.#state.name === "error") this.#start();
    }
  }

  hostDisconnected(): void {
    // If the element moves to a place without a client, it must not keep the old one.
    this.#context.value = undefined;
    whenRemoved(this.host, () => this.#setIdentity(undefined, undefined));
  }

  /** Loads the account, or its sections if the account is loaded already. */
  async load(): Promise<void> {
    // The page might have set another account just now.
    this.host.applyProperties();
    if (!this.account && this.#state.name !== "loading") this.#start();
    const sections = this.#sections.map((section) => section.load());
    await (this.account ? Promise.all(sections) : this.#loading);
  }

  /** Loads a section again that the change of another one has changed. */
  reload(name: AccountSectionName): void {
    void this.#sectionOf(name)?.load();
  }

  cancel(): void {
    for (const section of this.#sections) section.cancel();
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

  async signOut(account: ShownAccount): Promise<void> {
    const { client, session, userId, deviceId } = account;
    if (!this.host.dispatchEvent(new MatrixAccountSignOutEvent({ userId, deviceId }))) return;
    // Signing out cancels the section's work, but must continue itself, so it gets no signal.
    if (session) await session.signOut();
    else await client.logout();
    if (account === this.account) this.#end("signedOut");
  }

  /** Call it after the account was deactivated, also if another account is shown by then. */
  deactivated(account: ShownAccount): void {
    if (account === this.account) this.#end("errorDeactivated");
    void account.session?.signOut({ notify: false });
  }

  get #sections(): readonly Section[] {
    return this.#state.name === "shown" ? [...this.#state.sections.values()] : [];
  }

  #sectionOf(name: AccountSectionName): Section | undefined {
    return this.#state.name === "shown" ? this.#state.sections.get(name) : undefined;
  }

  get #dialog(): UiaDialogElement | null | undefined {
    return this.host.shadowRoot?.querySelector("uia-dialog");
  }

  #setIdentity(client: AuthClient | undefined, session: MatrixSession | undefined): void {
    this.#session?.removeEventListener("session-ended", this.#onSessionEnded);
    this.#client = client;
    this.#session = session;
    session?.addEventListener("session-ended", this.#onSessionEnded);
    if (client || session) this.#start();
    else this.#become({ name: "idle" });
  }

  readonly #onSessionEnded = (): void => this.#end("signedOut");

  /** Looks up the account that the page has set now. */
  #start(): void {
    const identity = { client: this.#client, session: this.#session };
    this.#wanted = this.host.sections;
    this.#become({ name: "loading" });
    this.#loading = this.#find(identity);
  }

  async #find(identity: Identity): Promise<void> {
    await this.#search.run(async (signal) => {
      try {
        const account = await findAccount(identity, signal);
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
    const all = Object.keys(this.rules);
    const given = (this.host.sections ?? "").split(/\s+/).filter(Boolean);
    const names = given.length > 0 ? given : all;
    if (!names.every((name) => this.#isSection(name))) {
      const message = `sections contains a value other than ${all.join(", ")}`;
      return this.#failed(settingsInvalid(message));
    }
    const present = this.#sections;
    const sections = [...new Set(names)]
      .map((name) => this.#sectionOf(name) ?? new Section(this, account, name))
      .filter(({ isOffered }) => isOffered);
    const added = sections.filter((section) => !present.includes(section));
    const loads = added.map((section) => section.load());
    const byName = new Map(sections.map((section) => [section.name, section]));
    this.#become({ name: "shown", account, sections: byName });
    await Promise.all(loads);
  }

  #isSection(name: string): name is AccountSectionName {
    return Object.hasOwn(this.rules, name);
  }

  #failed(thrown: unknown): void {
    const error = asAccountError(thrown);
    this.#become({ name: "error", error });
    this.fail(error);
  }

  /** Cancels all operations, and hides the account. */
  #end(reason: Ending, error?: CodedError): void {
    if (this.#state.name !== "ended") this.#become({ name: "ended", reason, error });
  }

  #become(state: AccountState): void {
    const kept = state.name === "shown" ? [...state.sections.values()] : [];
    for (const section of this.#sections) if (!kept.includes(section)) section.close();
    if (state.name !== "shown") this.#search.cancel();
    this.#state = state;
    this.host.stateChanged();
  }
}
