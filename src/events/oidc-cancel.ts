import { EVERYWHERE, DetailEvent } from "./detail-event.js";

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

declare global {
  interface GlobalEventHandlersEventMap {
    "oidc-cancel": OidcCancelEvent;
  }
}
