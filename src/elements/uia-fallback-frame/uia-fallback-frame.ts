import "../../ui/import-lit.js";
import { type CSSResultGroup, nothing, type PropertyDeclarations } from "lit";
import type { AuthClient } from "../../context/auth-client.js";
import { AuthElement } from "../../ui/element.js";
import { LazyController, lazyPart } from "../../ui/loading.js";
import { sharedStyles } from "../../ui/styles.js";
import type { UiaFallbackState } from "./controller.js";

export const loadFallback = /* @__PURE__ */ lazyPart(() => import("./view.js"));

/**
 * Opens the homeserver's page for a stage in a popup, and reports when it is finished. The report
 * is only a hint. Inside a `<uia-dialog>`, the element then checks with the homeserver. Elsewhere,
 * your page must check.
 *
 * @summary Complete a stage on a page of the homeserver.
 * @tag uia-fallback-frame
 *
 * @slot - The label of the button that opens the page.
 * @slot messages - Shown above the buttons.
 * @slot actions - Additional buttons, before the element's buttons.
 *
 * @fires {UiaFallbackOpenEvent} uia-fallback-open - Fires before the page opens. Call
 * `preventDefault()` to open it yourself.
 * @fires {UiaFallbackDoneEvent} uia-fallback-done - Fires when the page or the user reports that
 * the stage is finished.
 * @fires {UiaFallbackCloseEvent} uia-fallback-close - Fires when the window was closed.
 * @fires {UiaFallbackBlockedEvent} uia-fallback-blocked - Fires when the browser blocked the popup.
 * @fires {Event} statechange - Fires when `state` changes.
 *
 * @csspart open - The button that opens the page.
 * @csspart finished - The button that confirms that the stage is finished.
 * @csspart link - The link to use if the popup was blocked.
 * @csspart text - The status text.
 * @csspart host - The host of the page's URL.
 * @csspart actions - The row of buttons.
 * @csspart frame - The frame, with `mode="frame"`.
 * @csspart error - The error if part of the library couldn't be loaded.
 * @csspart retry - The button that tries to load it again.
 *
 * @cssprop [--uia-accent-color=var(--oidc-accent-color)] - The button's background.
 * @cssprop [--uia-on-accent-color=var(--oidc-on-accent-color)] - The button's text.
 * @cssprop [--uia-error-color=var(--oidc-error-color)] - The text of errors.
 * @cssprop [--uia-border-radius=var(--oidc-border-radius)] - The corners.
 * @cssprop [--uia-gap=var(--oidc-gap)] - The space between parts.
 * @cssprop [--uia-frame-block-size=24em] - The height of the frame.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--uia-accent-color)] - The outline of the focused
 * element.
 * @cssprop [--auth-link-color=var(--uia-accent-color)] - The text of links. The default is darker on a light page,
 * and lighter on a dark one, if that makes it readable.
 * @cssprop [--auth-error-background=color-mix(in srgb, var(--uia-error-color) 9%, transparent)] - The
 * background of the box around an error.
 * @cssprop [--auth-error-border=1px solid color-mix(in srgb, var(--uia-error-color) 40%, transparent)] -
 * The border of the box around an error.
 * @cssprop [--auth-error-border-radius=min(var(--uia-border-radius), 0.75em)] - The corners of the
 *   box around an error.
 * @cssprop [--auth-control-block-size=2.75em] - The minimum height of the buttons.
 * @cssprop [--auth-font-family=inherit] - The font. Default: the page's, or the system's if the page
 * has none.
 * @cssprop [--auth-font-size=inherit] - The size of the text. All sizes follow it.
 *
 * @cssstate idle - The page hasn't been opened yet.
 * @cssstate open - The page is open.
 * @cssstate blocked - The browser blocked the popup.
 * @cssstate done - The page or the user reported that the stage is finished.
 */
export class UiaFallbackFrameElement extends AuthElement {
  static override readonly tag: string = "uia-fallback-frame";

  static override properties: PropertyDeclarations = {
    stage: {},
    session: {},
    homeserver: {},
    client: { attribute: false },
    mode: {},
    url: {},
    allowedOrigins: { attribute: false },
  };

  static override styles: CSSResultGroup = sharedStyles;

  /** The stage's type. Default: the stage of the surrounding `<uia-dialog>`. */
  declare stage: string | undefined;
  /**
   * The ID of the homeserver's UIA session. Default: the session of the surrounding `<uia-dialog>`. Without it, the button
   * is disabled, unless `url` is set.
   */
  declare session: string | undefined;
  /** The homeserver's base URL. Required only if there is no client. */
  declare homeserver: string | undefined;
  /**
   * The client to use. Default: the client of the surrounding `<uia-dialog>`, or of the context.
   */
  declare client: AuthClient | undefined;
  /**
   * `popup` (default): open the page in a popup. `frame`: show it inline, for homeservers that
   * allow it.
   */
  declare mode: "popup" | "frame" | undefined;
  /** The page's URL. If unset, the homeserver's page for the stage. */
  declare url: string | undefined;
  /** Additional origins that can report completion, if the page redirects to them. */
  declare allowedOrigins: readonly string[] | undefined;

  readonly #part = new LazyController(this, loadFallback);

  /** The element's current state. */
  get state(): UiaFallbackState {
    return this.#part.value?.publicState ?? "idle";
  }

  /** Opens the page. Call it in a click handler, otherwise browsers block the popup. */
  open(): void {
    const { value } = this.#part;
    if (value) value.open();
    // If loading this takes longer than the browser allows after a click, a link to the page is shown.
    else if (this.isConnected) void this.#openOnceLoaded();
  }

  async #openOnceLoaded(): Promise<void> {
    const controller = await this.#part.load();
    // An earlier call might have opened it.
    if (this.isConnected && this.state === "idle") controller?.open();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#part.load();
  }

  override render(): unknown {
    return this.#part.render(nothing);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "uia-fallback-frame": UiaFallbackFrameElement;
  }
}
