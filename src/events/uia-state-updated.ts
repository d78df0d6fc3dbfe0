import type { IStageStatus } from "../core/index.js";

/** The homeserver asks for a stage, or there is news about it. */
export class UiaStateUpdatedEvent extends Event {
  readonly detail: { readonly nextStage: string; readonly status: IStageStatus };

  constructor(detail: UiaStateUpdatedEvent["detail"]) {
    super("uia-state-updated");
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-state-updated": UiaStateUpdatedEvent;
  }
}
