/** The user or the page wants to stop. Cancel it to keep the dialog open. */
export class UiaCancelEvent extends Event {
  /** `dismissed` by the user; else what the page gave to `cancel()`. */
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
