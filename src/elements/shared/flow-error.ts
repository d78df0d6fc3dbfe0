import { OidcFlowError } from "../../core/oidc/errors.js";

/**
 * What an element reports of anything that was thrown. What was loaded later may hold its own copy of
 * the class, so the errors are known by their shape.
 */
export function asFlowError(error: unknown): OidcFlowError {
  // `OidcError` by its values: the object would be a part of what is loaded before the first paint.
  return isFlowError(error)
    ? error
    : new OidcFlowError("Something went wrong with OIDC discovery", "unexpected", error);
}

const isFlowError = (error: unknown): error is OidcFlowError =>
  error instanceof Error && error.name === "OidcFlowError";
