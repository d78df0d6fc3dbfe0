import type { AuthorizationCodeGrantResult } from "../core/index.js";

/**
 * The user has signed in; `detail` has the tokens. Cancel it to stay on this page instead of going to
 * `return-to`.
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
