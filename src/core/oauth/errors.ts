import { RequestError } from "../http/errors.js";
import type { OidcError, OidcErrorCode } from "./error-codes.js";
import { OidcFlowError } from "./flow-error.js";

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
  return new OidcFlowError(
    of === "unexpected" ? "An unexpected error occurred" : message,
    of,
    cause,
  );
}

export const flowError = (message: OidcError, code: OidcErrorCode, reason: string): OidcFlowError =>
  new OidcFlowError(message, code, new Error(reason));

export const refusalCause = (error: string, reason?: string, httpStatus?: number): Error =>
  Object.assign(new Error(reason ?? error), { error, reason, httpStatus });

export const settingsInvalid = (problem: string): OidcFlowError =>
  flowError("OIDC is misconfigured", "settings_invalid", problem);

export function validationError(
  message: OidcError,
  code: OidcErrorCode,
  faults: readonly string[],
): OidcFlowError {
  const errors = faults.map((fault) => new Error(fault));
  return new OidcFlowError(message, code, new AggregateError(errors, faults.join("; ")));
}
