import type { FallbackPage } from "./fallback-page.js";

/** The fallback page or the user says that the stage is finished. The homeserver decides. */
export class UiaFallbackDoneEvent extends Event {
  readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super("uia-fallback-done");
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-done": UiaFallbackDoneEvent;
  }
}
