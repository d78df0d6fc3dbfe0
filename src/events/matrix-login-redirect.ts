/**
 * The page is about to go to the provider or the homeserver. Cancel it if the page navigates on its own.
 *
 * @experimental
 */
export class MatrixLoginRedirectEvent extends Event {
  readonly detail: { readonly method: "oauth" | "sso"; readonly url: string };

  constructor(detail: MatrixLoginRedirectEvent["detail"]) {
    super("matrix-login-redirect", { bubbles: true, composed: true, cancelable: true });
    this.detail = detail;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "matrix-login-redirect": MatrixLoginRedirectEvent;
  }
}
