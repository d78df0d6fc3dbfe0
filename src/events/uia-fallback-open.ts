import type { FallbackPage } from "./fallback-page.js";

/** The fallback page is about to be opened. Cancel it if the page opens it on its own. */
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
