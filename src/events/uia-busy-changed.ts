/** The person begins, or ceases, to wait for a server. */
export class UiaBusyChangedEvent extends Event {
  static readonly type = "uia-busy-changed";
  readonly detail: { readonly busy: boolean };

  constructor(detail: UiaBusyChangedEvent["detail"]) {
    super(UiaBusyChangedEvent.type);
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-busy-changed": UiaBusyChangedEvent;
  }
}
