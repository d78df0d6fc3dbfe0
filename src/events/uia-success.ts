/** The protected request succeeded. */
export class UiaSuccessEvent extends Event {
  static readonly type = "uia-success";
  readonly detail: { readonly result: unknown };

  constructor(detail: UiaSuccessEvent["detail"]) {
    super(UiaSuccessEvent.type, { bubbles: true, composed: true });
    this.detail = detail;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "uia-success": UiaSuccessEvent;
  }
}
