import type { HomeserverClient, LoginFlows, MatrixSession } from "../core/index.js";
import { CANCELABLE_EVERYWHERE, DetailEvent, EVERYWHERE, redirectDetail } from "./base.js";

/**
 * The ways to sign in to a homeserver are known.
 *
 * @experimental
 */
export class MatrixLoginHomeserverEvent extends DetailEvent {
  declare readonly detail: {
    /** As typed or set. */
    readonly homeserver: string;
    readonly homeserverUrl: string;
    /** The ways that the element offers, in its order. */
    readonly methods: readonly ("oauth" | "sso" | "password")[];
    /** The ways that the homeserver's legacy API lists. */
    readonly flows: LoginFlows;
  };

  constructor(detail: MatrixLoginHomeserverEvent["detail"]) {
    super("matrix-login-homeserver", detail);
  }
}

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

/**
 * The user has signed in. Cancel it to stay on this page.
 *
 * @experimental
 */
export class MatrixLoginSuccessEvent extends DetailEvent {
  declare readonly detail: {
    readonly method: "oauth" | "sso" | "password" | "registration";
    /** The session, in this page or in the store of `persist`. */
    readonly session: MatrixSession;
    readonly client: HomeserverClient;
    /** Undefined if the homeserver could not be asked. `session-changed` then fires when the session knows it. */
    readonly userId: string | undefined;
    readonly deviceId: string;
    readonly homeserverUrl: string;
    /** Where the page goes unless the event is cancelled: a URL of this origin. */
    readonly returnTo?: string;
  };

  constructor(detail: MatrixLoginSuccessEvent["detail"]) {
    super("matrix-login-success", detail, CANCELABLE_EVERYWHERE);
  }
}

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

/** An `OidcFlowError`, a `LoginError`, or a homeserver's refusal with its `errcode`. */
type ReportedError = Error & { readonly code: string };

/**
 * Looking up a homeserver or signing in failed; the element also shows the error to the user, unless a listener calls
 * `preventDefault()`.
 *
 * @experimental
 */
export class MatrixLoginErrorEvent extends DetailEvent {
  declare readonly detail: {
    readonly method?: "oauth" | "sso" | "password" | "registration" | "reset" | undefined;
    readonly error: ReportedError;
    /** The error's `code`, or the `errcode` of a homeserver's refusal. */
    readonly code: string;
  };

  constructor(error: ReportedError, method?: MatrixLoginErrorEvent["detail"]["method"]) {
    super("matrix-login-error", { method, error, code: error.code }, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface HTMLElementEventMap {
    "matrix-login-homeserver": MatrixLoginHomeserverEvent;
  }

  interface GlobalEventHandlersEventMap {
    "matrix-login-start": MatrixLoginStartEvent;
    "matrix-login-redirect": MatrixLoginRedirectEvent;
    "matrix-login-success": MatrixLoginSuccessEvent;
    "matrix-login-cancel": MatrixLoginCancelEvent;
    "matrix-login-error": MatrixLoginErrorEvent;
  }
}
