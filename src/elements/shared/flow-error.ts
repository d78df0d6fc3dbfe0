import { OidcFlowError } from "../../core/oidc/errors.js";

/**
 * The error that an element reports for anything thrown. A part that is loaded later may have its own copy
 * of the class, so errors are recognized by their shape.
 */
export function asFlowError(error: unknown): OidcFlowError {
  // The message is written out: importing `OidcError` would add it to what is loaded before first paint.
  return isFlowError(error)
    ? error
    : new OidcFlowError("Something went wrong with OIDC discovery", "unexpected", error);
}

const isFlowError = (error: unknown): error is OidcFlowError =>
  error instanceof Error && error.name === "OidcFlowError";
