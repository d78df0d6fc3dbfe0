/** The protected request failed. */
export class UiaErrorEvent extends Event {
  readonly detail: {
    readonly error: unknown;
    /** The error's code: a `UiaErrorCode`, a `RequestErrorCode`, or Matrix's, such as `M_WEAK_PASSWORD`. */
    readonly code: string;
  };

  constructor(error: unknown) {
    super("uia-error", { bubbles: true, composed: true });
    const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown };
    const known = [code, errcode].find((value) => typeof value === "string");
    this.detail = { error, code: known ?? "unexpected" };
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "uia-error": UiaErrorEvent;
  }
}
