import { RequestError } from "../http/errors.js";
import { OidcError, OidcErrorCode } from "./error-codes.js";
import { OidcFlowError } from "./flow-error.js";

export { OidcError, OidcErrorCode, OidcFlowError };

export const wasAborted = (error: unknown): boolean =>
  error instanceof OidcFlowError && error.code === "aborted";

/** @param code For an error that is neither an {@link OidcFlowError} nor a {@link RequestError}. */
export function requestFailed(
  message: OidcError,
  cause: unknown,
  code: OidcErrorCode,
): OidcFlowError {
  if (cause instanceof OidcFlowError) return cause;
  const of = cause instanceof RequestError ? cause.code : code;
  return new OidcFlowError(of === "unexpected" ? OidcError.Unexpected : message, of, cause);
}

export const flowError = (message: OidcError, code: OidcErrorCode, reason: string): OidcFlowError =>
  new OidcFlowError(message, code, new Error(reason));

export const refusalCause = (error: string, reason?: string, httpStatus?: number): Error =>
  Object.assign(new Error(reason ?? error), { error, reason, httpStatus });

export const settingsInvalid = (problem: string): OidcFlowError =>
  flowError(OidcError.Misconfigured, "settings_invalid", problem);

export function validationError(
  message: OidcError,
  code: OidcErrorCode,
  faults: readonly string[],
): OidcFlowError {
  const errors = faults.map((fault) => new Error(fault));
  return new OidcFlowError(message, code, new AggregateError(errors, faults.join("; ")));
}

/** An unknown error becomes the `cause`. */
export const asFlowError = (error: unknown): OidcFlowError =>
  error instanceof OidcFlowError
    ? error
    : new OidcFlowError(OidcError.Unexpected, "unexpected", error);
