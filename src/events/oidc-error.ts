import type { OidcErrorCode, OidcFlowError } from "../core/index.js";

/**
 * Signing in failed; the element also shows the error to the user.
 *
 * @experimental
 */
export class OidcErrorEvent extends Event {
  readonly detail: { readonly error: OidcFlowError; readonly code: OidcErrorCode };

  constructor(error: OidcFlowError) {
    super("oidc-error", { bubbles: true, composed: true });
    this.detail = { error, code: error.code };
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "oidc-error": OidcErrorEvent;
  }
}
