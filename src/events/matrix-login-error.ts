import { CANCELABLE_EVERYWHERE, DetailEvent } from "./detail-event.js";

/** An `OidcFlowError`, a `LoginError`, or a homeserver's refusal with its `errcode`. */
type CodedError = Error & { readonly code: string };

/**
 * Looking up a homeserver or signing in failed; the element also shows the error to the user, unless a listener calls
 * `preventDefault()`.
 *
 * @experimental
 */
export class MatrixLoginErrorEvent extends DetailEvent {
  declare readonly detail: {
    readonly method?: "oauth" | "sso" | "password" | "registration" | "reset" | undefined;
    readonly error: CodedError;
    /** The `code` of an `OidcFlowError` or a `LoginError`; with a homeserver's refusal its `errcode`. */
    readonly code: string;
  };

  constructor(error: CodedError, method?: MatrixLoginErrorEvent["detail"]["method"]) {
    super("matrix-login-error", { method, error, code: error.code }, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "matrix-login-error": MatrixLoginErrorEvent;
  }
}
