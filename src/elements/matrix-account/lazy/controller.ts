import { ContextConsumer } from "@lit/context";
import type { ReactiveController, TemplateResult } from "lit";
import {
  type AccountClient,
  type AuthClient,
  authClientContext,
} from "../../../context/auth-client.js";
import type { MatrixSession } from "../../../core/index.js";
import { sessionEnded } from "../../../core/session/events.js";
import { UiaError } from "../../../core/uia/errors.js";
import {
  MatrixAccountChangeEvent,
  MatrixAccountErrorEvent,
  MatrixAccountLinkEvent,
  MatrixAccountSignOutEvent,
} from "../../../events/matrix-account.js";
import {
  accountTexts,
  completionTexts,
  matrixAccountTexts,
  fieldTexts,
  oauthTexts,
  registrationTexts,
  requestTexts,
} from "../../../locales/en.js";
import type { CodedError } from "../../../sign-in/lazy/error-text.js";
import { explainError } from "../../../sign-in/lazy/explain-error.js";
import { loadSession } from "../../../sign-in/session-attributes.js";
import { addTexts, type Texts } from "../../../texts/texts.js";
import { lazyPart } from "../../../ui/lazy.js";
import { Turns, whenRemoved } from "../../../ui/turn.js";
import type { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";
import {
  type Account,
  type AccountHost,
  type AccountPhase,
  type AccountSectionName,
  assertAccountClient,
  findAccount,
  type MatrixAccountState,
  readSections,
} from "./account.js";
import { ContactsSection } from "./contacts.js";
import type { AccountDevice } from "./device.js";
import { DevicesSection } from "./devices.js";
import { DeactivationSection, PasswordSection } from "./forms.js";
import { ProviderSection } from "./provider.js";
import { type AccountModel, type AccountSection, asAccountError } from "./section.js";
import { AccountView } from "./view.js";

addTexts({
  $code: "en",
  ...fieldTexts,
  ...requestTexts,
  ...oauthTexts,
  ...matrixAccountTexts,
  ...accountTexts,
  errorDeactivated: completionTexts.errorDeactivated,
  errorLocked: completionTexts.errorLocked,
  errorAwaitingApproval: completionTexts.errorAwaitingApproval,
  newWindow: registrationTexts.newWindow,
});

const loadDialogElement = /* @__PURE__ */ lazyPart(() => import("../../uia-dialog/uia-dialog.js"));

const HEADINGS: Readonly<Record<AccountSectionName, keyof Texts>> = {
  devices: "devices",
  password: "password",
  contacts: "contacts",
  deactivation: "deactivate",
};

const SECTIONS = {
  devices: DevicesSection,
  password: PasswordSection,
  contacts: ContactsSection,
  deactivation: DeactivationSection,
};

/** Whatever of the account is in progress says more than what is at rest. */
const PRECEDENCE = ["busy", "loading", "error"] as const;

/** The codes of a session that is over. */
const ENDED: readonly string[] = ["M_UNKNOWN_TOKEN", "session_ended"];

/** Finds the account of the client, and has its sections. */
export class AccountController implements ReactiveController, AccountModel {
  readonly host: AccountHost;
  readonly #context: ContextConsumer<typeof authClientContext, AccountHost>;
  readonly #view: AccountView;
  readonly #turns = new Turns();
  /** Whose account is shown. */
  #client: AuthClient | undefined;
  #session: MatrixSession | undefined;
  #phase: AccountPhase = "none";
  #error: CodedError | undefined;
  #account: Account | undefined;
  #wanted: string | undefined;
  #sections: ReadonlyMap<AccountSectionName, AccountSection | undefined> = new Map();
  /** Why nothing of the account is shown any longer. */
  #notice: keyof Texts = "signedOut";

  constructor(host: AccountHost) {
    this.host = host;
    this.#context = new ContextConsumer(host, { context: authClientContext, subscribe: true });
    this.#view = new AccountView(host, this);
    host.addController(this);
  }

  /** Undefined before it has a client. */
  get state(): MatrixAccountState | undefined {
    if (this.#phase === "none") return undefined;
    if (this.#phase === "finding") return "loading";
    if (this.#phase !== "found") return this.#error ? "error" : "idle";
    const states = this.#active.map(({ state }) => state);
    return PRECEDENCE.find((each) => states.includes(each)) ?? "ready";
  }

  get phase(): AccountPhase {
    return this.#phase;
  }

  get notice(): keyof Texts {
    return this.#notice;
  }

  get account(): Account | undefined {
    return this.#account;
  }

  /** In the page's order; undefined for one that the page replaces. */
  get sections(): ReadonlyMap<AccountSectionName, AccountSection | undefined> {
    return this.#sections;
  }

  /** Of the whole account. */
  get failure(): CodedError | undefined {
    return this.#error;
  }

  get error(): CodedError | undefined {
    return this.#error ?? this.#active.map(({ error }) => error).find(Boolean);
  }

  get devices(): readonly AccountDevice[] {
    const devices = this.#sections.get("devices");
    return devices instanceof DevicesSection ? devices.devices : [];
  }

  render(): TemplateResult {
    return this.#view.render();
  }

  hostUpdate(): void {
    const { client, session, sections, isConnected } = this.host;
    if (!isConnected) return;
    const given = client ?? (session ? undefined : this.#context.value);
    if (given !== this.#client || session !== this.#session) {
      this.#client = given;
      this.#session = session;
      void this.#start();
    } else if (sections !== this.#wanted) {
      this.#wanted = sections;
      if (this.#phase === "failed") void this.#start();
      else if (this.#account) {
        this.#arrange().catch((thrown: unknown) => this.fail(asAccountError(thrown)));
      }
    }
  }

  hostDisconnected(): void {
    // If it moves to where no client is provided, it must not keep the old one.
    this.#context.value = undefined;
    whenRemoved(this.host, () => {
      this.#client = this.#session = undefined;
      void this.#start();
    });
  }

  async refresh(): Promise<void> {
    if (this.#phase !== "found") await this.#start();
    else await Promise.all(this.#active.map((section) => section.load()));
  }

  cancel(): void {
    for (const section of this.#active) section.cancel();
  }

  async loadDialog(): Promise<UiaDialogElement> {
    const { UiaDialogElement } = await loadDialogElement();
    UiaDialogElement.define();
    const dialog = this.host.shadowRoot?.querySelector("uia-dialog");
    if (!dialog) throw new UiaError("not_connected", "The element contains no dialog");
    return Object.assign(dialog, {
      client: this.#account?.client,
      userId: this.#account?.userId,
    });
  }

  report(change: MatrixAccountChangeEvent["detail"]): void {
    this.host.dispatchEvent(new MatrixAccountChangeEvent(change));
  }

  fail(error: CodedError, section?: AccountSectionName): void {
    // An account that is locked has a session that goes on.
    if (ENDED.includes(error.code) && this.#session?.state !== "signed-in") {
      this.#end("signedOut", error);
    } else if (section === undefined) {
      this.#forget();
      this.#setPhase("failed", error);
    }
    explainError(error);
    this.host.dispatchEvent(new MatrixAccountErrorEvent(error, section));
  }

  announceLink(action: string, url: string, deviceId?: string): boolean {
    const detail = { action, url, ...(deviceId !== undefined && { deviceId }) };
    return this.host.dispatchEvent(new MatrixAccountLinkEvent(detail));
  }

  async signOut(): Promise<void> {
    if (!this.#account) return;
    const { client, userId, deviceId } = this.#account;
    if (!this.host.dispatchEvent(new MatrixAccountSignOutEvent({ userId, deviceId }))) return;
    // It ends the section's work, too, but must go on itself.
    if (this.#session) await this.#session.signOut();
    else await client.logout();
    this.#end("signedOut");
  }

  reloadDevices(): void {
    void this.#sections.get("devices")?.load();
  }

  deactivated(): void {
    const session = this.#session;
    this.report({ section: "deactivation", action: "deactivated" });
    this.#end("errorDeactivated");
    void session?.signOut({ notify: false });
  }

  get #active(): readonly AccountSection[] {
    return [...this.#sections.values()].filter((section) => section !== undefined);
  }

  async #start(): Promise<void> {
    const turn = this.#turns.begin();
    const session = this.#session;
    this.#forget();
    if (!this.#client && !session) return this.#setPhase("none");
    this.#setPhase("finding");
    this.#wanted = this.host.sections;
    const { signal } = turn;
    session?.addEventListener("session-ended", () => this.#end("signedOut"), { signal });
    try {
      const client = this.#client ?? (await clientOf(session));
      assertAccountClient(client);
      const account = await findAccount(client, signal);
      if (turn.isOver()) return;
      this.#account = account;
      this.#phase = "found";
      await this.#arrange();
    } catch (thrown) {
      if (!turn.isOver()) this.fail(asAccountError(thrown));
    }
  }

  /** Has the sections that the page wants and the homeserver offers; new ones load. */
  async #arrange(): Promise<void> {
    const before = this.#sections;
    const wanted = readSections(this.host);
    const offered = wanted.filter((name) => !this.#account?.forbidden.includes(name));
    this.#sections = new Map(
      offered.map((name) => [name, before.get(name) ?? this.#createSection(name)]),
    );
    for (const [name, section] of before) if (!this.#sections.has(name)) section?.remove();
    const known = [...before.values()];
    const added = this.#active.filter((section) => !known.includes(section));
    const loaded = added.map((section) => section.load());
    this.host.stateChanged();
    await Promise.all(loaded);
  }

  #createSection(name: AccountSectionName): AccountSection | undefined {
    const isReplaced = [...this.host.children].some(({ slot }) => slot === `section-${name}`);
    if (isReplaced || !this.#account) return undefined;
    if (name !== "devices" && this.#account.management === "provider") {
      return new ProviderSection(this, this.#account, name, HEADINGS[name]);
    }
    return new SECTIONS[name](this, this.#account);
  }

  /** Ends whatever is in progress, and what is shown of the account. */
  #end(notice: keyof Texts, error?: CodedError): void {
    if (this.#phase === "ended") return;
    this.#turns.begin();
    this.#forget();
    this.#notice = notice;
    this.#setPhase("ended", error);
  }

  #forget(): void {
    for (const section of this.#active) section.remove();
    this.#sections = new Map();
    this.#account = undefined;
  }

  #setPhase(phase: AccountPhase, error?: CodedError): void {
    this.#phase = phase;
    this.#error = error;
    this.host.stateChanged();
  }
}

/** @throws {OidcFlowError} `SessionEnded`; `General` (`load_failed`). */
async function clientOf(session: MatrixSession | undefined): Promise<AccountClient> {
  if (session?.state !== "signed-in") throw sessionEnded();
  const { HomeserverClient } = await loadSession();
  return new HomeserverClient({ baseUrl: session.homeserverUrl, session });
}
