import { AuthError } from "../core/http/auth-error.js";
import { RequestError } from "../core/http/errors.js";
import { isTransientStatus } from "../core/http/failures.js";
import { MatrixError } from "../core/matrix/error.js";
import { asFlowError } from "../core/oauth/flow-error.js";
import type { CodedError } from "../ui/error-box.js";

export type { CodedError };

export function asCodedError(error: unknown): CodedError {
  const isCoded = error instanceof Error && typeof (error as Partial<CodedError>).code === "string";
  return isCoded ? (error as CodedError) : asFlowError(error);
}

/** Homeservers have many codes for passwords that they don't accept, such as `M_PASSWORD_NO_DIGIT`. */
export const WEAK_PASSWORD = /^M_(WEAK_PASSWORD|PASSWORD_\w+)$/;

/** Whether an account is awaiting approval, including the code of MSC3866. */
export const isAwaitingApproval = (error: unknown): error is MatrixError =>
  error instanceof MatrixError &&
  /^(M|ORG\.MATRIX\.MSC3866)_USER_AWAITING_APPROVAL$/.test(error.code);

export const isRetryable = (error: unknown): boolean =>
  (asCodedError(error) as { readonly retryable?: boolean }).retryable === true;

/** Whether a failure, such as a network failure or a rate limit, doesn't concern the user's input. */
export function saysNothing(error: unknown): boolean {
  if (error instanceof RequestError || isRetryable(error)) return true;
  if (!(error instanceof AuthError) || error.httpStatus === undefined) return false;
  // A response without an `errcode` isn't the homeserver's rejection.
  const isProxyPage = error instanceof MatrixError && error.errcode === undefined;
  return isProxyPage || isTransientStatus(error.httpStatus);
}

/** The code for a homeserver that requires the same stage again without a reason. */
export const NOT_ACCEPTED = "not_accepted";
