import { RespondableEvent } from "./respondable-event.js";

/** What a homeserver answers when it has sent a code to a phone. */
export interface PhoneValidation {
  readonly sid: string;
  /** Where the code goes; without it the person follows a link. */
  readonly submit_url?: string | undefined;
}

/** The page is to have a code sent to a phone. */
export class UiaRequestPhoneTokenEvent extends RespondableEvent<PhoneValidation> {
  readonly detail: {
    /** Two letters (ISO 3166-1 alpha-2). */
    readonly country: string;
    readonly phone: string;
    readonly secret: string;
    /** Greater than before where one more message is wanted. */
    readonly attempt: number;
    readonly session: string | null;
  };

  constructor(detail: UiaRequestPhoneTokenEvent["detail"]) {
    super("uia-request-phone-token");
    this.detail = detail;
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-request-phone-token": UiaRequestPhoneTokenEvent;
  }
}
