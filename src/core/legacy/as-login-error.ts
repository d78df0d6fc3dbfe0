import { RequestError } from "../http/errors.js";
import { codeOfStatus } from "../http/failures.js";
import { InvalidSetting } from "../http/path-part.js";
import { MatrixError } from "../matrix/error.js";
import { LoginError, type LoginErrorCode } from "./errors.js";

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

/**
 * An unknown error becomes the `cause` of `unexpected`.
 *
 * @param forbidden The code for `M_FORBIDDEN`.
 */
export function asLoginError(
  error: unknown,
  forbidden: LoginErrorCode = "login_refused",
): LoginError {
  if (error instanceof LoginError) return error;
  if (error instanceof MatrixError) {
    const { httpStatus, errcode, retryAfterMs, reason, data } = error;
    const message = `The homeserver rejected the request: ${reason ?? `HTTP ${httpStatus}`}`;
    const softLogout = data["soft_logout"] === true;
    const options = { cause: error, httpStatus, errcode, retryAfterMs, reason, softLogout };
    const ofErrcode = errcode === "M_FORBIDDEN" ? forbidden : ERRCODES.get(errcode);
    const ofStatus = codeOfStatus(httpStatus);
    const code = ofStatus === "unexpected_status" ? (ofErrcode ?? "login_refused") : ofStatus;
    return new LoginError(code, message, options);
  }
  if (error instanceof RequestError) {
    const { code, message, httpStatus, retryAfterMs, reason } = error;
    return new LoginError(code, message, { cause: error, httpStatus, retryAfterMs, reason });
  }
  const code = error instanceof InvalidSetting ? "settings_invalid" : "unexpected";
  return new LoginError(code, error instanceof Error ? error.message : code, { cause: error });
}
