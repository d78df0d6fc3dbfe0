import { EVERYWHERE, DetailEvent } from "./detail-event.js";

/** The protected request failed. */
export class UiaErrorEvent extends DetailEvent {
  declare readonly detail: {
    readonly error: unknown;
    /** The error's code: a `UiaErrorCode`, a `RequestErrorCode`, or Matrix's, such as `M_WEAK_PASSWORD`. */
    readonly code: string;
  };

  constructor(error: unknown) {
    const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown };
    const known = [code, errcode].find((value) => typeof value === "string");
    super("uia-error", { error, code: known ?? "unexpected" }, EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "uia-error": UiaErrorEvent;
  }
}
