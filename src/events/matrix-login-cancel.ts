/**
 * The user declined, closed the popup or the dialog, or `cancel()` was called.
 *
 * @experimental
 */
export class MatrixLoginCancelEvent extends Event {
  readonly detail: {
    readonly method: "oauth" | "sso" | "password" | "registration" | "reset" | undefined;
    readonly reason: "refused" | "closed" | "cancelled";
  };

  constructor(detail: MatrixLoginCancelEvent["detail"]) {
    super("matrix-login-cancel", { bubbles: true, composed: true });
    this.detail = detail;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "matrix-login-cancel": MatrixLoginCancelEvent;
  }
}
