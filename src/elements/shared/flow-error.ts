import { OidcError, OidcFlowError } from "../../core/oauth/errors.js";

/** The error that an element reports for anything thrown. */
export const asFlowError = (error: unknown): OidcFlowError =>
  error instanceof OidcFlowError
    ? error
    : new OidcFlowError(OidcError.General, "unexpected", error);
