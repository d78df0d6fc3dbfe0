import type { LoginFlows } from "../core/index.js";
import { DetailEvent } from "./detail-event.js";

/**
 * The ways to sign in at a homeserver are known.
 *
 * @experimental
 */
export class MatrixLoginHomeserverEvent extends DetailEvent {
  declare readonly detail: {
    /** As it was typed or set. */
    readonly homeserver: string;
    readonly homeserverUrl: string;
    /** What the element offers, in its order. */
    readonly methods: readonly ("oauth" | "sso" | "password")[];
    /** What the homeserver's legacy API lists. */
    readonly flows: LoginFlows;
  };

  constructor(detail: MatrixLoginHomeserverEvent["detail"]) {
    super("matrix-login-homeserver", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "matrix-login-homeserver": MatrixLoginHomeserverEvent;
  }
}
