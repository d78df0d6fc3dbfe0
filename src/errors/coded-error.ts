import { MatrixError } from "../core/matrix/error.js";
import { asFlowError } from "../core/oauth/errors.js";
import type { CodedError } from "../ui/error-box.js";

export type { CodedError };

export function asCodedError(error: unknown): CodedError {
  const isCoded = error instanceof Error && typeof (error as Partial<CodedError>).code === "string";
  return isCoded ? (error as CodedError) : asFlowError(error);
}

/** Homeservers have many codes for passwords that they don't accept, such as `M_PASSWORD_NO_DIGIT`. */
export const WEAK_PASSWORD = /^M_(WEAK_PASSWORD|PASSWORD_\w+)$/;

/** Also with the code of MSC3866. */
export const isAwaitingApproval = (error: unknown): error is MatrixError =>
  error instanceof MatrixError &&
  /^(M|ORG\.MATRIX\.MSC3866)_USER_AWAITING_APPROVAL$/.test(error.code);

export const isRetryable = (error: unknown): boolean =>
  (asCodedError(error) as { readonly retryable?: boolean }).retryable === true;

/** The code if a homeserver requires the same stage again without a reason. */
export const NOT_ACCEPTED = "not_accepted";
