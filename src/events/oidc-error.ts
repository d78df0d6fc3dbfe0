import type { OidcErrorCode, OidcFlowError } from "../core/index.js";
import { CANCELABLE_EVERYWHERE, DetailEvent } from "./detail-event.js";

/**
 * Signing in failed; the element also shows the error to the user, unless a listener calls
 * `preventDefault()`.
 *
 * @experimental
 */
export class OidcErrorEvent extends DetailEvent {
  declare readonly detail: { readonly error: OidcFlowError; readonly code: OidcErrorCode };

  constructor(error: OidcFlowError) {
    super("oidc-error", { error, code: error.code }, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "oidc-error": OidcErrorEvent;
  }
}
