import { ContextConsumer } from "@lit/context";
import { html, nothing, type ReactiveController, type TemplateResult } from "lit";
import { type AuthClient, authClientContext } from "../../../context/auth-client.js";
import type { MatrixSession } from "../../../core/index.js";
import { UiaError } from "../../../core/uia/errors.js";
import {
  MatrixAccountErrorEvent,
  MatrixAccountSignOutEvent,
} from "../../../events/matrix-account.js";
import {
  accountTexts,
  accountErrorTexts,
  completionTexts,
  matrixAccountTexts,
  fieldTexts,
  oauthTexts,
  registrationTexts,
  requestTexts,
} from "../../../locales/en.js";
import type { CodedError } from "../../../errors/lazy/error-text.js";
import { explainError } from "../../../errors/lazy/explain-error.js";
import { addTexts } from "../../../texts/texts.js";
import { fieldStyles } from "../../../ui/lazy/field.js";
import {
  addStyles,
  buttonStyles,
  doneStyles,
  errorBox,
  DIALOG_PARTS,
  visuallyHidden,
} from "../../../ui/lazy/styles.js";
import { lazyPart } from "../../../ui/lazy.js";
import { panelStyles } from "../../../ui/styles.js";
import { whenRemoved } from "../../../ui/page.js";
import type { DoRequest } from "../../uia-dialog/lazy/host.js";
import type { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";
import {
  type Account,
  type AccountHost,
  type AccountSectionName,
  findAccount,
  type MatrixAccountState,
  readSections,
} from "./account.js";
import { ContactsSection } from "./contacts.js";
import type { AccountDevice } from "./device.js";
import { DevicesSection } from "./devices.js";
import { AccountFocus } from "./focus.js";
import { DeactivationSection, PasswordSection } from "./forms.js";
import { isSessionOver, Progress } from "./progress.js";
import {
  type AccountModel,
  type AccountSection,
  type DialogOptions,
  ProviderSection,
} from "./section.js";
import { accountStyles } from "./styles.js";

addTexts({
  $code: "en",
  ...fieldTexts,
  ...requestTexts,
  ...oauthTexts,
  ...matrixAccountTexts,
  ...accountTexts,
  ...accountErrorTexts,
  errorFlowExpired: completionTexts.errorFlowExpired,
  newWindow: registrationTexts.newWindow,
});

const loadDialogElement = /* @__PURE__ */ lazyPart(() => import("../../uia-dialog/uia-dialog.js"));

const STYLES = [
  visuallyHidden,
  panelStyles,
  buttonStyles,
  doneStyles,
  errorBox,
  fieldStyles,
  accountStyles,
];

const SECTIONS = {
  devices: DevicesSection,
  password: PasswordSection,
  contacts: ContactsSection,
  deactivation: DeactivationSection,
};

type EndReason = "signedOut" | "errorDeactivated";

/** The element's state is the first of these that one of its parts has. */
const PRECEDENCE = ["busy", "loading", "error"] as const;

/** Finds the account of the client, and manages its sections. */
export class AccountController
  extends Progress<AccountHost>
  implements ReactiveController, AccountModel
{
  readonly #context: ContextConsumer<typeof authClientContext, AccountHost>;
  #client: AuthClient | undefined;
  #session: MatrixSession | undefined;
  account: Account | undefined;
  #wanted: string | undefined;
  /** The sections in the page's order; undefined for a section that the page replaces. */
  #sections: ReadonlyMap<AccountSectionName, AccountSection | undefined> = new Map();
  /** The error that hides the account. */
  #endedBy: EndReason | undefined;
  /** Aborts when another account is shown, or none. */
  #shown = new AbortController();
  /** Resolves when the account is loaded, or loading has failed. */
  #started: Promise<unknown> | undefined;

  constructor(host: AccountHost) {
    super(host);
    this.#context = new ContextConsumer(host, { context: authClientContext, subscribe: true });
    host.addController(this);
    host.addController(new AccountFocus(host));
  }

  /** Undefined before the element has a client. */
  get state(): MatrixAccountState | undefined {
    if (!this.#client && !this.#session) return undefined;
    const all = [this.progress, ...this.#active.map(({ progress }) => progress)];
    return PRECEDENCE.find((each) => all.includes(each)) ?? (this.account ? "ready" : "idle");
  }

  get error(): CodedError | undefined {
    return [this, ...this.#active].map(({ failure }) => failure).find(Boolean);
  }

  get devices(): readonly AccountDevice[] {
    const devices = this.#sections.get("devices");
    return devices instanceof DevicesSection ? devices.items : [];
  }

  render(): TemplateResult {
    addStyles(this.host, ...STYLES);
    const user = this.account?.userId;
    return html`<div part="panel" class="account">
      <slot name="heading"
        >${user ? html`<h2 part="heading"><bdi>${user}</bdi></h2>` : nothing}</slot
      >
      ${this.renderMessages()}
      <slot name="before"></slot>
      ${[...this.#sections].map(
        ([name, section]) =>
          html`<slot name="section-${name}">${section?.render() ?? nothing}</slot>`,
      )}
      <slot name="after"></slot>
      <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>
    </div>`;
  }

  hostUpdate(): void {
    const { client, session, sections, isConnected } = this.host;
    if (!isConnected) return;
    const given = client ?? (session ? undefined : this.#context.value);
    if (given !== this.#client || session !== this.#session) {
      this.#client = given;
      this.#session = session;
      this.#start();
    } else if (sections !== this.#wanted) {
      this.#wanted = sections;
      if (this.account) void this.work(() => this.#arrange(), { state: "loading" });
      else if (this.failure && this.needsLoad) this.#start();
    }
  }

  hostUpdated(): void {
    for (const section of this.#active) section.updated();
  }

  hostDisconnected(): void {
    // If the element moves to a place without a client, it must not keep the old one.
    this.#context.value = undefined;
    whenRemoved(this.host, () => {
      this.#client = this.#session = undefined;
      this.#start();
    });
  }

  /** Loads the account, or its sections if the account is loaded already. */
  override async load(): Promise<void> {
    // The page might have set another account just now.
    this.host.applyProperties();
    if (this.account) await Promise.all(this.#active.map((section) => section.load()));
    else {
      if (this.progress !== "loading") this.#start();
      await this.#started;
    }
  }

  cancel(): void {
    for (const section of this.#active) section.cancel();
  }

  async authenticate(
    account: Account,
    request: DoRequest,
    { inputs, ...options }: DialogOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { UiaDialogElement } = await loadDialogElement();
    signal.throwIfAborted();
    UiaDialogElement.define();
    const dialog = this.#dialog;
    if (!dialog) throw new UiaError("not_connected", "The element contains no dialog");
    // The call takes these properties, so nothing may come between.
    Object.assign(dialog, { client: account.client, userId: account.userId, inputs });
    await dialog.authenticate(request, { submitLabel: options.heading, ...options, signal });
  }

  pollDialog(): void {
    void this.#dialog?.poll();
  }

  fail(error: CodedError, section?: AccountSectionName): void {
    // If the account is locked, the session continues.
    if (isSessionOver(error) && this.#session?.state !== "signed-in") {
      this.#end("signedOut", error);
    }
    explainError(error);
    this.host.dispatchEvent(new MatrixAccountErrorEvent(error, section));
  }

  async signOut(account: Account): Promise<void> {
    const { client, session, userId, deviceId } = account;
    if (!this.host.dispatchEvent(new MatrixAccountSignOutEvent({ userId, deviceId }))) return;
    // Signing out cancels the section's work, but must continue itself, so it gets no signal.
    if (session) await session.signOut();
    else await client.logout();
    if (account === this.account) this.#end("signedOut");
  }

  reloadDevices(): void {
    void this.#sections.get("devices")?.load();
  }

  deactivated(account: Account): void {
    if (account === this.account) this.#end("errorDeactivated");
    void account.session?.signOut({ notify: false });
  }

  protected override get needsLoad(): boolean {
    return !this.account && !this.#endedBy;
  }

  protected override failed(error: CodedError): void {
    this.#forget();
    this.fail(error);
  }

  protected override renderStatus(): unknown {
    if (this.progress === "loading" && !this.account) {
      return html`<div class="finding">
        <span part="spinner"></span><span>${this.term("working")}</span>
      </div>`;
    }
    // The homeserver forbids all sections that the page has set.
    const isEmpty = this.account && this.#sections.size === 0;
    const notice = this.#endedBy ?? (isEmpty ? "administratorOnly" : undefined);
    return notice ? html`<div part="notice">${this.term(notice)}</div>` : nothing;
  }

  get #active(): readonly AccountSection[] {
    return [...this.#sections.values()].filter((section) => section !== undefined);
  }

  get #dialog(): UiaDialogElement | null | undefined {
    return this.host.shadowRoot?.querySelector("uia-dialog");
  }

  /** Looks up the account that the page has set now. */
  #start(): void {
    const [client, session] = [this.#client, this.#session];
    this.#forget();
    this.#endedBy = undefined;
    if (!client && !session) return this.end();
    this.#wanted = this.host.sections;
    const { signal: shown } = this.#shown;
    session?.addEventListener("session-ended", () => this.#end("signedOut"), { signal: shown });
    this.#started = this.work(
      async (signal) => {
        const account = await findAccount({ client, session }, signal);
        signal.throwIfAborted();
        this.account = account;
        await this.#arrange();
      },
      { state: "loading" },
    );
  }

  /** Creates and loads the sections that the page has set and the homeserver allows. */
  async #arrange(): Promise<void> {
    const before = this.#sections;
    const wanted = readSections(this.host);
    const offered = wanted.filter((name) => !this.account?.forbidden.includes(name));
    this.#sections = new Map(
      offered.map((name) => [name, before.get(name) ?? this.#createSection(name)]),
    );
    for (const [name, section] of before) if (!this.#sections.has(name)) section?.stop();
    const known = [...before.values()];
    const added = this.#active.filter((section) => !known.includes(section));
    const loaded = added.map((section) => section.load());
    this.host.stateChanged();
    await Promise.all(loaded);
  }

  #createSection(name: AccountSectionName): AccountSection | undefined {
    const isReplaced = [...this.host.children].some(({ slot }) => slot === `section-${name}`);
    if (isReplaced || !this.account) return undefined;
    const isElsewhere = name !== "devices" && this.account.management === "provider";
    const Section = isElsewhere ? ProviderSection : SECTIONS[name];
    return new Section(this, this.account, name);
  }

  /** Cancels all operations, and hides the account. */
  #end(reason: EndReason, error?: CodedError): void {
    if (this.#endedBy) return;
    this.#forget();
    this.#endedBy = reason;
    this.end(error);
  }

  #forget(): void {
    this.#shown.abort();
    this.#shown = new AbortController();
    for (const section of this.#active) section.stop();
    this.#sections = new Map();
    this.account = undefined;
  }
}
