import type { PhoneValidationState } from "../../../context/uia-session-context.js";
import type * as ThreePidsModule from "../../../core/homeserver/threepid-client.js";
import { validationSession } from "../../../core/uia/email-validation.js";
import type { PhoneValidation as PhoneResponse } from "../../../events/uia-request-phone-token.js";
import type { RequestPhoneToken } from "../dialog-host.js";

type ThreePids = typeof ThreePidsModule;

const loadThreePidClient = (): Promise<ThreePids> =>
  import("../../../core/homeserver/threepid-client.js");

/** The verification of a phone number by a text message. */
export class PhoneValidation {
  readonly #secret: string;
  readonly #request: RequestPhoneToken;
  #attempt: number;
  #sent: (PhoneResponse & { readonly country: string; readonly phone: string }) | undefined;

  /** @param firstAttempt The number of the first message under this secret. */
  constructor(secret: string, firstAttempt: number, request: RequestPhoneToken) {
    this.#secret = secret;
    this.#attempt = firstAttempt;
    this.#request = request;
  }

  get state(): PhoneValidationState | undefined {
    if (!this.#sent) return undefined;
    const { country, phone, submit_url } = this.#sent;
    return { country, phone, wantsCode: submit_url !== undefined };
  }

  /** Where to submit the code; undefined if the user follows a link instead. */
  get submitUrl(): string | undefined {
    return this.#sent?.submit_url;
  }

  /** Submits the code to the URL that the homeserver gave, without the access token. */
  async submitCode(code: string): Promise<void> {
    if (this.#sent?.submit_url === undefined) return;
    const { sid, submit_url: submitUrl } = this.#sent;
    const { ThreePidClient } = await loadThreePidClient();
    const client = new ThreePidClient({ baseUrl: submitUrl });
    await client.submitMsisdnTokenOtherUrl(submitUrl, sid, this.#secret, code);
  }

  /** What shows the homeserver that the number was verified; undefined before a message was sent. */
  get credentials(): { readonly sid: string; readonly client_secret: string } | undefined {
    return this.#sent && { sid: this.#sent.sid, client_secret: this.#secret };
  }

  /** Requests a message. */
  async send(session: string | null, country: string, phone: string): Promise<void> {
    // First, so that no code is sent that could not be submitted.
    await loadThreePidClient();
    const response = await this.#request(country, phone, this.#secret, this.#attempt, session);
    const sid = validationSession(response);
    const { submit_url } = response;
    this.#attempt += 1;
    this.#sent = { sid, country, phone, ...(typeof submit_url === "string" && { submit_url }) };
  }
}
