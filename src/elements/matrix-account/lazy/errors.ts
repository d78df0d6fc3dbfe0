import { RequestError } from "../../../core/http/errors.js";
import { MatrixError } from "../../../core/matrix/error.js";
import { readFailure } from "../../../core/uia/failure.js";
import { asCodedError, type CodedError } from "../../../errors/lazy/error-text.js";

/** The kinds of the element's errors. */
export type AccountErrorKind = "request" | "oauth" | "session" | "uia" | "matrix";

/** Converts the error of any client, such as matrix-js-sdk's, to an error of the library. */
export function asAccountError(thrown: unknown): CodedError {
  if (thrown instanceof MatrixError || Object.hasOwn(Object(thrown) as object, "code")) {
    return asCodedError(thrown);
  }
  const { status, errcode, error, retryAfterMs: retry_after_ms, transient } = readFailure(thrown);
  if (status !== undefined)
    return new MatrixError({ status, body: { errcode, error, retry_after_ms } });
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
