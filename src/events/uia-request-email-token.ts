import { RespondableEvent } from "./respondable-event.js";

/** The page has to request a verification message and to respond with the validation's `sid`. */
export class UiaRequestEmailTokenEvent extends RespondableEvent<{ readonly sid: string }> {
  declare readonly detail: {
    readonly email: string;
    readonly secret: string;
    /** Greater than before if another message is wanted. */
    readonly attempt: number;
    readonly session: string | null;
  };

  constructor(detail: UiaRequestEmailTokenEvent["detail"]) {
    super("uia-request-email-token", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-request-email-token": UiaRequestEmailTokenEvent;
  }
}
