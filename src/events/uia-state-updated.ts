import type { IStageStatus } from "../core/index.js";

/** The homeserver asks for a stage, or there is news of it. */
export class UiaStateUpdatedEvent extends Event {
  static readonly type = "uia-state-updated";
  readonly detail: { readonly nextStage: string; readonly status: IStageStatus };

  constructor(detail: UiaStateUpdatedEvent["detail"]) {
    super(UiaStateUpdatedEvent.type);
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-state-updated": UiaStateUpdatedEvent;
  }
}
