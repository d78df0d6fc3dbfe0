import { RequestError } from "../core/http/errors.js";
import { MatrixError } from "../core/matrix/error.js";
import { readFailure } from "../core/uia/failure.js";
import { asCodedError, type CodedError } from "./coded-error.js";

/** Converts the error of any client, such as matrix-js-sdk's, to an error of the library. */
export function asClientError(thrown: unknown): CodedError {
  if (thrown instanceof MatrixError || Object.hasOwn(Object(thrown) as object, "code")) {
    return asCodedError(thrown);
  }
  const { status, errcode, reason, retryAfterMs: retry_after_ms, transient } = readFailure(thrown);
  if (status !== undefined)
    return new MatrixError({ status, body: { errcode, error: reason, retry_after_ms } });
  return transient
    ? new RequestError("network_error", "No response", { cause: thrown })
    : asCodedError(thrown);
}
