/**
 * A login is about to start. Cancel it to stop the login.
 *
 * @experimental
 */
export class OidcLoginStartEvent extends Event {
  readonly detail: { readonly homeserver: string | undefined; readonly prompt: string | undefined };

  constructor(detail: OidcLoginStartEvent["detail"]) {
    super("oidc-login-start", { cancelable: true });
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "oidc-login-start": OidcLoginStartEvent;
  }
}
