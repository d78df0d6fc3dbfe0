import type { AuthorizationCodeGrantResult } from "../core/index.js";
import { CANCELABLE_EVERYWHERE, DetailEvent } from "./detail-event.js";

/**
 * The user has signed in; `detail` has the tokens. Cancel it to stay on this page instead of going to
 * `return-to`.
 *
 * @experimental
 */
export class OidcSuccessEvent extends DetailEvent {
  declare readonly detail: AuthorizationCodeGrantResult & {
    /** Where the page goes unless the event is cancelled: a URL of this origin. */
    readonly returnTo?: string;
  };

  constructor(detail: OidcSuccessEvent["detail"]) {
    super("oidc-success", detail, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "oidc-success": OidcSuccessEvent;
  }
}
