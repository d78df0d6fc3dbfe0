import { type CSSResultGroup, nothing, type PropertyDeclarations } from "lit";
import { attachContextRoot, type AuthClient } from "../../context/auth-client.js";
import { AuthElement } from "../../ui/element.js";
import { LazyController, lazyPart, type Load, renderLoadError } from "../../ui/lazy.js";
import { sharedStyles } from "../../ui/styles.js";
import type * as FallbackPart from "./lazy/controller.js";
import type { UiaFallbackState } from "./lazy/controller.js";

export const loadFallback: Load<typeof FallbackPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/controller.js"),
);

/**
 * Opens the homeserver's page for a stage in a popup and reports when it is finished. That report
 * is only a hint: inside a `<uia-dialog>` the element then asks the homeserver; elsewhere the listening page
 * has to ask.
 *
 * @summary Complete a stage on a page of the homeserver.
 * @tag uia-fallback-frame
 *
 * @slot - The label of the button that opens the page.
 * @slot messages - Shown above the buttons.
 * @slot actions - Further buttons, before the element's own.
 *
 * @fires {UiaFallbackOpenEvent} uia-fallback-open - Before the page is opened. Cancelable: the listener opens it.
 * @fires {UiaFallbackDoneEvent} uia-fallback-done - The page or the user says that the stage is finished.
 * @fires {UiaFallbackCloseEvent} uia-fallback-close - The window was closed.
 * @fires {UiaFallbackBlockedEvent} uia-fallback-blocked - The browser blocked the popup.
 * @fires {Event} statechange - `state` has changed.
 *
 * @csspart open - The button that opens the page.
 * @csspart finished - The button with which the user says that the stage is finished.
 * @csspart link - The link to use if the popup was blocked.
 * @csspart text - The text about the page.
 * @csspart host - The host of the page's URL.
 * @csspart actions - The row of buttons.
 * @csspart frame - The frame, with `mode="frame"`.
 * @csspart error - Says that a part of the library could not be loaded.
 * @csspart retry - The button that then tries again.
 *
 * @cssprop [--uia-accent-color=var(--oidc-accent-color)] - The button's background, and links.
 * @cssprop [--uia-on-accent-color=var(--oidc-on-accent-color)] - The button's text.
 * @cssprop [--uia-error-color=var(--oidc-error-color)] - The text of errors.
 * @cssprop [--uia-border-radius=var(--oidc-border-radius)] - Corners.
 * @cssprop [--uia-gap=var(--oidc-gap)] - The space between parts.
 * @cssprop [--uia-frame-block-size=24em] - The height of the frame.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--uia-accent-color)] - The outline of the focused element.
 *
 * @cssstate idle - The page has not been opened yet.
 * @cssstate open - The page is open.
 * @cssstate blocked - The browser blocked the popup.
 * @cssstate done - The page or the user said that the stage is finished.
 */
export class UiaFallbackFrameElement extends AuthElement {
  static override readonly tag: string = "uia-fallback-frame";
  /** @ignore */
  static override shadowRootOptions: ShadowRootInit = {
    ...AuthElement.shadowRootOptions,
    delegatesFocus: true,
  };

  static override get properties(): PropertyDeclarations {
    return {
      stage: {},
      session: {},
      homeserver: {},
      client: { attribute: false },
      mode: {},
      url: {},
      allowedOrigins: { attribute: false },
    };
  }

  static override get styles(): CSSResultGroup {
    return sharedStyles;
  }

  /** The stage's type. Default: that of the `<uia-dialog>` around it. */
  declare stage: string | undefined;
  /** The homeserver's session. Default: that of the `<uia-dialog>` around it. */
  declare session: string | undefined;
  /** The homeserver's base URL, if there is no client. */
  declare homeserver: string | undefined;
  /** The client in use. Default: that of the `<uia-dialog>` around it, or the context's. */
  declare client: AuthClient | undefined;
  /** `popup` (default): in a popup. `frame`: inline, for homeservers that allow it. */
  declare mode: "popup" | "frame" | undefined;
  /** The page's URL, if it is not the homeserver's own page for the stage. */
  declare url: string | undefined;
  /** Further origins that may report completion, if the page leads elsewhere. */
  declare allowedOrigins: readonly string[] | undefined;

  readonly #fallback = new LazyController(
    this,
    loadFallback,
    ({ FallbackController }) => new FallbackController(this),
  );
  /** @internal */
  opensOnceLoaded = false;

  static override define(tag?: string, registry?: CustomElementRegistry): void {
    attachContextRoot();
    super.define(tag, registry);
  }

  /** The state of the page. */
  get state(): UiaFallbackState {
    return this.#fallback.value?.state ?? "idle";
  }

  /** Opens the page. Call it while handling a click, or browsers block the popup. */
  open(): void {
    const { value } = this.#fallback;
    if (value) value.open();
    else this.opensOnceLoaded = this.isConnected;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#fallback.load();
  }

  override render(): unknown {
    if (this.#fallback.error) {
      return renderLoadError(this.localize, () => void this.#fallback.load());
    }
    return this.#fallback.value?.render() ?? nothing;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "uia-fallback-frame": UiaFallbackFrameElement;
  }
}
