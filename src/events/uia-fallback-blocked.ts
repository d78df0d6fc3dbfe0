import type { FallbackPage } from "./fallback-page.js";

/** The browser blocked the popup of the fallback page. */
export class UiaFallbackBlockedEvent extends Event {
  readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super("uia-fallback-blocked");
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-blocked": UiaFallbackBlockedEvent;
  }
}
