/**
 * The page is about to go to the provider. Cancel it if the page navigates on its own.
 *
 * @experimental
 */
export class OidcRedirectEvent extends Event {
  readonly detail: { readonly url: string };

  constructor(detail: OidcRedirectEvent["detail"]) {
    super("oidc-redirect", { cancelable: true });
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "oidc-redirect": OidcRedirectEvent;
  }
}
