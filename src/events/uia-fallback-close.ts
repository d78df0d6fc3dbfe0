import type { FallbackPage } from "./fallback-page.js";

/** The window of the fallback page was closed. */
export class UiaFallbackCloseEvent extends Event {
  readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super("uia-fallback-close");
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-close": UiaFallbackCloseEvent;
  }
}
