import type { PhoneValidationState } from "../../context/uia-session-context.js";
import type * as ThreePidsModule from "../../core/homeserver/threepid-client.js";
import { validationSession } from "../../core/uia/email-validation.js";
import type { PhoneValidation } from "../../events/uia-request-phone-token.js";
import type { RequestPhoneToken } from "./uia-dialog.js";

type ThreePids = typeof ThreePidsModule;

const loadThreePidClient = (): Promise<ThreePids> =>
  import("../../core/homeserver/threepid-client.js");

/** The verification of a phone number by a message. */
export class PhoneCheck {
  readonly #secret: string;
  readonly #request: RequestPhoneToken;
  #attempt: number;
  #sent: (PhoneValidation & { readonly country: string; readonly phone: string }) | undefined;

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

  /** Where the code goes; undefined where the person follows a link instead. */
  get submitUrl(): string | undefined {
    return this.#sent?.submit_url;
  }

  /** Sends the code to where the homeserver wants it: the address is its own, but no token goes there. */
  async submitCode(code: string): Promise<void> {
    if (this.#sent?.submit_url === undefined) return;
    const { sid, submit_url: submitUrl } = this.#sent;
    const { ThreePidClient } = await loadThreePidClient();
    const client = new ThreePidClient({ baseUrl: submitUrl });
    await client.submitMsisdnTokenOtherUrl(submitUrl, sid, this.#secret, code);
  }

  /** What proves the verification to the homeserver. */
  get credentials(): { readonly sid: string; readonly client_secret: string } | undefined {
    return this.#sent && { sid: this.#sent.sid, client_secret: this.#secret };
  }

  /** Has a message sent. */
  async send(session: string | null, country: string, phone: string): Promise<void> {
    // Before anybody gets a code that could not be sent on.
    await loadThreePidClient();
    const answer = await this.#request(country, phone, this.#secret, this.#attempt, session);
    const sid = validationSession(answer);
    const { submit_url } = answer;
    this.#attempt += 1;
    this.#sent = { sid, country, phone, ...(typeof submit_url === "string" && { submit_url }) };
  }
}
