import { DetailEvent } from "./detail-event.js";

/**
 * A login is about to start. Cancel it to stop the login.
 *
 * @experimental
 */
export class OidcLoginStartEvent extends DetailEvent {
  declare readonly detail: {
    readonly homeserver: string | undefined;
    readonly prompt: string | undefined;
  };

  constructor(detail: OidcLoginStartEvent["detail"]) {
    super("oidc-login-start", detail, { cancelable: true });
  }
}

declare global {
  interface HTMLElementEventMap {
    "oidc-login-start": OidcLoginStartEvent;
  }
}
