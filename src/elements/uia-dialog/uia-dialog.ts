import { nothing, type PropertyDeclarations, type PropertyValues } from "lit";
import type { AuthClient } from "../../context/auth-client.js";
import type { UiaSession } from "../../context/uia-session.js";
import type { AuthDict, IInputs, UIAuthCallback } from "../../core/index.js";
import { UiaError } from "../../core/uia/errors.js";
import { UiaCancelEvent, UiaErrorEvent, UiaSuccessEvent } from "../../events/uia.js";
import { AuthElement, copiesIn, isTrue } from "../../ui/element.js";
import { lazyPart, type Load } from "../../ui/lazy.js";
import { isInPage, whenIdle } from "../../ui/page.js";
import { whenRemoved } from "../../ui/turn.js";
import { UiaFallbackFrameElement } from "../uia-fallback-frame/uia-fallback-frame.js";
import type * as DialogPart from "./lazy/controller.js";
import type { DialogController } from "./lazy/controller.js";
import type {
  AuthenticateOptions,
  DialogCall,
  DialogSettings,
  DoRequest,
  LoadCaptcha,
  RequestEmailToken,
  RequestPhoneToken,
  UiaDialogState,
} from "./lazy/host.js";

/** Loads it ahead of its use: that this failed is nobody's error yet. */
export const preloadDialog: Load<typeof DialogPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/controller.js"),
);

/**
 * Loads everything of `<uia-dialog>` that is not needed for the first paint.
 *
 * @throws {UiaError} `load_failed`
 */
export const loadDialog: typeof preloadDialog = () =>
  preloadDialog().catch((cause: unknown) => {
    throw new UiaError("load_failed", "Part of this page couldn’t be loaded.", cause);
  });

/**
 * A dialog that leads a user through User-Interactive Authentication: it opens when a protected
 * request is answered with a stage, and closes once the request has succeeded.
 *
 * @summary Confirm who you are (User-Interactive Authentication).
 * @tag uia-dialog
 *
 * @slot heading - Replaces the heading.
 * @slot description - The page's own description of what is required.
 * @slot error - Replaces the text of an error that belongs to no field.
 * @slot error-(errcode) - Replaces the text of such an error with this code, such as `error-M_UNKNOWN`.
 * @slot actions - Further buttons, before the dialog's own.
 * @slot (stage) - Replaces a stage, by its type: `<form slot="m.login.password">`.
 *
 * @fires {UiaStateUpdatedEvent} uia-state-updated - The homeserver asks for a stage, or its status has changed.
 * @fires {UiaBusyChangedEvent} uia-busy-changed - The user starts or stops waiting for a server.
 * @fires {UiaDoRequestEvent} uia-do-request - Without `doRequest`: the page makes the request and responds with `respondWith()`.
 * @fires {UiaRequestEmailTokenEvent} uia-request-email-token - Without `requestEmailToken`: the page has a message sent.
 * @fires {UiaRequestPhoneTokenEvent} uia-request-phone-token - Without `requestPhoneToken`: the page has a code sent.
 * @fires {UiaSuccessEvent} uia-success - The request succeeded.
 * @fires {UiaCancelEvent} uia-cancel - About to be cancelled. Cancelable: the dialog then stays open.
 * @fires {UiaErrorEvent} uia-error - The request failed.
 * @fires {Event} statechange - `state` has changed.
 *
 * @csspart dialog - The dialog, with its `::backdrop`.
 * @csspart heading - The heading.
 * @csspart progress - "Step 2 of 3".
 * @csspart description - The description.
 * @csspart stage - The stage; also a part by its type, such as `m-login-password`.
 * @csspart instruction - What the user is asked to do.
 * @csspart error - What went wrong, if it belongs to no field.
 * @csspart notice - A message that is not an error, in the same place.
 * @csspart other - A button beside the stage, such as "Resend".
 * @csspart actions - The row of buttons.
 * @csspart submit - The button that continues.
 * @csspart cancel - The button that cancels.
 * @csspart spinner - Turns while a request is in progress.
 * @csspart open - As of `<uia-fallback-frame>`: the button that opens the homeserver's page.
 * @csspart finished - As there: the button that says it is finished.
 * @csspart link - As there: the link to a page whose popup was blocked.
 * @csspart text - As there: the text about it.
 * @csspart host - As there: the host of the page's URL.
 * @csspart user - Who confirms, if that is known.
 * @csspart initial - The initial of the user's name, in place of a picture.
 *
 * @cssprop [--uia-accent-color=var(--oidc-accent-color)] - The button's background, and links.
 * @cssprop [--uia-on-accent-color=var(--oidc-on-accent-color)] - The button's text.
 * @cssprop [--uia-error-color=var(--oidc-error-color)] - The text of errors, and the background of a destructive button.
 * @cssprop [--uia-on-error-color=light-dark(#fff, #10192b)] - The text of a destructive button.
 * @cssprop [--uia-background=light-dark(Canvas, #1d2129)] - The dialog's background.
 * @cssprop [--uia-color=CanvasText] - The dialog's text.
 * @cssprop [--uia-border-radius=var(--oidc-border-radius)] - Corners; the dialog's are twice as round.
 * @cssprop [--uia-gap=var(--oidc-gap)] - The space between parts.
 * @cssprop [--uia-inline-size=26em] - The dialog's width, if there is room.
 * @cssprop [--uia-field-background=light-dark(Field, rgb(255 255 255 / 0.06))] - The background of fields.
 * @cssprop [--uia-field-color=FieldText] - The text of fields.
 * @cssprop [--uia-field-border=1px solid color-mix(in srgb, currentcolor 55%, transparent)] - The border of fields.
 * @cssprop [--uia-field-padding=0.5em 0.75em] - The space inside fields.
 * @cssprop [--oidc-button-padding=0.5em 1.25em] - The space inside the buttons.
 * @cssprop [--oidc-button-font-weight=600] - The weight of the buttons' text.
 * @cssprop [--oidc-focus-ring=3px solid var(--uia-accent-color)] - The outline of the focused element.
 *
 * @cssstate idle - Nothing is going on.
 * @cssstate busy - A server is processing a request.
 * @cssstate awaiting-input - It is the user's turn.
 * @cssstate error - A server could not be reached; the user may try again.
 */
export class UiaDialogElement extends AuthElement implements DialogSettings {
  static override readonly tag: string = "uia-dialog";

  static override get properties(): PropertyDeclarations {
    return {
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
  }

  /** The client to use. Default: the one that the context provides. */
  declare client: AuthClient | undefined;
  /** Makes the protected request. Default: the listener of `uia-do-request`. */
  declare doRequest: DoRequest | undefined;
  /** Has a verification message sent. Default: the listener of `uia-request-email-token`. */
  declare requestEmailToken: RequestEmailToken | undefined;
  /** Has a code sent to a phone. Default: the listener of `uia-request-phone-token`. */
  declare requestPhoneToken: RequestPhoneToken | undefined;
  /** Loads a captcha's script. Without it the homeserver's page shows the captcha. */
  declare loadCaptcha: LoadCaptcha | undefined;
  /** What the page already knows: it decides which flow is chosen, and is submitted for its stages. */
  declare inputs: IInputs | undefined;
  /** The stages to show here; others open the homeserver's page. Default: all that the dialog knows. */
  declare supportedStages: readonly string[] | undefined;
  /** The user whose password is required. Default: the client's user; the password form waits until that is known. */
  declare userId: string | undefined;
  /** A session to resume; with `clientSecret` and `emailSid` if its email stage had begun. */
  declare sessionId: string | undefined;
  /** The secret that the resumed session's email stage was begun with. */
  declare clientSecret: string | undefined;
  /** The `sid` of the resumed session's email validation. */
  declare emailSid: string | undefined;
  /** How often to ask about a stage that is completed elsewhere, in milliseconds. */
  declare pollInterval: number;
  /** The dialog's heading. Default: "Confirm it’s you". */
  declare heading: string | undefined;
  /** The label of the button that completes the request, such as "Sign out device". Default: "Continue". */
  declare submitLabel: string | undefined;
  /** Whether that button is red, because the request destroys something. */
  declare destructive: boolean;
  /** Whether the dialog is open. Setting it starts or cancels an attempt. */
  declare open: boolean;

  #controller: DialogController | undefined;
  #running: Promise<unknown> | undefined;
  #abort = new AbortController();
  #dismissing = false;
  readonly #calls = new Map<unknown, Promise<unknown>>();
  #result: unknown;
  #error: unknown;

  /** Can be handed to any `bootstrapCrossSigning` as it is. */
  readonly authUploadDeviceSigningKeys: UIAuthCallback<void> = (makeRequest) =>
    this.authenticate(makeRequest);

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

  /** What the dialog does. */
  get state(): UiaDialogState {
    return this.#controller?.state ?? (this.#running ? "busy" : "idle");
  }

  /** The running authentication, as views see it; undefined while no stage is required. */
  get session(): UiaSession | undefined {
    return this.#controller?.session;
  }

  /** What the last request resolved with. */
  get result(): unknown {
    return this.#result;
  }

  /** What the last request was rejected with. */
  get error(): unknown {
    return this.#error;
  }

  /**
   * Makes the request that `doRequest` stands for, and leads the user through what the homeserver
   * asks for. While one is running, it returns the same promise.
   *
   * @returns {Promise<T>} What the request resolves with.
   * @throws {UiaError} `cancelled`, and what `InteractiveAuth.attemptAuth()` throws.
   */
  attemptAuth<T = unknown>(): Promise<T> {
    return (this.#running ?? this.#start({})) as Promise<T>;
  }

  /**
   * Carries out one protected operation; the next waits until it has ended, one with the same `key` is the same.
   *
   * @throws as `attemptAuth()`.
   */
  authenticate<T>(doRequest: DoRequest<T>, options: AuthenticateOptions = {}): Promise<T> {
    const { key = {} } = options;
    const call = this.#calls.get(key) ?? this.#next({ ...options, key, doRequest });
    this.#calls.set(key, call);
    return call as Promise<T>;
  }

  /** Submits what a stage asks for; for pages that show the stage themselves. */
  async submitAuthDict(authDict: AuthDict): Promise<void> {
    await this.session?.submit(authDict);
  }

  /** Asks whether a stage was completed elsewhere. */
  async poll(): Promise<void> {
    await this.session?.poll();
  }

  /** The homeserver's session; null before its first response. */
  getSessionId(): string | null {
    return this.session?.sessionId ?? this.sessionId ?? null;
  }

  /** Cancels, unless a listener prevents `uia-cancel`. */
  cancel(reason?: unknown): void {
    if (!this.#running || this.#dismissing || this.#abort.signal.aborted) return;
    this.#dismissing = true;
    const agreed = this.dispatchEvent(new UiaCancelEvent({ reason }));
    this.#dismissing = false;
    if (agreed) this.#abort.abort(reason);
    else if (this.#controller) {
      this.open = this.#controller.isShown;
      this.requestUpdate();
    }
  }

  override connectedCallback(): void {
    // That renders too: a dialog that was moved is no longer open.
    super.connectedCallback();
    if (!this.#running) for (const form of copiesIn(this)) form.remove();
    // So that a stage can be shown within one task of the homeserver's response.
    whenIdle(() => void preloadDialog());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    const abort = this.#abort;
    whenRemoved(this, () => abort.abort());
  }

  override render(): unknown {
    return this.#controller?.render() ?? nothing;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has("open") && isInPage()) {
      // Events report the outcome too.
      if (this.open && !this.#running) this.attemptAuth().catch(() => undefined);
      else if (changed.get("open")) this.cancel();
    }
  }

  async #next(call: DialogCall): Promise<unknown> {
    while (this.#running) await this.#running.catch(() => undefined);
    return this.#start(call);
  }

  #start(call: DialogCall): Promise<unknown> {
    const running = (this.#running = this.#run(call));
    this.stateChanged();
    return running;
  }

  async #run(call: DialogCall): Promise<unknown> {
    const abort = (this.#abort = new AbortController());
    this.#result = this.#error = undefined;
    // The page may disable the button before the dialog opens.
    const opener = document.activeElement;
    let result: unknown;
    let failure: UiaErrorEvent | undefined;
    try {
      const { DialogController } = await loadDialog();
      this.#controller = new DialogController(this, call, abort.signal, opener);
      result = this.#result = await this.#controller.run();
    } catch (error) {
      failure = new UiaErrorEvent((this.#error = error));
    }
    const cancelled = failure && abort.signal.aborted;
    this.#controller?.end();
    this.#running = undefined;
    this.#calls.delete(call.key);
    this.open = false;
    // Now: if a listener starts again right away, closing must not look like a wish to cancel.
    this.performUpdate();
    this.stateChanged();
    // `uia-cancel` has already reported that, or the dialog is no longer in a document.
    if (!cancelled) this.dispatchEvent(failure ?? new UiaSuccessEvent({ result }));
    if (failure) throw failure.detail.error;
    return result;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "uia-dialog": UiaDialogElement;
  }
}
