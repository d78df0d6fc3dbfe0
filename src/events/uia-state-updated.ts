import type { IStageStatus } from "../core/index.js";
import { DetailEvent } from "./detail-event.js";

/** The homeserver asks for a stage, or there is news about it. */
export class UiaStateUpdatedEvent extends DetailEvent {
  declare readonly detail: { readonly nextStage: string; readonly status: IStageStatus };

  constructor(detail: UiaStateUpdatedEvent["detail"]) {
    super("uia-state-updated", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-state-updated": UiaStateUpdatedEvent;
  }
}
