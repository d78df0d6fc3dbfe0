import { RespondableEvent } from "./respondable-event.js";

/** The homeserver's response after it has sent a text message. */
export interface PhoneValidation {
  readonly sid: string;
  /** Where to submit the code; if it is missing, the user follows a link instead. */
  readonly submit_url?: string | undefined;
}

/** The page has to request a text message to a phone. */
export class UiaRequestPhoneTokenEvent extends RespondableEvent<PhoneValidation> {
  declare readonly detail: {
    /** Two letters (ISO 3166-1 alpha-2). */
    readonly country: string;
    readonly phone: string;
    readonly secret: string;
    /** Greater than before if another message is wanted. */
    readonly attempt: number;
    readonly session: string | null;
  };

  constructor(detail: UiaRequestPhoneTokenEvent["detail"]) {
    super("uia-request-phone-token", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-request-phone-token": UiaRequestPhoneTokenEvent;
  }
}
