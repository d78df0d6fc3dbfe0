import type { AuthorizationCodeGrantResult } from "../core/index.js";

/**
 * Somebody has signed in: the tokens are in the detail. Cancel it to stay on this page instead of
 * going back to where the login began.
 *
 * @experimental
 */
export class OidcSuccessEvent extends Event {
  readonly detail: AuthorizationCodeGrantResult;

  constructor(detail: AuthorizationCodeGrantResult) {
    super("oidc-success", { bubbles: true, composed: true, cancelable: true });
    this.detail = detail;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "oidc-success": OidcSuccessEvent;
  }
}
