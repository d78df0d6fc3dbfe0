import { EVERYWHERE, DetailEvent } from "./detail-event.js";

/** The protected request succeeded. */
export class UiaSuccessEvent extends DetailEvent {
  declare readonly detail: { readonly result: unknown };

  constructor(detail: UiaSuccessEvent["detail"]) {
    super("uia-success", detail, EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "uia-success": UiaSuccessEvent;
  }
}
