import { CANCELABLE_EVERYWHERE, DetailEvent } from "./detail-event.js";

/** The user or the page wants to stop. Cancel it to keep the dialog open. */
export class UiaCancelEvent extends DetailEvent {
  /** `dismissed` by the user; else what the page gave to `cancel()`. */
  declare readonly detail: { readonly reason: unknown };

  constructor(detail: UiaCancelEvent["detail"]) {
    super("uia-cancel", detail, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "uia-cancel": UiaCancelEvent;
  }
}
