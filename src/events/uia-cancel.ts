/** The person wants to stop, or the page does. Cancelable: the dialog stays open. */
export class UiaCancelEvent extends Event {
  /** `dismissed` by the person; else what the page gave to `cancel()`. */
  readonly detail: { readonly reason: unknown };

  constructor(detail: UiaCancelEvent["detail"]) {
    super("uia-cancel", { bubbles: true, composed: true, cancelable: true });
    this.detail = detail;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "uia-cancel": UiaCancelEvent;
  }
}
