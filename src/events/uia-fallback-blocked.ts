import type { FallbackPage } from "./fallback-page.js";

/** The browser did not let the window of the fallback page open. */
export class UiaFallbackBlockedEvent extends Event {
  static readonly type = "uia-fallback-blocked";
  readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super(UiaFallbackBlockedEvent.type);
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-blocked": UiaFallbackBlockedEvent;
  }
}
