import type { AuthorizationCodeGrantResult, OidcErrorCode, OidcFlowError } from "../core/index.js";
import { CANCELABLE_EVERYWHERE, DetailEvent, EVERYWHERE, redirectDetail } from "./base.js";

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

/**
 * The page is about to go to the provider. Cancel it if the page navigates on its own.
 *
 * @experimental
 */
export class OidcRedirectEvent extends DetailEvent {
  declare readonly detail: { readonly url: string };

  constructor(detail: OidcRedirectEvent["detail"]) {
    super("oidc-redirect", redirectDetail(detail), { cancelable: true });
  }
}

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

/**
 * The login was cancelled: `refused` at the provider, its popup `closed`, or `cancelled` on the page.
 *
 * @experimental
 */
export class OidcCancelEvent extends DetailEvent {
  declare readonly detail: {
    readonly reason: "refused" | "closed" | "cancelled";
    /** Of `<oidc-callback>`: where the browser would have gone after signing in; undefined if nowhere. */
    readonly returnTo?: string;
  };

  constructor(detail: OidcCancelEvent["detail"]) {
    super("oidc-cancel", detail, EVERYWHERE);
  }
}

/**
 * Signing in failed; the element also shows the error to the user, unless a listener calls
 * `preventDefault()`.
 *
 * @experimental
 */
export class OidcErrorEvent extends DetailEvent {
  declare readonly detail: { readonly error: OidcFlowError; readonly code: OidcErrorCode };

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
