import { DetailEvent } from "./detail-event.js";
import { redirectDetail } from "./redirect-detail.js";

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

declare global {
  interface HTMLElementEventMap {
    "oidc-redirect": OidcRedirectEvent;
  }
}
