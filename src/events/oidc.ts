import type { AuthorizationCodeGrantResult, OidcErrorCode, OidcFlowError } from "../core/index.js";
import { CANCELABLE_EVERYWHERE, DetailEvent, EVERYWHERE, redirectDetail } from "./base.js";

/**
 * A sign-in is about to start. Cancel it to stop the sign-in.
 *
 * @experimental
 */
export class OidcLoginStartEvent extends DetailEvent<{
  readonly homeserver: string | undefined;
  readonly prompt: string | undefined;
}> {
  constructor(detail: OidcLoginStartEvent["detail"]) {
    super("oidc-login-start", detail, { cancelable: true });
  }
}

/**
 * The browser is about to open the provider. Cancel it to navigate yourself.
 *
 * @experimental
 */
export class OidcRedirectEvent extends DetailEvent<{ readonly url: string }> {
  constructor(detail: OidcRedirectEvent["detail"]) {
    super("oidc-redirect", redirectDetail(detail), { cancelable: true });
  }
}

/**
 * The user has signed in; `detail` has the tokens. Cancel it to stay on this page instead of going
 * to `return-to`.
 *
 * @experimental
 */
export class OidcSuccessEvent extends DetailEvent<
  AuthorizationCodeGrantResult & {
    /** The same-origin URL that the browser opens unless the event is cancelled. */
    readonly returnTo?: string;
  }
> {
  constructor(detail: OidcSuccessEvent["detail"]) {
    super("oidc-success", detail, CANCELABLE_EVERYWHERE);
  }
}

/**
 * The sign-in was cancelled: the user declined (`refused`), closed the popup (`closed`), or your
 * page called `cancel()` (`cancelled`).
 *
 * @experimental
 */
export class OidcCancelEvent extends DetailEvent<{
  readonly reason: "refused" | "closed" | "cancelled";
  /** From `<oidc-callback>`: the URL that the browser would have opened after sign-in, if any. */
  readonly returnTo?: string;
}> {
  constructor(detail: OidcCancelEvent["detail"]) {
    super("oidc-cancel", detail, EVERYWHERE);
  }
}

/**
 * A sign-in failed. The element also shows the error, unless a listener calls `preventDefault()`.
 *
 * @experimental
 */
export class OidcErrorEvent extends DetailEvent<{
  readonly error: OidcFlowError;
  readonly code: OidcErrorCode;
}> {
  constructor(error: OidcFlowError) {
    super("oidc-error", { error, code: error.code }, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface HTMLElementEventMap {
    "oidc-login-start": OidcLoginStartEvent;
    "oidc-redirect": OidcRedirectEvent;
  }

  interface GlobalEventHandlersEventMap {
    "oidc-success": OidcSuccessEvent;
    "oidc-cancel": OidcCancelEvent;
    "oidc-error": OidcErrorEvent;
  }
}
