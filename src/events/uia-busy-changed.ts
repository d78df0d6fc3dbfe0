/** The user starts or stops waiting for a server. */
export class UiaBusyChangedEvent extends Event {
  readonly detail: { readonly busy: boolean };

  constructor(detail: UiaBusyChangedEvent["detail"]) {
    super("uia-busy-changed");
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-busy-changed": UiaBusyChangedEvent;
  }
}
