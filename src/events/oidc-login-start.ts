/**
 * A login is about to start. Cancel it to stop the login.
 *
 * @experimental
 */
export class OidcLoginStartEvent extends Event {
  static readonly type = "oidc-login-start";
  readonly detail: { readonly homeserver: string | undefined; readonly prompt: string | undefined };

  constructor(detail: OidcLoginStartEvent["detail"]) {
    super(OidcLoginStartEvent.type, { cancelable: true });
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "oidc-login-start": OidcLoginStartEvent;
  }
}
