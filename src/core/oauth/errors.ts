import { RequestError } from "../http/errors.js";
import { OidcError, OidcErrorCode } from "./error-codes.js";
import { OidcFlowError } from "./flow-error.js";

export { OidcError, OidcErrorCode, OidcFlowError };

/** Whether the caller aborted, so that nothing else should be tried. */
export const wasAborted = (error: unknown): boolean =>
  error instanceof OidcFlowError && error.code === "aborted";

/**
 * The error for whatever a request threw: with its own code if it is a {@link RequestError}, else with
 * `code`. An {@link OidcFlowError} is returned as it is.
 */
export function requestFailed(
  message: OidcError,
  cause: unknown,
  code: OidcErrorCode,
): OidcFlowError {
  if (cause instanceof OidcFlowError) return cause;
  return new OidcFlowError(message, cause instanceof RequestError ? cause.code : code, cause);
}

/** The error for a reason that only developers need: its `cause` has it as a message. */
export const flowError = (message: OidcError, code: OidcErrorCode, reason: string): OidcFlowError =>
  new OidcFlowError(message, code, new Error(reason));

/** The cause of an error: the issuer's own code, and why it refused, in its own words. */
export const refusalCause = (error: string, reason?: string): Error =>
  Object.assign(new Error(reason ?? error), { error, reason });

/** The error for a mistake of the caller's, or of the page's author. */
export const settingsInvalid = (problem: string): OidcFlowError =>
  flowError(OidcError.Misconfigured, "settings_invalid", problem);

/** The error for something with faults: its `cause` is an `AggregateError` of them all. */
export const validationError = (
  message: OidcError,
  code: OidcErrorCode,
  faults: readonly string[],
): OidcFlowError =>
  new OidcFlowError(
    message,
    code,
    new AggregateError(
      faults.map((fault) => new Error(fault)),
      faults.join("; "),
    ),
  );

/** The error that an element reports for anything thrown. */
export const asFlowError = (error: unknown): OidcFlowError =>
  error instanceof OidcFlowError
    ? error
    : new OidcFlowError(OidcError.General, "unexpected", error);
