import { DetailEvent } from "./detail-event.js";

/** The user starts or stops waiting for a server. */
export class UiaBusyChangedEvent extends DetailEvent {
  declare readonly detail: { readonly busy: boolean };

  constructor(detail: UiaBusyChangedEvent["detail"]) {
    super("uia-busy-changed", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-busy-changed": UiaBusyChangedEvent;
  }
}
