import { CANCELABLE_EVERYWHERE, DetailEvent } from "./detail-event.js";
import { redirectDetail } from "./redirect-detail.js";

/**
 * The page is about to go to the provider or the homeserver. Cancel it if the page navigates on its own.
 *
 * @experimental
 */
export class MatrixLoginRedirectEvent extends DetailEvent {
  declare readonly detail: { readonly method: "oauth" | "sso"; readonly url: string };

  constructor(detail: MatrixLoginRedirectEvent["detail"]) {
    super("matrix-login-redirect", redirectDetail(detail), CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "matrix-login-redirect": MatrixLoginRedirectEvent;
  }
}
