import { DetailEvent } from "./detail-event.js";

/**
 * The page is about to go to the provider. Cancel it if the page navigates on its own.
 *
 * @experimental
 */
export class OidcRedirectEvent extends DetailEvent {
  declare readonly detail: { readonly url: string };

  constructor(detail: OidcRedirectEvent["detail"]) {
    super("oidc-redirect", detail, { cancelable: true });
  }
}

declare global {
  interface HTMLElementEventMap {
    "oidc-redirect": OidcRedirectEvent;
  }
}
