import type { FallbackPage } from "./fallback-page.js";
import { DetailEvent } from "./detail-event.js";

/** The fallback page is about to be opened. Cancel it if the page opens it on its own. */
export class UiaFallbackOpenEvent extends DetailEvent {
  declare readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super("uia-fallback-open", detail, { cancelable: true });
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-open": UiaFallbackOpenEvent;
  }
}
