import { EVERYWHERE, DetailEvent } from "./detail-event.js";

/**
 * The user declined, closed the popup or the dialog, or `cancel()` was called.
 *
 * @experimental
 */
export class MatrixLoginCancelEvent extends DetailEvent {
  declare readonly detail: {
    readonly method: "oauth" | "sso" | "password" | "registration" | "reset" | undefined;
    readonly reason: "refused" | "closed" | "cancelled";
  };

  constructor(detail: MatrixLoginCancelEvent["detail"]) {
    super("matrix-login-cancel", detail, EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "matrix-login-cancel": MatrixLoginCancelEvent;
  }
}
