import type { HomeserverClient, MatrixSession } from "../core/index.js";
import { CANCELABLE_EVERYWHERE, DetailEvent } from "./detail-event.js";

/**
 * The user has signed in. Cancel it to stay on this page.
 *
 * @experimental
 */
export class MatrixLoginSuccessEvent extends DetailEvent {
  declare readonly detail: {
    readonly method: "oauth" | "sso" | "password" | "registration";
    /** Keeps the user signed in, in this page or where `persist` says. */
    readonly session: MatrixSession;
    readonly client: HomeserverClient;
    /** Undefined where the homeserver could not be asked: it follows by `session-changed`. */
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

declare global {
  interface GlobalEventHandlersEventMap {
    "matrix-login-success": MatrixLoginSuccessEvent;
  }
}
