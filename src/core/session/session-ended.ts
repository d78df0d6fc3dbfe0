import { OidcError, OidcFlowError } from "../oidc/index.js";

/** The error of whatever is wanted of a session that is over; `cause`: why. */
export const sessionEnded = (cause?: unknown): OidcFlowError =>
  new OidcFlowError(OidcError.SessionEnded, "session_ended", cause);
