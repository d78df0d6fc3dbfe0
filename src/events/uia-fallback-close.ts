import type { FallbackPage } from "./fallback-page.js";
import { DetailEvent } from "./detail-event.js";

/** The window of the fallback page was closed. */
export class UiaFallbackCloseEvent extends DetailEvent {
  declare readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super("uia-fallback-close", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-close": UiaFallbackCloseEvent;
  }
}
