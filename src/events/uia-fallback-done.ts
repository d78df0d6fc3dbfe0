import type { FallbackPage } from "./fallback-page.js";
import { DetailEvent } from "./detail-event.js";

/** The fallback page or the user says that the stage is finished. The homeserver decides. */
export class UiaFallbackDoneEvent extends DetailEvent {
  declare readonly detail: FallbackPage;

  constructor(detail: FallbackPage) {
    super("uia-fallback-done", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-done": UiaFallbackDoneEvent;
  }
}
