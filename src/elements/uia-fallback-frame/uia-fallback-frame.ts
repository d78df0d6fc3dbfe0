import { nothing, type PropertyDeclarations } from "lit";
import type { AuthClient } from "../../context/auth-client.js";
import { AuthElement } from "../shared/auth-element.js";
import { renderLoadFailed } from "../shared/load-failed.js";
import { loadFallback } from "../shared/load.js";
import { LocalizeController } from "../shared/localize.js";
import type { FallbackPageController } from "./fallback-page-controller.js";

/** Where the fallback page stands; also a `:state()` of the element. */
export type UiaFallbackState = "idle" | "open" | "blocked" | "done";

/**
 * Opens the homeserver's page for a stage, in a window of its own, and tells when it is finished. The
 * page's word is a hint: inside a `<uia-dialog>` the homeserver is asked; elsewhere the page that
 * listens asks.
 *
 * @summary A stage on a page of the homeserver's.
 * @tag uia-fallback-frame
 *
 * @slot - The label of the button that opens the page.
 *
 * @fires {UiaFallbackOpenEvent} uia-fallback-open - Before the page is opened. Cancelable: the listener opens it.
 * @fires {UiaFallbackDoneEvent} uia-fallback-done - The page, or the person, says that it is finished.
 * @fires {UiaFallbackCloseEvent} uia-fallback-close - The window was closed.
 * @fires {UiaFallbackBlockedEvent} uia-fallback-blocked - The browser did not let the window open.
 *
 * @csspart open - The button that opens the page.
 * @csspart finished - The button that says it is finished.
 * @csspart link - The link to a page that was kept from opening.
 * @csspart text - What is said of it.
 * @csspart frame - The frame, with `mode="frame"`.
 * @csspart error - Says that a part of the library could not be loaded.
 *
 * @cssprop [--uia-accent-color=var(--oidc-accent-color)] - The button's background, and links.
 * @cssprop [--uia-on-accent-color=var(--oidc-on-accent-color)] - The button's text.
 * @cssprop [--uia-error-color=var(--oidc-error-color)] - The text of errors.
 * @cssprop [--uia-border-radius=var(--oidc-border-radius)] - Corners.
 * @cssprop [--uia-gap=var(--oidc-gap)] - The space between parts.
 * @cssprop [--uia-frame-block-size=24em] - The height of the frame.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--uia-accent-color)] - The outline of what has the focus.
 *
 * @cssstate idle - The page was not opened yet.
 * @cssstate open - The page is open.
 * @cssstate blocked - The browser did not let it open.
 * @cssstate done - The page, or the person, said that it is finished.
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

  /** The stage's type. Default: that of the `<uia-dialog>` around it. */
  declare stage: string | undefined;
  /** The homeserver's session. Default: that of the `<uia-dialog>` around it. */
  declare session: string | undefined;
  /** The base URL of the homeserver, where there is no client. */
  declare homeserver: string | undefined;
  /** The client in use. Default: that of the `<uia-dialog>` around it, or the context's. */
  declare client: AuthClient | undefined;
  /** `popup` (default): a window of its own. `frame`: for homeservers that allow it. */
  declare mode: "popup" | "frame" | undefined;
  /** The address of the page, where it is another than the homeserver's for this stage. */
  declare url: string | undefined;
  /** Further origins that the page may speak from, where it leads elsewhere. */
  declare allowedOrigins: readonly string[] | undefined;

  /** @internal */
  readonly localize = new LocalizeController(this);
  /** Null where it could not be loaded. */
  #page: FallbackPageController | null | undefined;

  /** Where the page stands. */
  get state(): UiaFallbackState {
    return this.#page?.state ?? "idle";
  }

  /** Opens the page; to be called while a click is dealt with, or browsers block the window. */
  open(): void {
    this.#page?.open();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.#page) void this.#load();
  }

  override render(): unknown {
    if (this.#page === null) return renderLoadFailed(this.localize);
    return this.#page?.render() ?? nothing;
  }

  protected override willUpdate(): void {
    this.showState(this.state);
  }

  async #load(): Promise<void> {
    const part = await loadFallback().catch(() => undefined);
    this.#page ??= part ? new part.FallbackPageController(this) : null;
    this.requestUpdate();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "uia-fallback-frame": UiaFallbackFrameElement;
  }
}
