import "../../ui/import-lit.js";
import { type CSSResultGroup, html, nothing, type PropertyDeclarations } from "lit";
import type { AccountClient } from "../../context/auth-client.js";
import type { MatrixSession } from "../../core/index.js";
import { MatrixAccountErrorEvent } from "../../events/matrix-account.js";
import { AuthElement } from "../../ui/element.js";
import { LazyController, lazyPart, type Load } from "../../ui/loading.js";
import { isInPage } from "../../ui/page.js";
import { panelStyles, sharedStyles } from "../../ui/styles.js";
import type { AccountManagement } from "./account.js";
import type { MatrixAccountState } from "./controller.js";
import type { AccountDevice } from "./device.js";
import type * as SkeletonPart from "./skeleton.js";

const loadMatrixAccount = /* @__PURE__ */ lazyPart(() => import("./view.js"));

/**
 * The content that is shown before the account is known. The element's own entry includes it from
 * the start.
 */
export const loadSkeleton: Load<typeof SkeletonPart> = /* @__PURE__ */ lazyPart(
  () => import("./skeleton.js"),
);

/**
 * The account page of a signed-in user: name and picture, devices, password, email addresses, phone
 * numbers, and deactivation. If the homeserver has an OAuth 2.0 provider, it lists the devices and
 * links to the provider's account page.
 *
 * @summary Manage the account of a signed-in user.
 * @tag matrix-account
 * @experimental
 *
 * @slot heading - Replaces the heading.
 * @slot before - Shown before the sections.
 * @slot after - Shown after the sections.
 * @slot section-(name) - Replaces a section, such as `section-devices`.
 * @slot sign-out-note - Shown in the question before this device is signed out.
 * @slot error - Replaces the message of an error that doesn't belong to a field.
 * @slot error-(code) - Replaces the message of such an error with this code, such as
 * `error-network_error`.
 *
 * @fires {MatrixAccountChangeEvent} matrix-account-change - Fires when the homeserver has confirmed
 * a change.
 * @fires {MatrixAccountLinkEvent} matrix-account-link - Fires before the provider's account page
 * opens. Call `preventDefault()` to open the URL yourself.
 * @fires {MatrixAccountSignOutEvent} matrix-account-sign-out - Fires before the element asks whether
 * to sign out this device. Call `preventDefault()` to ask and sign out yourself.
 * @fires {MatrixAccountErrorEvent} matrix-account-error - Fires when loading or an operation fails.
 * Call `preventDefault()` to show the error yourself.
 * @fires {Event} statechange - Fires when `state` changes.
 *
 * @csspart panel - The panel that contains everything.
 * @csspart section - A section.
 * @csspart heading - The element's heading, which is the user's name, and the heading of each section.
 * @csspart avatar - The place of the user's picture.
 * @csspart initial - The circle with the user's initial, if they have no picture.
 * @csspart user-id - The user ID.
 * @csspart progress - The progress bar while a picture is sent.
 * @csspart list - A list of devices, or of email addresses and phone numbers.
 * @csspart item - An entry of a list.
 * @csspart device-icon - The icon of a device.
 * @csspart device-name - The name of a device.
 * @csspart device-detail - The last activity and the IP address of a device.
 * @csspart badge - The mark of this device.
 * @csspart details - The details and the buttons of a device.
 * @csspart details-button - The button that shows the details of a device.
 * @csspart chevron - The icon in that button.
 * @csspart toolbar - The controls for several devices, above their list.
 * @csspart search - The search field.
 * @csspart search-icon - The icon in the search field.
 * @csspart checkbox - A checkbox in the list of devices.
 * @csspart name-field - The field for a device's new name.
 * @csspart address - An email address or a phone number.
 * @csspart disclosure - The consequences of deactivation, which users can show.
 * @csspart summary - The text that shows the consequences.
 * @csspart question - The dialog that asks before something is removed.
 * @csspart warning - A consequence that users don't expect.
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
 * @cssprop [--matrix-account-sticky-offset=0px] - The height of the content that the page keeps at
 * the top of the window, such as a bar.
 * @cssprop [--oidc-panel-background=light-dark(#fff, #1d2129)] - The background of the sections.
 * @cssprop [--oidc-panel-color=light-dark(#1b1f27, #e9ecf2)] - The text of the sections.
 * @cssprop [--oidc-panel-border=1px solid light-dark(#d5d9e2, #3b414d)] - The border of the
 * sections.
 * @cssprop [--oidc-panel-padding=1.75em] - The space inside the sections.
 * @cssprop [--oidc-panel-shadow=0 0.25em 1.5em rgb(0 0 0 / 0.08)] - The shadow of the sections.
 * @cssprop [--oidc-accent-color=light-dark(#1d4fb8, #9dbdff)] - The background of the main buttons.
 * @cssprop [--oidc-on-accent-color=light-dark(#fff, #10192b)] - The text of the main buttons.
 * @cssprop [--oidc-error-color=light-dark(#a3120a, #ffb3ab)] - The text of errors.
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
 * @cssprop [--auth-link-color=var(--oidc-accent-color)] - The text of links. The default is darker on a light page,
 * and lighter on a dark one, if that makes it readable.
 * @cssprop [--auth-danger-color=var(--oidc-error-color)] - The background of buttons that destroy
 * something, and the text of those without a background.
 * @cssprop [--auth-on-danger-color=light-dark(#fff, #10192b)] - The text of a destructive button on
 *   that background.
 * @cssprop [--auth-success-color=var(--auth-link-color)] - The mark of a success.
 * @cssprop [--auth-error-background=color-mix(in srgb, var(--oidc-error-color) 9%, transparent)] - The
 * background of the box around an error.
 * @cssprop [--auth-error-border=1px solid color-mix(in srgb, var(--oidc-error-color) 40%, transparent)] -
 * The border of the box around an error.
 * @cssprop [--auth-error-border-radius=min(var(--oidc-border-radius), 0.75em)] - The corners of the
 *   box around an error.
 * @cssprop [--auth-control-block-size=2.75em] - The minimum height of buttons and fields.
 * @cssprop [--auth-field-border-radius=var(--oidc-border-radius)] - The corners of fields.
 * @cssprop [--auth-panel-border-radius=min(var(--oidc-border-radius) * 2, 1.5em)] - The corners of the
 * sections.
 * @cssprop [--auth-separator=1px solid color-mix(in srgb, currentcolor 15%, transparent)] - The lines
 * between devices, and between addresses.
 * @cssprop [--auth-badge-background=color-mix(in srgb, var(--oidc-accent-color) 15%, transparent)] -
 * The background of the mark of this device.
 * @cssprop [--auth-font-family=inherit] - The font. Default: the page's, or the system's if the page
 * has none.
 * @cssprop [--auth-font-size=inherit] - The size of the text. All sizes follow it.
 * @cssprop [--auth-heading-font-family=inherit] - The font of headings.
 * @cssprop [--auth-heading-font-weight=700] - The weight of headings.
 *
 * @cssstate idle - No client is set, or the user has signed out.
 * @cssstate loading - The account or a section is being loaded.
 * @cssstate ready - Waiting for user input.
 * @cssstate busy - An operation is in progress, or a question or the dialog is open.
 * @cssstate error - An operation failed. The user can try again.
 */
export class MatrixAccountElement extends AuthElement {
  static override readonly tag: string = "matrix-account";

  static override properties: PropertyDeclarations = {
    client: { attribute: false },
    session: { attribute: false },
    sections: {},
  };

  static override styles: CSSResultGroup = [sharedStyles, panelStyles];

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
   * The sections to show, in order: `profile`, `devices`, `password`, `contacts`, `deactivation`.
   * Default: all sections that the homeserver supports.
   */
  declare sections: string | undefined;

  readonly #part = new LazyController(this, loadMatrixAccount, MatrixAccountErrorEvent);

  /** The element's current state. */
  get state(): MatrixAccountState {
    if (this.#part.error) return "error";
    return this.#part.value?.publicState ?? (this.client || this.session ? "loading" : "idle");
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
   * Loads or reloads the account, and keeps the user's input. Resolves when loading has succeeded
   * or failed.
   */
  async refresh(): Promise<void> {
    await (await this.#part.load())?.load();
  }

  /**
   * Cancels the current operation and closes the dialog. The forms keep the user's input, except
   * passwords. If the homeserver carries out the operation anyway, the element shows and reports it.
   */
  cancel(): void {
    this.#part.value?.cancel();
  }

  protected override willUpdate(): void {
    if (!isInPage()) return;
    if (!this.hasUpdated) {
      void this.#part.load();
      loadSkeleton().then(
        () => this.requestUpdate(),
        () => undefined,
      );
    }
    // Setting a client before the code is loaded also changes the state.
    if (!this.#part.value) this.stateChanged();
  }

  override render(): unknown {
    // Server-side rendering doesn't know whether there is a client.
    const isKnown = this.state === "loading" && !this.isHydrating;
    const frames = (isKnown && loadSkeleton.loaded?.renderFrames(this)) || nothing;
    const frame = html`<div part="panel" class="account">
      <slot name="heading"></slot>
      ${frames}
    </div>`;
    return this.#part.render(frame);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "matrix-account": MatrixAccountElement;
  }
}
