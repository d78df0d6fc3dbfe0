import type { HomeserverClient, LoginFlows, MatrixSession } from "../core/index.js";
import { CANCELABLE_EVERYWHERE, DetailEvent, EVERYWHERE, redirectDetail } from "./base.js";

/**
 * The sign-in methods of a homeserver are available.
 *
 * @experimental
 */
export class MatrixLoginHomeserverEvent extends DetailEvent<{
  /** The value that the user entered or the page set. */
  readonly homeserver: string;
  readonly homeserverUrl: string;
  /** The methods that the element offers, in order. */
  readonly methods: readonly ("oauth" | "sso" | "password")[];
  /** The methods of the homeserver's legacy API. */
  readonly flows: LoginFlows;
}> {
  constructor(detail: MatrixLoginHomeserverEvent["detail"]) {
    super("matrix-login-homeserver", detail);
  }
}

/** A view of `<matrix-login>`. */
export type MatrixLoginView = "homeserver" | "sign-in" | "registration" | "reset" | "success";

/**
 * The element shows another view.
 *
 * @experimental
 */
export class MatrixLoginViewEvent extends DetailEvent<{ readonly view: MatrixLoginView }> {
  constructor(detail: MatrixLoginViewEvent["detail"]) {
    super("matrix-login-view", detail);
  }
}

/**
 * A sign-in, a registration, or a password reset is about to start. Cancel it to stop that.
 *
 * @experimental
 */
export class MatrixLoginStartEvent extends DetailEvent<{
  readonly method: "oauth" | "sso" | "password" | "registration" | "reset";
  readonly homeserverUrl: string;
}> {
  constructor(detail: MatrixLoginStartEvent["detail"]) {
    super("matrix-login-start", detail, CANCELABLE_EVERYWHERE);
  }
}

/**
 * The browser is about to open the provider or the homeserver. Cancel it to navigate yourself.
 *
 * @experimental
 */
export class MatrixLoginRedirectEvent extends DetailEvent<{
  readonly method: "oauth" | "sso";
  readonly url: string;
}> {
  constructor(detail: MatrixLoginRedirectEvent["detail"]) {
    super("matrix-login-redirect", redirectDetail(detail), CANCELABLE_EVERYWHERE);
  }
}

/**
 * The user has signed in. Cancel it to stay on this page.
 *
 * @experimental
 */
export class MatrixLoginSuccessEvent extends DetailEvent<{
  readonly method: "oauth" | "sso" | "password" | "registration";
  /** The session, in memory or in the store of `persist`. */
  readonly session: MatrixSession;
  readonly client: HomeserverClient;
  /** `undefined` if the homeserver wasn't reached. When the ID arrives, `session-changed` fires. */
  readonly userId: string | undefined;
  readonly deviceId: string;
  readonly homeserverUrl: string;
  /** The same-origin URL that the browser opens unless the event is cancelled. */
  readonly returnTo?: string;
}> {
  constructor(detail: MatrixLoginSuccessEvent["detail"]) {
    super("matrix-login-success", detail, CANCELABLE_EVERYWHERE);
  }
}

/**
 * The user declined or closed the popup or the dialog, or `cancel()` was called.
 *
 * @experimental
 */
export class MatrixLoginCancelEvent extends DetailEvent<{
  readonly method: "oauth" | "sso" | "password" | "registration" | "reset" | undefined;
  readonly reason: "refused" | "closed" | "cancelled";
}> {
  constructor(detail: MatrixLoginCancelEvent["detail"]) {
    super("matrix-login-cancel", detail, EVERYWHERE);
  }
}

/** An `OidcFlowError`, a `LoginError`, or a homeserver's error response with its `errcode`. */
type ReportedError = Error & { readonly code: string };

/**
 * A lookup or a sign-in failed. The element also shows the error, unless a listener calls
 * `preventDefault()`.
 *
 * @experimental
 */
export class MatrixLoginErrorEvent extends DetailEvent<{
  readonly method?: "oauth" | "sso" | "password" | "registration" | "reset" | undefined;
  readonly error: ReportedError;
  /** The error's `code`, or the `errcode` of the homeserver's error response. */
  readonly code: string;
}> {
  constructor(error: ReportedError, method?: MatrixLoginErrorEvent["detail"]["method"]) {
    super("matrix-login-error", { method, error, code: error.code }, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface HTMLElementEventMap {
    "matrix-login-homeserver": MatrixLoginHomeserverEvent;
    "matrix-login-view": MatrixLoginViewEvent;
  }

  interface GlobalEventHandlersEventMap {
    "matrix-login-start": MatrixLoginStartEvent;
    "matrix-login-redirect": MatrixLoginRedirectEvent;
    "matrix-login-success": MatrixLoginSuccessEvent;
    "matrix-login-cancel": MatrixLoginCancelEvent;
    "matrix-login-error": MatrixLoginErrorEvent;
  }
}
