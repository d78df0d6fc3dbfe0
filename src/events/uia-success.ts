/** The protected request succeeded. */
export class UiaSuccessEvent extends Event {
  readonly detail: { readonly result: unknown };

  constructor(detail: UiaSuccessEvent["detail"]) {
    super("uia-success", { bubbles: true, composed: true });
    this.detail = detail;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "uia-success": UiaSuccessEvent;
  }
}
