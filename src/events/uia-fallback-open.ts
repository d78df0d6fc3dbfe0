import type { FallbackPage } from "./fallback-page.js";

/** The fallback page is about to be opened. Cancelable: the page opens it itself. */
export class UiaFallbackOpenEvent extends Event {
  static readonly type = "uia-fallback-open";
  readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super(UiaFallbackOpenEvent.type, { cancelable: true });
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-open": UiaFallbackOpenEvent;
  }
}
