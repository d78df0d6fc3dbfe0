import type { FallbackPage } from "./fallback-page.js";

/** The window of the fallback page was closed. */
export class UiaFallbackCloseEvent extends Event {
  static readonly type = "uia-fallback-close";
  readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super(UiaFallbackCloseEvent.type);
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-close": UiaFallbackCloseEvent;
  }
}
