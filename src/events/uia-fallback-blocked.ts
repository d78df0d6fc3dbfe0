import type { FallbackPage } from "./fallback-page.js";
import { DetailEvent } from "./detail-event.js";

/** The browser blocked the popup of the fallback page. */
export class UiaFallbackBlockedEvent extends DetailEvent {
  declare readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super("uia-fallback-blocked", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-blocked": UiaFallbackBlockedEvent;
  }
}
