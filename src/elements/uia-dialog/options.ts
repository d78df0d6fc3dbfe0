import type { IInputs, InteractiveAuthOptions } from "../../core/index.js";
import type { PhoneValidation } from "../../events/uia.js";
import type { UiaDialogElement } from "./uia-dialog.js";

type Options = InteractiveAuthOptions<unknown>;

/** Sends a protected request, with `authData` as its `auth` unless `authData` is null. */
export type DoRequest<T = unknown> = InteractiveAuthOptions<T>["doRequest"];

/** A text. A function is called at each render, so that its text can follow the page's language. */
type CallText = string | (() => string);

/**
 * The options of one call of `authenticate()`. They override the element's properties of the same
 * name, for this call only.
 */
export interface AuthenticateOptions extends Partial<DialogSettings>, Resumption {
  /** The operation, such as `"delete LAPTOP"`: a call with the same key joins a pending one. */
  readonly key?: unknown;
  /** The dialog's heading, instead of the page's other heading. */
  readonly heading?: CallText | undefined;
  /** The description of the action. It replaces the slot `description`. */
  readonly description?: CallText | undefined;
  /** The label of the last step's button, instead of the page's `submitLabel`. */
  readonly submitLabel?: CallText | undefined;
  /** Whether that button is red, for destructive requests. Overrides the page's `destructive`. */
  readonly destructive?: boolean | undefined;
  /** Cancels this call, even if it is still queued. `uia-cancel` does not fire. */
  readonly signal?: AbortSignal | undefined;
}

/** The element's properties that apply to a call. */
export interface DialogSettings extends Readonly<
  Pick<
    UiaDialogElement,
    | "client"
    | "userId"
    | "inputs"
    | "requestEmailToken"
    | "requestPhoneToken"
    | "loadCaptcha"
    | "supportedStages"
  >
> {
  /** The interval for polling a stage that is completed elsewhere, in milliseconds. */
  readonly pollInterval: number | undefined;
}

/** A UIA session to resume. It belongs to the homeserver of the call's client. */
export type Resumption = Partial<
  Readonly<Pick<UiaDialogElement, "sessionId" | "clientSecret" | "emailSid">>
>;

/** One call of the dialog, with all its settings. See `takeCall()`. */
export interface DialogCall extends Omit<AuthenticateOptions, keyof Resumption> {
  readonly doRequest: DoRequest | undefined;
  /** The client's base URL at the time of the call. */
  readonly homeserver: string | undefined;
  readonly inputs: IInputs;
  readonly pollInterval: number;
  readonly resumption: Resumption;
  /** The focused element at the time of the call. The page might disable it before the dialog opens. */
  readonly opener: Element | null;
  /** Whether the page has opened the dialog for it with `open`, and closes it so. */
  readonly isOpened: boolean;
}

/** Requests a verification message. */
export type RequestEmailToken = Options["requestEmailToken"];

/** Requests a code for a phone. */
export type RequestPhoneToken = (
  country: string,
  phone: string,
  secret: string,
  attempt: number,
  session: string | null,
) => Promise<PhoneValidation>;

/**
 * The part of a captcha's API that the dialog uses: reCAPTCHA's, or a compatible one.
 *
 * @see https://developers.google.com/recaptcha/docs/display#js_api
 */
export interface CaptchaApi {
  /** @returns The argument for `reset`. */
  render(container: HTMLElement, parameters: CaptchaParameters): unknown;
  reset?(widget: unknown): void;
}

export interface CaptchaParameters {
  readonly sitekey: string;
  readonly theme: "light" | "dark";
  /** `compact` if the usual width doesn't fit. */
  readonly size: "normal" | "compact";
  readonly callback: (response: string) => void;
  readonly "error-callback": () => void;
}

/** Loads a captcha's script and resolves to its API: for reCAPTCHA, `window.grecaptcha`. */
export type LoadCaptcha = () => Promise<CaptchaApi>;
