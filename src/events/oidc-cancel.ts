/**
 * The login was cancelled: `refused` at the provider, its popup `closed`, or `cancelled` on the page.
 *
 * @experimental
 */
export class OidcCancelEvent extends Event {
  readonly detail: { readonly reason: "refused" | "closed" | "cancelled" };

  constructor(detail: OidcCancelEvent["detail"]) {
    super("oidc-cancel", { bubbles: true, composed: true });
    this.detail = detail;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "oidc-cancel": OidcCancelEvent;
  }
}
