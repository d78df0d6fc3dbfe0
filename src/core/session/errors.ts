import { OidcError, OidcFlowError } from "../oidc/index.js";

/** The error for any call on a session that is over; `cause` says why it ended. */
export const sessionEnded = (cause?: unknown): OidcFlowError =>
  new OidcFlowError(OidcError.SessionEnded, "session_ended", cause);
