import { type CSSResultGroup, html, type PropertyDeclarations } from "lit";
import { type AccountClient, attachContextRoot } from "../../context/auth-client.js";
import type { MatrixSession } from "../../core/index.js";
import { MatrixAccountErrorEvent } from "../../events/matrix-account.js";
import { AuthElement } from "../../ui/element.js";
import { LazyController, lazyPart, type Load } from "../../ui/lazy.js";
import { isInPage } from "../../ui/page.js";
import { sharedStyles } from "../../ui/styles.js";
import type { AccountManagement, MatrixAccountState } from "./lazy/account.js";
import type { AccountDevice } from "./lazy/device.js";
import type * as MatrixAccountPart from "./lazy/view.js";

const loadMatrixAccount: Load<typeof MatrixAccountPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/view.js"),
);

/**
 * The account page of a signed-in user: devices, password, email addresses, phone numbers, and
 * deactivation. If the homeserver has an OAuth 2.0 provider, it lists the devices and links to the
 * provider's account page.
 *
 * @summary Manage the account of a signed-in user.
 * @tag matrix-account
 * @experimental
 *
 * @slot heading - Replaces the heading.
 * @slot before - Shown before the sections.
 * @slot after - Shown after the sections.
 * @slot section-(name) - Replaces a section, such as `section-devices`.
 * @slot error - Replaces the message of an error that doesn't belong to a field.
 * @slot error-(code) - Replaces the message of such an error with this code, such as
 * `error-network_error`.
 *
 * @fires {MatrixAccountChangeEvent} matrix-account-change - Fires when the homeserver has confirmed
 * a change.
 * @fires {MatrixAccountLinkEvent} matrix-account-link - Fires before the provider's account page
 * opens. Call `preventDefault()` to open the URL yourself.
 * @fires {MatrixAccountSignOutEvent} matrix-account-sign-out - Fires before this device is signed
 * out. Call `preventDefault()` to sign out yourself.
 * @fires {MatrixAccountErrorEvent} matrix-account-error - Fires when loading or an operation fails.
 * Call `preventDefault()` to show the error yourself.
 * @fires {Event} statechange - Fires when `state` changes.
 *
 * @csspart panel - The panel that contains everything.
 * @csspart section - A section.
 * @csspart heading - The element's heading, and the heading of each section.
 * @csspart list - A list of devices, or of email addresses and phone numbers.
 * @csspart item - An entry of a list.
 * @csspart device-name - The name of a device.
 * @csspart device-detail - The last activity and the IP address of a device.
 * @csspart actions - A row of buttons.
 * @csspart button - A button, or a link that looks like one.
 * @csspart danger - A button that signs out, removes, or deactivates.
 * @csspart notice - A message that isn't an error.
 * @csspart error - An error that doesn't belong to a field.
 * @csspart retry - The button that tries again after a failure.
 * @csspart spinner - The spinner during a request.
 * @csspart dialog-* - The parts of `<uia-dialog>`, such as `dialog-heading`.
 *
 * @cssprop [--matrix-account-inline-size=44em] - The element's width, if there is room.
 * @cssprop [--oidc-panel-background=light-dark(#fff, #1d2129)] - The background of the sections.
 * @cssprop [--oidc-panel-color=light-dark(#1b1f27, #e9ecf2)] - The text of the sections.
 * @cssprop [--oidc-panel-border=1px solid light-dark(#d5d9e2, #3b414d)] - The border of the
 * sections.
 * @cssprop [--oidc-panel-padding=1.75em] - The space inside the sections.
 * @cssprop [--oidc-panel-shadow=0 0.25em 1.5em rgb(0 0 0 / 0.08)] - The shadow of the sections.
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The background of the main buttons,
 * and links.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The text of the main buttons.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The text of errors, and of
 * destructive buttons.
 * @cssprop [--oidc-border-radius=0.5em] - The corners of buttons and fields.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of the focused
 * element.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 * @cssprop [--uia-field-background=light-dark(Field, rgb(255 255 255 / 0.06))] - The background of
 * fields.
 * @cssprop [--uia-field-color=FieldText] - The text of fields.
 * @cssprop [--uia-field-border=1px solid color-mix(in srgb, currentcolor 55%, transparent)] - The
 * border of fields.
 * @cssprop [--uia-field-padding=0.5em 0.75em] - The space inside fields.
 *
 * @cssstate idle - No client is set, or the user has signed out.
 * @cssstate loading - The account or a section is being loaded.
 * @cssstate ready - Waiting for user input.
 * @cssstate busy - An operation is in progress, or the dialog is open.
 * @cssstate error - An operation failed. The user can try again.
 */
export class MatrixAccountElement extends AuthElement {
  static override readonly tag: string = "matrix-account";

  static override properties: PropertyDeclarations = {
    client: { attribute: false },
    session: { attribute: false },
    sections: {},
  };

  static override styles: CSSResultGroup = sharedStyles;

  /**
   * The client to use: a `HomeserverClient` or matrix-js-sdk's `MatrixClient`. Default: the client
   * of `session` or of the context.
   */
  declare client: AccountClient | undefined;
  /**
   * The user's session. It ends when the user signs out this device. If `client` is also set, it must
   * be for the same homeserver, user, and device; otherwise the element shows `settings_invalid`.
   */
  declare session: MatrixSession | undefined;
  /**
   * The sections to show, in order: `devices`, `password`, `contacts`, `deactivation`. Default: all
   * sections that the homeserver supports.
   */
  declare sections: string | undefined;

  readonly #part = new LazyController(
    this,
    loadMatrixAccount,
    ({ createAccount }) => createAccount(this),
    MatrixAccountErrorEvent,
  );

  static override define(tag?: string, registry?: CustomElementRegistry): void {
    super.define(tag, registry);
    attachContextRoot();
  }

  /** The element's current state. */
  get state(): MatrixAccountState {
    if (this.#part.error) return "error";
    return this.#part.value?.state ?? (this.client || this.session ? "loading" : "idle");
  }

  /** The account's devices, this one first. Empty until they are loaded. */
  get devices(): readonly AccountDevice[] {
    return this.#part.value?.devices ?? [];
  }

  /** The account's user ID; `undefined` until it is loaded. */
  get userId(): string | undefined {
    return this.#part.value?.account?.userId;
  }

  /**
   * Whether the homeserver or an OAuth 2.0 provider manages the account; `undefined` until it is
   * loaded.
   */
  get management(): AccountManagement | undefined {
    return this.#part.value?.account?.management;
  }

  /** The error, while `state` is `error`. */
  get error(): Error | undefined {
    return this.#part.error ?? this.#part.value?.error;
  }

  /**
   * Loads the account, or loads it again and keeps the user's input. Resolves when loading has succeeded or
   * failed.
   */
  async refresh(): Promise<void> {
    await (await this.#part.load())?.load();
  }

  /**
   * Cancels the current operation and closes the dialog. The forms keep the user's input, except
   * passwords. If the homeserver carries out the operation even so, the element shows and reports it.
   */
  cancel(): void {
    this.#part.value?.cancel();
  }

  protected override willUpdate(): void {
    if (!isInPage()) return;
    if (!this.hasUpdated) void this.#part.load();
    // Setting a client before the code is loaded also changes the state.
    if (!this.#part.value) this.stateChanged();
  }

  override render(): unknown {
    const retry = (): unknown => this.#part.load();
    return this.#part.render(html`<slot name="heading"></slot>`, retry);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "matrix-account": MatrixAccountElement;
  }
}
