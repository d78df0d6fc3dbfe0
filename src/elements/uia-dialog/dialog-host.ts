import type { AuthClient } from "../../context/auth-client.js";
import type { IInputs, InteractiveAuthOptions } from "../../core/index.js";
import type { PhoneValidation } from "../../events/uia.js";
import type { AuthHost } from "../shared/auth-host.js";
import type { LoadCaptcha } from "./captcha.js";

/** What the dialog does; also a `:state()` of the element. */
export type UiaDialogState = "idle" | "busy" | "awaiting-input" | "error";

/** Makes a protected request, with `authData` as its `auth` unless that is null. */
export type DoRequest<T = unknown> = InteractiveAuthOptions<T>["doRequest"];

/** What one call of `authenticate()` is about. */
export interface AuthenticateOptions {
  /** What the operation is, such as `"delete LAPTOP"`: while it runs, a further call with the same key joins it. */
  readonly key?: unknown;
  /** The dialog's heading, in place of the page's other heading. */
  readonly heading?: string | undefined;
  /** What is about to happen, in place of the slot `description`. */
  readonly description?: string | undefined;
}

/** One call of the dialog. */
export interface DialogCall extends AuthenticateOptions {
  readonly doRequest?: DoRequest;
}

/** Has a verification message sent. */
export type RequestEmailToken = InteractiveAuthOptions<unknown>["requestEmailToken"];

/** Has a code sent to a phone. */
export type RequestPhoneToken = (
  country: string,
  phone: string,
  secret: string,
  attempt: number,
  session: string | null,
) => Promise<PhoneValidation>;

/** What a page sets. */
export interface DialogSettings {
  readonly client: AuthClient | undefined;
  readonly doRequest: DoRequest | undefined;
  readonly requestEmailToken: RequestEmailToken | undefined;
  readonly requestPhoneToken: RequestPhoneToken | undefined;
  readonly loadCaptcha: LoadCaptcha | undefined;
  readonly inputs: IInputs | undefined;
  readonly supportedStages: readonly string[] | undefined;
  readonly userId: string | undefined;
  readonly sessionId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly emailSid: string | undefined;
  readonly pollInterval: number;
  readonly heading: string | undefined;
}

/** What a dialog's controller needs of its element. */
export type DialogHost = AuthHost &
  DialogSettings & {
    open: boolean;
    /** Cancels, unless a listener prevents `uia-cancel`. */
    cancel(reason?: unknown): void;
  };
