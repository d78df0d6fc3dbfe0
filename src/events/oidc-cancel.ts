/**
 * The person does not want to sign in: `refused` at the provider, `closed` its window, or the login
 * was `cancelled` on the page.
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
