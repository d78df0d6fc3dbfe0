import { type CSSResultGroup, html, type PropertyDeclarations } from "lit";
import { type AccountClient, attachContextRoot } from "../../context/auth-client.js";
import type { MatrixSession } from "../../core/index.js";
import { MatrixAccountErrorEvent } from "../../events/matrix-account.js";
import { AuthElement, copiesIn } from "../../ui/element.js";
import { LazyController, lazyPart, type Load, renderLoadError } from "../../ui/lazy.js";
import { isInPage } from "../../ui/page.js";
import { sharedStyles } from "../../ui/styles.js";
import type { AccountManagement, MatrixAccountState } from "./lazy/account.js";
import type * as MatrixAccountPart from "./lazy/controller.js";
import type { AccountDevice } from "./lazy/device.js";

const loadMatrixAccount: Load<typeof MatrixAccountPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/controller.js"),
);

/**
 * The account page of a signed-in user: devices, password, email addresses and phone numbers, and deactivation. On a
 * homeserver with an OAuth 2.0 provider, it lists the devices and leads to the provider's account page.
 *
 * @summary Manage the account of a signed-in user.
 * @tag matrix-account
 * @experimental
 *
 * @slot heading - Replaces the heading.
 * @slot before - Shown before the sections.
 * @slot after - Shown after the sections.
 * @slot section-(name) - Replaces a section, such as `section-devices`.
 * @slot error - Replaces the text of an error that belongs to no field.
 *
 * @fires {MatrixAccountChangeEvent} matrix-account-change - The homeserver has confirmed a change.
 * @fires {MatrixAccountLinkEvent} matrix-account-link - Before the provider's account page is opened. Cancelable: the page opens the URL itself.
 * @fires {MatrixAccountSignOutEvent} matrix-account-sign-out - Before this device is signed out. Cancelable: the page signs out itself.
 * @fires {MatrixAccountErrorEvent} matrix-account-error - Loading or an operation failed.
 * @fires {Event} statechange - `state` has changed.
 *
 * @csspart panel - Everything that the element shows.
 * @csspart section - A section.
 * @csspart heading - The heading, and that of each section.
 * @csspart list - A list of devices, or of email addresses and phone numbers.
 * @csspart item - An entry of a list.
 * @csspart device-name - The name of a device.
 * @csspart device-detail - The last activity and the IP address of a device.
 * @csspart actions - A row of buttons.
 * @csspart button - A button, or a link that looks like one.
 * @csspart danger - A button that signs out, removes, or deactivates.
 * @csspart notice - A message that is not an error.
 * @csspart error - What went wrong, if it belongs to no field.
 * @csspart retry - The button that loads the element again, if its code could not be loaded.
 * @csspart spinner - Turns while a request is in progress.
 * @csspart dialog-dialog - Of `<uia-dialog>`: the dialog, with its `::backdrop`.
 * @csspart dialog-heading - Of `<uia-dialog>`: the heading.
 * @csspart dialog-user - Of `<uia-dialog>`: who confirms, if that is known.
 * @csspart dialog-initial - Of `<uia-dialog>`: the initial of the user's name, in place of a picture.
 * @csspart dialog-host - Of `<uia-dialog>`: the host of the page's URL.
 * @csspart dialog-progress - Of `<uia-dialog>`: "Step 2 of 3".
 * @csspart dialog-description - Of `<uia-dialog>`: the description.
 * @csspart dialog-stage - Of `<uia-dialog>`: the stage.
 * @csspart dialog-instruction - Of `<uia-dialog>`: what the user is asked to do.
 * @csspart dialog-error - Of `<uia-dialog>`: what went wrong, if it belongs to no field.
 * @csspart dialog-notice - Of `<uia-dialog>`: a message that is not an error.
 * @csspart dialog-other - Of `<uia-dialog>`: a button beside the stage, such as "Resend".
 * @csspart dialog-actions - Of `<uia-dialog>`: the row of buttons.
 * @csspart dialog-submit - Of `<uia-dialog>`: the button that continues.
 * @csspart dialog-cancel - Of `<uia-dialog>`: the button that cancels.
 * @csspart dialog-spinner - Of `<uia-dialog>`: turns while a request is in progress.
 * @csspart dialog-open - Of `<uia-dialog>`: the button that opens the homeserver's page.
 * @csspart dialog-finished - Of `<uia-dialog>`: the button that says it is finished.
 * @csspart dialog-link - Of `<uia-dialog>`: the link to a page whose popup was blocked.
 * @csspart dialog-text - Of `<uia-dialog>`: the text about it.
 *
 * @cssprop [--matrix-account-inline-size=44em] - The element's width, if there is room.
 * @cssprop [--oidc-panel-background=light-dark(#fff, #1d2129)] - The background of the sections.
 * @cssprop [--oidc-panel-color=light-dark(#1b1f27, #e9ecf2)] - The text of the sections.
 * @cssprop [--oidc-panel-border=1px solid light-dark(#d5d9e2, #3b414d)] - The border of the sections.
 * @cssprop [--oidc-panel-padding=1.75em] - The space inside the sections.
 * @cssprop [--oidc-panel-shadow=0 0.25em 1.5em rgb(0 0 0 / 0.08)] - The shadow of the sections.
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The background of the main buttons, and links.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The text of the main buttons.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The text of errors, and of buttons that destroy.
 * @cssprop [--oidc-border-radius=0.5em] - The corners of buttons and fields.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--oidc-accent-color)] - The outline of the focused element.
 * @cssprop [--oidc-gap=0.5em] - The space between parts.
 * @cssprop [--uia-field-background=light-dark(Field, rgb(255 255 255 / 0.06))] - The background of fields.
 * @cssprop [--uia-field-color=FieldText] - The text of fields.
 * @cssprop [--uia-field-border=1px solid color-mix(in srgb, currentcolor 55%, transparent)] - The border of fields.
 * @cssprop [--uia-field-padding=0.5em 0.75em] - The space inside fields.
 *
 * @cssstate idle - There is no client, or the user has signed out.
 * @cssstate loading - The account or a section is being loaded.
 * @cssstate ready - The user can act.
 * @cssstate busy - An operation is in progress, or the dialog is open.
 * @cssstate error - Something failed; the user can try again.
 */
export class MatrixAccountElement extends AuthElement {
  static override readonly tag: string = "matrix-account";

  static override get properties(): PropertyDeclarations {
    return {
      client: { attribute: false },
      session: { attribute: false },
      sections: {},
    };
  }

  static override get styles(): CSSResultGroup {
    return sharedStyles;
  }

  /** The client to use: a `HomeserverClient` or matrix-js-sdk's `MatrixClient`. Default: the one of `session`, else the one that the context provides. */
  declare client: AccountClient | undefined;
  /** The user's session: signing out this device ends it. */
  declare session: MatrixSession | undefined;
  /** Which of `devices`, `password`, `contacts` and `deactivation` to show, and in which order. Default: all that the homeserver offers. */
  declare sections: string | undefined;

  readonly #account = new LazyController(
    this,
    loadMatrixAccount,
    ({ AccountController }) => new AccountController(this),
    MatrixAccountErrorEvent,
  );

  static override define(tag?: string, registry?: CustomElementRegistry): void {
    super.define(tag, registry);
    attachContextRoot();
  }

  /** What the element does. */
  get state(): MatrixAccountState {
    if (this.#account.error) return "error";
    return this.#account.value?.state ?? (this.client || this.session ? "loading" : "idle");
  }

  /** The account's devices, this one first; empty until they are loaded. */
  get devices(): readonly AccountDevice[] {
    return this.#account.value?.devices ?? [];
  }

  /** The account's user ID, once it is known. */
  get userId(): string | undefined {
    return this.#account.value?.account?.userId;
  }

  /** Who manages the account, once that is known: the homeserver itself, or an OAuth 2.0 provider. */
  get management(): AccountManagement | undefined {
    return this.#account.value?.account?.management;
  }

  /** What failed, while `state` is `error`. */
  get error(): Error | undefined {
    return this.#account.error ?? this.#account.value?.error;
  }

  /** Loads the account again, without what was typed being lost. Resolves when that has succeeded or failed. */
  async refresh(): Promise<void> {
    await (await this.#account.load())?.refresh();
  }

  /** Cancels the operation in progress: the dialog closes, and what was typed stays. */
  cancel(): void {
    this.#account.value?.cancel();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.#account.value) for (const form of copiesIn(this)) form.remove();
  }

  protected override willUpdate(): void {
    if (!isInPage()) return;
    if (!this.hasUpdated) void this.#account.load();
    // A client that is set before the code is there changes the state, too.
    if (!this.#account.value) this.stateChanged();
  }

  override render(): unknown {
    if (this.#account.error) return renderLoadError(this.localize, () => this.#account.load());
    return this.#account.value?.render() ?? html`<slot name="heading"></slot>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "matrix-account": MatrixAccountElement;
  }
}
