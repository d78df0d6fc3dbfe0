import type { AuthorizationCodeGrantResult } from "../core/index.js";
import { EVERYWHERE, DetailEvent } from "./detail-event.js";

/**
 * The user has signed in; `detail` has the tokens. Cancel it to stay on this page instead of going to
 * `return-to`.
 *
 * @experimental
 */
export class OidcSuccessEvent extends DetailEvent {
  declare readonly detail: AuthorizationCodeGrantResult;

  constructor(detail: AuthorizationCodeGrantResult) {
    super("oidc-success", detail, { ...EVERYWHERE, cancelable: true });
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "oidc-success": OidcSuccessEvent;
  }
}
