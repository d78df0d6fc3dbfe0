import { CANCELABLE_EVERYWHERE, DetailEvent } from "./detail-event.js";

/**
 * The user is about to sign in, to create an account, or to reset the password. Cancel it to stop that.
 *
 * @experimental
 */
export class MatrixLoginStartEvent extends DetailEvent {
  declare readonly detail: {
    readonly method: "oauth" | "sso" | "password" | "registration" | "reset";
    readonly homeserverUrl: string;
  };

  constructor(detail: MatrixLoginStartEvent["detail"]) {
    super("matrix-login-start", detail, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "matrix-login-start": MatrixLoginStartEvent;
  }
}
