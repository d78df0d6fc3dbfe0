import { RequestError } from "../../../core/http/errors.js";
import { MatrixError } from "../../../core/matrix/error.js";
import { readFailure } from "../../../core/uia/failure.js";
import {
  asCodedError,
  type CodedError,
  type MatrixErrorCode,
  type OAUTH_ERRORS,
  type REQUEST_ERRORS,
  type UIA_ERRORS,
} from "../../../errors/lazy/error-text.js";

/** The codes of the element's errors. Those of sign-ins do not occur; every part has the text of `load_failed`. */
export type AccountErrorCode =
  | MatrixErrorCode
  | keyof typeof UIA_ERRORS
  | Exclude<
      keyof typeof REQUEST_ERRORS | keyof typeof OAUTH_ERRORS,
      "flow_unknown" | "user_mismatch" | "id_token_time" | "load_failed"
    >;

/** Converts the error of any client, such as matrix-js-sdk's, to an error of the library. */
export function asAccountError(thrown: unknown): CodedError {
  if (thrown instanceof MatrixError || Object.hasOwn(Object(thrown) as object, "code")) {
    return asCodedError(thrown);
  }
  const { status, errcode, error, retryAfterMs: retry_after_ms, transient } = readFailure(thrown);
  if (status !== undefined) {
    const body = { errcode, error, retry_after_ms };
    return asCodedError(new MatrixError({ status, body, headers: new Headers() }));
  }
  return transient
    ? new RequestError("network_error", "No response", { cause: thrown })
    : asCodedError(thrown);
}

/** Ignores an error that means that the object was removed already. @throws any other error. */
export function acceptGone(error: unknown): void {
  if (asAccountError(error).code !== "M_NOT_FOUND") throw error;
}

export const isSessionOver = ({ code }: CodedError): boolean =>
  ["M_UNKNOWN_TOKEN", "session_ended"].includes(code);
