import "../../ui/import-lit.js";
import type { ContextConsumer } from "@lit/context";
import { type CSSResultGroup, nothing, type PropertyDeclarations, type PropertyValues } from "lit";
import { type AuthClient, authClientContext } from "../../context/auth-client.js";
import { followContext } from "../../context/root.js";
import type { UiaSession } from "../../context/uia-session.js";
import type { AuthDict, IInputs, UIAuthCallback } from "../../core/index.js";
import { UiaError } from "../../core/uia/errors.js";
import { UiaErrorEvent } from "../../events/uia.js";
import { AuthElement, isTrue } from "../../ui/element.js";
import { LazyController, lazyPart } from "../../ui/loading.js";
import { isInPage, whenIdle, whenRemoved } from "../../ui/page.js";
import { sharedStyles } from "../../ui/styles.js";
import { UiaFallbackFrameElement } from "../uia-fallback-frame/uia-fallback-frame.js";
import { takeCall } from "./call.js";
import type { DialogController, UiaDialogState } from "./controller.js";
import type {
  AuthenticateOptions,
  DialogCall,
  DoRequest,
  LoadCaptcha,
  RequestEmailToken,
  RequestPhoneToken,
  Resumption,
} from "./options.js";

const loadDialog = /* @__PURE__ */ lazyPart(() => import("./view.js"));

/**
 * A dialog that guides a user through User-Interactive Authentication. It opens when the homeserver
 * requires a stage for a protected request, and closes when the request has succeeded.
 *
 * @summary Confirm who you are (User-Interactive Authentication).
 * @tag uia-dialog
 *
 * @slot heading - Replaces the heading.
 * @slot description - A description of the request.
 * @slot error - Replaces the message of an error that doesn't belong to a field.
 * @slot error-(errcode) - Replaces the message of such an error with this code, such as
 * `error-M_UNKNOWN`.
 * @slot actions - Additional buttons, before the dialog's buttons.
 * @slot (stage) - Replaces the stage with this type: `<form slot="m.login.password">`.
 *
 * @fires {UiaStateUpdatedEvent} uia-state-updated - Fires when the stage or its status changes.
 * @fires {UiaBusyChangedEvent} uia-busy-changed - Fires when the user starts or stops waiting for a
 * server.
 * @fires {UiaDoRequestEvent} uia-do-request - Without `doRequest`, fires for each attempt of the
 * request. Respond with `respondWith()`.
 * @fires {UiaRequestEmailTokenEvent} uia-request-email-token - Without `requestEmailToken`, fires
 * when an email must be requested. Respond with `respondWith()`.
 * @fires {UiaRequestPhoneTokenEvent} uia-request-phone-token - Without `requestPhoneToken`, fires
 * when a text message must be requested. Respond with `respondWith()`.
 * @fires {UiaSuccessEvent} uia-success - Fires when the request has succeeded.
 * @fires {UiaCancelEvent} uia-cancel - Fires before the dialog is cancelled. Call
 * `preventDefault()` to keep it open.
 * @fires {UiaErrorEvent} uia-error - Fires when the request has failed.
 * @fires {Event} statechange - Fires when `state` changes.
 *
 * @csspart dialog - The dialog, with its `::backdrop`.
 * @csspart heading - The heading.
 * @csspart progress - The progress, such as "Step 2 of 3".
 * @csspart description - The description.
 * @csspart stage - The stage. The stage's type is also a part, such as `m-login-password`.
 * @csspart instruction - The instruction for the user.
 * @csspart error - An error that doesn't belong to a field.
 * @csspart notice - A message that isn't an error.
 * @csspart other - A secondary button of the stage, such as "Resend".
 * @csspart actions - The row of buttons.
 * @csspart submit - The button that continues.
 * @csspart cancel - The button that cancels.
 * @csspart spinner - The spinner during a request.
 * @csspart open - The button that opens the homeserver's page.
 * @csspart finished - The button that confirms that the stage is finished.
 * @csspart link - The link to a page whose popup was blocked.
 * @csspart text - The status text of the homeserver's page.
 * @csspart host - The host of the page's URL.
 * @csspart user - The user ID, if available.
 * @csspart initial - The initial of the user's name.
 *
 * @cssprop [--uia-accent-color=var(--oidc-accent-color)] - The button's background.
 * @cssprop [--uia-on-accent-color=var(--oidc-on-accent-color)] - The button's text.
 * @cssprop [--uia-error-color=var(--oidc-error-color)] - The text of errors.
 * @cssprop [--uia-on-error-color=light-dark(#fff, #10192b)] - The text of a destructive button.
 * @cssprop [--uia-background=light-dark(Canvas, #1d2129)] - The dialog's background.
 * @cssprop [--uia-color=CanvasText] - The dialog's text.
 * @cssprop [--uia-border-radius=var(--oidc-border-radius)] - The corners. The radius of the
 * dialog's corners is doubled.
 * @cssprop [--uia-gap=var(--oidc-gap)] - The space between parts.
 * @cssprop [--uia-inline-size=26em] - The dialog's width, if there is room.
 * @cssprop [--uia-field-background=light-dark(Field, rgb(255 255 255 / 0.06))] - The background of
 * fields.
 * @cssprop [--uia-field-color=FieldText] - The text of fields.
 * @cssprop [--uia-field-border=1px solid color-mix(in srgb, currentcolor 55%, transparent)] - The
 * border of fields.
 * @cssprop [--uia-field-padding=0.5em 0.75em] - The space inside fields.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--uia-accent-color)] - The outline of the focused
 * element.
 * @cssprop [--auth-link-color=var(--uia-accent-color)] - The text of links. The default is darker on a light page,
 * and lighter on a dark one, if that makes it readable.
 * @cssprop [--auth-danger-color=var(--uia-error-color)] - The background of buttons that destroy
 * something, and the text of those without a background.
 * @cssprop [--auth-on-danger-color=var(--uia-on-error-color)] - The text of a destructive button on
 *   that background.
 * @cssprop [--auth-error-background=color-mix(in srgb, var(--uia-error-color) 9%, transparent)] - The
 * background of the box around an error.
 * @cssprop [--auth-error-border=1px solid color-mix(in srgb, var(--uia-error-color) 40%, transparent)] -
 * The border of the box around an error.
 * @cssprop [--auth-error-border-radius=min(var(--uia-border-radius), 0.75em)] - The corners of the
 *   box around an error.
 * @cssprop [--auth-control-block-size=2.75em] - The minimum height of buttons and fields.
 * @cssprop [--auth-field-border-radius=var(--uia-border-radius)] - The corners of fields.
 * @cssprop [--auth-panel-border-radius=min(var(--uia-border-radius) * 2, 1.5em)] - The corners of the
 * dialog.
 * @cssprop [--auth-font-family=inherit] - The font. Default: the page's, or the system's if the page
 * has none.
 * @cssprop [--auth-font-size=inherit] - The size of the text. All sizes follow it.
 * @cssprop [--auth-heading-font-family=inherit] - The font of headings.
 * @cssprop [--auth-heading-font-weight=700] - The weight of headings.
 *
 * @cssstate idle - No request is in progress.
 * @cssstate busy - A server is processing a request.
 * @cssstate awaiting-input - Waiting for user input.
 * @cssstate error - A server couldn't be reached. The user can try again.
 */
export class UiaDialogElement extends AuthElement {
  static override readonly tag: string = "uia-dialog";

  static override properties: PropertyDeclarations = {
    client: { attribute: false },
    doRequest: { attribute: false },
    requestEmailToken: { attribute: false },
    requestPhoneToken: { attribute: false },
    loadCaptcha: { attribute: false },
    inputs: { attribute: false },
    supportedStages: { attribute: false },
    userId: {},
    sessionId: {},
    clientSecret: {},
    emailSid: {},
    pollInterval: { type: Number },
    heading: {},
    submitLabel: {},
    destructive: { converter: isTrue },
    open: { type: Boolean, reflect: true, converter: isTrue },
  };

  static override styles: CSSResultGroup = sharedStyles;

  /** The client to use. Default: the client of the context. */
  declare client: AuthClient | undefined;
  /** Sends the protected request. Default: the listener of `uia-do-request`. */
  declare doRequest: DoRequest | undefined;
  /** Requests an email. Default: the listener of `uia-request-email-token`. */
  declare requestEmailToken: RequestEmailToken | undefined;
  /** Requests a text message. Default: the listener of `uia-request-phone-token`. */
  declare requestPhoneToken: RequestPhoneToken | undefined;
  /** Loads a captcha's script. If unset, the homeserver's page shows the captcha. */
  declare loadCaptcha: LoadCaptcha | undefined;
  /** Inputs for the stages. They determine the flow, and are submitted for its stages. */
  declare inputs: IInputs | undefined;
  /**
   * The stages to show in the dialog. Others open the homeserver's page. Default: all stages with a
   * view.
   */
  declare supportedStages: readonly string[] | undefined;
  /**
   * The user who confirms the request. Default: the client's user. The password form appears when
   * the user ID is available.
   */
  declare userId: string | undefined;
  /**
   * A UIA session to resume. If its email stage had started, also set `clientSecret` and
   * `emailSid`.
   */
  declare sessionId: string | undefined;
  /** The client secret of the resumed session's email stage. */
  declare clientSecret: string | undefined;
  /** The `sid` of the resumed session's email validation. */
  declare emailSid: string | undefined;
  /** The interval for polling a stage that is completed elsewhere, in milliseconds. */
  declare pollInterval: number;
  /** The dialog's heading. Default: "Confirm it’s you". */
  declare heading: string | undefined;
  /** The label of the last step's button, such as "Sign out device". Default: "Continue". */
  declare submitLabel: string | undefined;
  /** Whether that button is red, for requests that delete something. */
  declare destructive: boolean;
  /** Whether the dialog is open. True starts an attempt, false cancels it. */
  declare open: boolean;

  readonly #part = new LazyController(this, loadDialog);
  /** The calls that wait for the code, with their outcomes. */
  readonly #waiting = new Map<DialogCall, Promise<unknown>>();
  /** The error of the last call, if its code could not be loaded. */
  #loadError: unknown;
  #context: ContextConsumer<typeof authClientContext, UiaDialogElement> | undefined;
  /** The UIA session to resume, and the homeserver that it belongs to. */
  #resumed: { readonly session: string; readonly homeserver: unknown } | undefined;

  static override define(tag?: string, registry?: CustomElementRegistry): void {
    super.define(tag, registry);
    UiaFallbackFrameElement.define(undefined, registry);
  }

  constructor() {
    super();
    this.pollInterval = 5000;
    this.open = false;
    this.destructive = false;
  }

  /**
   * A callback for any `bootstrapCrossSigning` function. It belongs to the dialog's account at the
   * time that you read it. If the dialog's account changes later, the callback rejects with
   * `account_mismatch`.
   */
  get authUploadDeviceSigningKeys(): UIAuthCallback<void> {
    const given = takeCall(this, this.#currentClient, {}, {});
    return (doRequest) => this.#call(this.#take({ doRequest }), given) as Promise<void>;
  }

  /** The dialog's current state. */
  get state(): UiaDialogState {
    return this.#waiting.size > 0 ? "busy" : (this.#part.value?.publicState ?? "idle");
  }

  /** The current UIA session for views; `undefined` while no stage is required. */
  get session(): UiaSession | undefined {
    return this.#part.value?.session;
  }

  /** The value the last request resolved to. */
  get result(): unknown {
    return this.#part.value?.result;
  }

  /** The reason the last request was rejected with. */
  get error(): unknown {
    return this.#loadError ?? this.#part.value?.error;
  }

  /**
   * Calls `doRequest`, and guides the user through the stages that the homeserver requires. While
   * an attempt with the same `doRequest` and account is in progress, it returns the same promise.
   *
   * @returns {Promise<T>} The result of the request.
   * @throws {UiaError} `cancelled`, `account_mismatch`, and the errors of
   *   `InteractiveAuth.attemptAuth()`.
   * @throws {LoginError} `user_elsewhere`: the password was not sent, because the server in the
   *   user ID has another homeserver.
   */
  attemptAuth<T = unknown>(): Promise<T> {
    return this.#call(this.#take({ key: this.doRequest || this })) as Promise<T>;
  }

  /**
   * Runs one protected request. Calls are queued. Each call uses the dialog's account at the time
   * of the call. A call with the same `key` and account as a pending one joins it. The request is
   * cancelled once the signals of all joined calls have aborted.
   *
   * @throws as `attemptAuth()`.
   */
  authenticate<T>(doRequest: DoRequest<T>, options: AuthenticateOptions = {}): Promise<T> {
    return this.#call(this.#take({ ...options, doRequest })) as Promise<T>;
  }

  /** Submits a stage's dictionary. For pages that show the stage themselves. */
  async submitAuthDict(authDict: AuthDict): Promise<void> {
    await this.session?.submit(authDict);
  }

  /** Checks whether a stage was completed elsewhere. */
  async poll(): Promise<void> {
    await this.session?.poll();
  }

  /** The ID of the homeserver's UIA session; `null` before the first response. */
  getSessionId(): string | null {
    return this.session?.sessionId ?? this.sessionId ?? null;
  }

  /** Cancels all running and waiting calls, unless a listener prevents `uia-cancel`. */
  cancel(reason?: unknown): void {
    this.#afterCalls((controller) => controller.cancel(reason));
  }

  /** If a call has opened the dialog, a page that renders its markup again can't cancel it by removing the attribute. */
  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    const isOpen = this.open && this.#current?.isOpened === false;
    if (name === "open" && value === null && isOpen) this.setAttribute(name, "");
    else super.attributeChangedCallback(name, old, value);
  }

  override connectedCallback(): void {
    // Render too, because a moved dialog is no longer open.
    super.connectedCallback();
    // Preload, so that a stage appears within one task of the homeserver's response, and that the page's
    // keys and pointers are watched.
    whenIdle(() => void this.#part.loadEarly());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // A call outside a document rejects.
    if (this.#current)
      whenRemoved(this, () => this.#afterCalls((controller) => controller.reset()));
  }

  override render(): unknown {
    // A call reports a failed load.
    return this.#part.value ? this.#part.render(nothing) : nothing;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (this.client) this.#resumption(this.client);
    if (changed.has("open") && isInPage()) {
      // Events also report the outcome.
      if (this.open && !this.#current) this.attemptAuth().catch(() => undefined);
      else if (changed.get("open")) this.cancel();
    }
  }

  get #currentClient(): AuthClient | undefined {
    this.#context ??= followContext(this, authClientContext);
    return this.client || this.#context.value;
  }

  /** The dialog's current settings, for a new call. */
  #take(options: AuthenticateOptions & { readonly doRequest?: DoRequest }): DialogCall {
    const client = options.client ?? this.#currentClient;
    const resumption = options.sessionId ? options : this.#resumption(client);
    return takeCall(this, client, resumption, options);
  }

  /**
   * The UIA session to resume. It belongs to the homeserver of the dialog's first client, and is
   * never sent to another homeserver.
   */
  #resumption(client: AuthClient | undefined): Resumption {
    const { sessionId, clientSecret, emailSid } = this;
    const session = [sessionId, clientSecret, emailSid].join("\n");
    const homeserver = client?.baseUrl ?? client;
    if (this.#resumed?.session !== session) this.#resumed = { session, homeserver };
    return this.#resumed.homeserver === homeserver ? { sessionId, clientSecret, emailSid } : {};
  }

  /** The call that runs, or waits for the code. */
  get #current(): DialogCall | undefined {
    const [waiting] = this.#waiting.keys();
    return waiting ?? this.#part.value?.current;
  }

  /** @param account A call with the account that this one must have, too. */
  #call(call: DialogCall, account?: DialogCall): Promise<unknown> {
    this.#loadError = undefined;
    const { value } = this.#part;
    if (value && this.#waiting.size === 0) return value.call(call, account);
    const [, same] = [...this.#waiting].find(([each]) => isRepeated(each, call)) ?? [];
    return same ?? this.#callOnceLoaded(call, account);
  }

  #callOnceLoaded(call: DialogCall, account?: DialogCall): Promise<unknown> {
    const outcome: Promise<unknown> = this.#part.load().then((controller) => {
      this.#waiting.delete(call);
      if (controller) return controller.call(call, account, outcome);
      const message = "Part of the library could not be loaded";
      const error = (this.#loadError = new UiaError("load_failed", message, this.#part.error));
      this.open = false;
      this.performUpdate();
      this.stateChanged();
      this.dispatchEvent(new UiaErrorEvent(error));
      throw error;
    });
    this.#waiting.set(call, outcome);
    this.stateChanged();
    return outcome;
  }

  /** Runs a function once the calls that wait for the code have started. */
  #afterCalls(run: (controller: DialogController) => void): void {
    if (this.#waiting.size > 0) void this.#part.load().then((value) => value && run(value));
    else if (this.#part.value) run(this.#part.value);
  }
}

/** Whether a call certainly joins an earlier one. */
const isRepeated = (earlier: DialogCall, call: DialogCall): boolean =>
  (["key", "client", "homeserver", "userId"] as const).every(
    (name) => earlier[name] === call[name],
  ) && !(earlier.signal ?? call.signal);

declare global {
  interface HTMLElementTagNameMap {
    "uia-dialog": UiaDialogElement;
  }
}
