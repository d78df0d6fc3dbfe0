import type { AuthClient } from "../../../context/auth-client.js";
import type { UiaSession } from "../../../context/uia-session.js";
import type { IInputs, InteractiveAuthOptions, IStageStatus } from "../../../core/index.js";
import type { PhoneValidation } from "../../../events/uia.js";
import type { Load } from "../../../ui/lazy.js";
import type * as PhonePart from "./phone/phone.js";

type Options = InteractiveAuthOptions<unknown>;

/** The dialog's state; also a `:state()` of the element. */
export type UiaDialogState = "idle" | "busy" | "awaiting-input" | "error";

/** Makes a protected request, with `authData` as its `auth` unless that is null. */
export type DoRequest<T = unknown> = InteractiveAuthOptions<T>["doRequest"];

/**
 * The options of one call of `authenticate()`. Those that the dialog's element has too are instead of
 * the element's, for this call only.
 */
export interface AuthenticateOptions extends Partial<DialogSettings>, Resumption {
  /** The operation, such as `"delete LAPTOP"`: a call with the same key joins a pending one. */
  readonly key?: unknown;
  /** The dialog's heading, instead of the page's other heading. */
  readonly heading?: string | undefined;
  /** The description of the action. It replaces the slot `description`. */
  readonly description?: string | undefined;
  /** The label of the last step's button, instead of the page's `submitLabel`. */
  readonly submitLabel?: string | undefined;
  /** Whether that button is red, for destructive requests. Overrides the page's `destructive`. */
  readonly destructive?: boolean | undefined;
  /** Cancels this call, even if it still waits for its turn. `uia-cancel` does not fire. */
  readonly signal?: AbortSignal | undefined;
}

/** The element's properties that a call takes. */
export interface DialogSettings {
  /** The client of the call's account. */
  readonly client: AuthClient | undefined;
  /** The user who confirms the request. */
  readonly userId: string | undefined;
  /** Inputs for the stages. */
  readonly inputs: IInputs | undefined;
  /** Has a verification message sent. */
  readonly requestEmailToken: RequestEmailToken | undefined;
  /** Has a code sent to a phone. */
  readonly requestPhoneToken: RequestPhoneToken | undefined;
  /** Loads a captcha's script. */
  readonly loadCaptcha: LoadCaptcha | undefined;
  /** The stages to show in the dialog. */
  readonly supportedStages: readonly string[] | undefined;
  /** The interval for polling a stage that is completed elsewhere, in milliseconds. */
  readonly pollInterval: number | undefined;
}

/** A UIA session to resume, which belongs to the homeserver of the call's client. */
export interface Resumption {
  readonly sessionId?: string | undefined;
  /** The client secret of the session's email stage. */
  readonly clientSecret?: string | undefined;
  /** The `sid` of the session's email validation. */
  readonly emailSid?: string | undefined;
}

/** One call of the dialog, with everything that it was given. See `takeCall()`. */
export interface DialogCall extends Omit<AuthenticateOptions, keyof Resumption> {
  readonly doRequest: DoRequest | undefined;
  /** The client's base URL at the time of the call. */
  readonly homeserver: string | undefined;
  readonly inputs: IInputs;
  readonly pollInterval: number;
  readonly resumption: Resumption;
}

/** Has a verification message sent. */
export type RequestEmailToken = Options["requestEmailToken"];

/** Has a code sent to a phone. */
export type RequestPhoneToken = (
  country: string,
  phone: string,
  secret: string,
  attempt: number,
  session: string | null,
) => Promise<PhoneValidation>;

/**
 * The part of a captcha's script that is used: reCAPTCHA's API, or a compatible one.
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

/** One run of the dialog. */
export type RunState =
  /** The homeserver has not asked for a stage yet. If that takes long, the dialog shows it. */
  | { readonly name: "requesting"; readonly isSlow: boolean; readonly limit: IStageStatus }
  | { readonly name: "stage"; readonly session: UiaSession }
  /** After a failure that may pass, until the user tries again. */
  | {
      readonly name: "paused";
      readonly session: UiaSession;
      readonly failure: unknown;
      readonly retry: () => void;
    }
  | { readonly name: "over" };

/** A stage, or what is shown before the homeserver's first response. */
export type Shown = Pick<UiaSession, "stage" | "status" | "busy" | "step" | "steps" | "unfinished">;

/** What the controller knows of the stages' views. */
export interface Stages {
  /** The stages that need no page of the homeserver. */
  readonly servedStages: (host: Element) => readonly string[];
  /** Loads the views of a flow. */
  readonly prefetchStages: (flow: readonly string[], host: Element, call: DialogCall) => void;
  readonly loadPhone: Load<typeof PhonePart>;
}

/** The code if a homeserver requires the same stage again without a reason. */
export const NOT_ACCEPTED = "not_accepted";
