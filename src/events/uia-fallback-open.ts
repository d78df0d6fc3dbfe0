import type { FallbackPage } from "./fallback-page.js";

/** The fallback page is about to be opened. Cancelable: the page opens it itself. */
export class UiaFallbackOpenEvent extends Event {
  readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super("uia-fallback-open", { cancelable: true });
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-open": UiaFallbackOpenEvent;
  }
}
