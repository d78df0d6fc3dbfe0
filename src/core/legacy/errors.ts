import { AuthError, type AuthErrorOptions } from "../http/auth-error.js";
import { codeOfStatus, RequestError, RETRYABLE_CODES, withRequestCodes } from "../http/errors.js";
import { MatrixError } from "../matrix/error.js";

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
  /** The homeserver does not support this way to sign in. */
  LoginNotSupported: "login_not_supported",
  /** Any other error response; see `errcode`. */
  LoginRefused: "login_refused",
  /** The login token was used before, or is too old. */
  LoginTokenRefused: "login_token_refused",
  /** The response contains no user, device, or token. */
  LoginResponseInvalid: "login_response_invalid",
  /** Another user than the expected one has signed in. */
  UserMismatch: "user_mismatch",
  /** The user ID belongs to another homeserver. The password was not sent. */
  UserElsewhere: "user_elsewhere",
  // The single sign-on's way back
  FlowUnknown: "flow_unknown",
  FlowExpired: "flow_expired",
  StorageUnavailable: "storage_unavailable",
  StorageFull: "storage_full",
  // The caller's settings
  SettingsInvalid: "settings_invalid",
} as const);

export type LoginErrorCode = (typeof LoginErrorCode)[keyof typeof LoginErrorCode];

interface LoginErrorOptions extends AuthErrorOptions {
  readonly errcode?: string | undefined;
  readonly softLogout?: boolean | undefined;
}

/**
 * The error of the legacy sign-in. Its `message` is for developers.
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

  constructor(code: LoginErrorCode, message: string, options: LoginErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.errcode = options.errcode;
    this.softLogout = options.softLogout ?? false;
  }

  /** Whether a retry of the same call might succeed. */
  get retryable(): boolean {
    return RETRYABLE_CODES.includes(this.code);
  }
}

/** @see https://spec.matrix.org/v1.19/client-server-api/#common-error-codes */
const ERRCODES: ReadonlyMap<string | undefined, LoginErrorCode> = new Map([
  ["M_LIMIT_EXCEEDED", "rate_limited"],
  ["M_USER_DEACTIVATED", "user_deactivated"],
  ["M_USER_LOCKED", "user_locked"],
  ["M_UNRECOGNIZED", "login_not_supported"],
  // MSC3866
  ["ORG.MATRIX.MSC3866_USER_AWAITING_APPROVAL", "user_awaiting_approval"],
  ["M_USER_AWAITING_APPROVAL", "user_awaiting_approval"],
]);

/** @param forbidden The code for `M_FORBIDDEN`. */
export function asLoginError(error: unknown, forbidden: LoginErrorCode = "login_refused"): unknown {
  if (error instanceof MatrixError) {
    const { httpStatus, errcode, retryAfterMs, reason, data } = error;
    const message = `The homeserver rejected the request: ${reason ?? `HTTP ${httpStatus}`}`;
    const softLogout = data["soft_logout"] === true;
    const options = { httpStatus, errcode, retryAfterMs, reason, softLogout };
    const ofErrcode = errcode === "M_FORBIDDEN" ? forbidden : ERRCODES.get(errcode);
    const ofStatus = codeOfStatus(httpStatus);
    const code = ofStatus === "unexpected_status" ? (ofErrcode ?? "login_refused") : ofStatus;
    return new LoginError(code, message, options);
  }
  if (error instanceof RequestError) {
    const { code, message, httpStatus, retryAfterMs, reason } = error;
    return new LoginError(code, message, { cause: error, httpStatus, retryAfterMs, reason });
  }
  // Secrets must not be sent to the URL.
  if (error instanceof TypeError) {
    return new LoginError("settings_invalid", error.message, { cause: error });
  }
  return error;
}
