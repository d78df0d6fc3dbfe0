import { AuthError, type AuthErrorOptions } from "../http/auth-error.js";
import { RequestErrorCode, withRequestCodes } from "../http/error-codes.js";
import { RETRYABLE_CODES } from "../http/errors.js";

/**
 * The specific reason, as the `code` of a {@link LoginError}. The values are stable: texts for
 * users and the elements' `error-<code>` slots depend on them.
 *
 * @experimental
 */
export const LoginErrorCode = /* @__PURE__ */ withRequestCodes({
  /** The user and the password do not match. */
  CredentialsInvalid: "credentials_invalid",
  UserDeactivated: "user_deactivated",
  UserLocked: "user_locked",
  /** The account exists, but the homeserver's administrator has not approved it yet. */
  UserAwaitingApproval: "user_awaiting_approval",
  /** The homeserver does not support this sign-in method. */
  LoginNotSupported: "login_not_supported",
  /** Any other error response; see `errcode`. */
  LoginRefused: "login_refused",
  /** The login token was already used, or has expired. */
  LoginTokenRefused: "login_token_refused",
  /** The response contains no user, device, or token. */
  LoginResponseInvalid: "login_response_invalid",
  /** The user who signed in isn't the expected one. */
  UserMismatch: "user_mismatch",
  /** The user ID belongs to another homeserver. The password was not sent. */
  UserElsewhere: "user_elsewhere",
  // The return from single sign-on
  FlowUnknown: "flow_unknown",
  FlowExpired: "flow_expired",
  StorageUnavailable: "storage_unavailable",
  StorageFull: "storage_full",
  // The caller's settings
  SettingsInvalid: "settings_invalid",
} as const);

export type LoginErrorCode = (typeof LoginErrorCode)[keyof typeof LoginErrorCode];

const REQUEST_CODES: readonly string[] = /* @__PURE__ */ Object.values(RequestErrorCode);

/** Whether it is the code of a request. Errors of OAuth 2.0 can have the same code. */
export const isRequestCode = (code: string): code is RequestErrorCode =>
  REQUEST_CODES.includes(code);

interface LoginErrorOptions extends AuthErrorOptions {
  readonly errcode?: string | undefined;
  readonly softLogout?: boolean | undefined;
  readonly homeserver?: string | undefined;
}

/**
 * The error of a legacy sign-in. Its `message` is for developers.
 *
 * @experimental
 */
export class LoginError extends AuthError {
  protected static override readonly names: readonly string[] = ["LoginError"];
  override readonly name = "LoginError";
  readonly code: LoginErrorCode;
  /** The homeserver's code, such as `M_FORBIDDEN`. */
  readonly errcode: string | undefined;
  /** Whether the homeserver keeps the device of the rejected token. */
  readonly softLogout: boolean;
  /** The user's own homeserver; only with `user_elsewhere`. */
  readonly homeserver: string | undefined;

  constructor(code: LoginErrorCode, message: string, options: LoginErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.errcode = options.errcode;
    this.softLogout = options.softLogout ?? false;
    this.homeserver = options.homeserver;
  }

  /** Whether a retry of the same call might succeed. */
  get retryable(): boolean {
    return RETRYABLE_CODES.includes(this.code);
  }
}
