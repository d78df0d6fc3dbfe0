import type { UiaSession } from "../../../../context/uia-session.js";
import { isText } from "../../../../core/http/json.js";
import { submitMsisdnToken } from "../../../../core/matrix/phone-code.js";
import { retryRateLimited } from "../../../../core/uia/attempt.js";
import { validationSession } from "../../../../core/uia/email-validation.js";
import { AuthType } from "../../../../core/uia/options.js";
import type { PhoneValidation as PhoneResponse } from "../../../../events/uia.js";
import type { SessionParts } from "../session-provider.js";

export class PhoneValidation {
  readonly #parts: SessionParts;
  readonly #secret: string;
  #attempt: number;
  #sent: PhoneResponse | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#secret = parts.auth.getClientSecret();
    this.#attempt = parts.firstAttempt;
  }

  /**
   * Requests a message, and waits out rate limits, for as long as `before` has the stage that the
   * user is at.
   */
  async send(before: UiaSession | undefined, country: string, phone: string): Promise<void> {
    const { auth, session, update, sent, over } = this.#parts;
    // The stage isn't complete, and the user isn't changing the number.
    const isAsked = (): boolean =>
      session.value?.stage === before?.stage && session.value?.changing === before?.changing;
    const unwanted = new AbortController();
    const signal = AbortSignal.any([over, unwanted.signal]);
    const onChange = (): unknown => isAsked() || unwanted.abort();
    onChange();
    session.addEventListener("change", onChange, { signal });
    try {
      const request = (): Promise<void> => this.#request(country, phone);
      await retryRateLimited(request, signal, (status) => update({ status }));
    } catch (error) {
      if (isAsked()) throw error;
    } finally {
      unwanted.abort();
    }
    if (!isAsked()) return;
    const wantsCode = this.#sent?.submit_url !== undefined;
    // If the user types a code, there is nothing to poll for before that.
    auth.setThreepidCreds(AuthType.Msisdn, wantsCode ? undefined : this.#credentials);
    const state = { country, phone, wantsCode };
    update({ phone: state, status: {}, changing: false, unfinished: false });
    sent();
  }

  /**
   * Submits the code to the URL that the homeserver gave, without the access token, and completes
   * the stage with it.
   */
  async submitCode(code: string): Promise<void> {
    if (this.#sent?.submit_url === undefined) return;
    const { sid, submit_url: submitUrl } = this.#sent;
    const threepid_creds = this.#credentials;
    await submitMsisdnToken(submitUrl, { sid, client_secret: this.#secret, token: code });
    await this.#parts.auth.submitAuthDict({ type: AuthType.Msisdn, threepid_creds });
  }

  get #credentials(): { readonly sid: string; readonly client_secret: string } | undefined {
    return this.#sent && { sid: this.#sent.sid, client_secret: this.#secret };
  }

  async #request(country: string, phone: string): Promise<void> {
    const { auth, requestPhoneToken } = this.#parts;
    const session = auth.getSessionId();
    const response = await requestPhoneToken(country, phone, this.#secret, this.#attempt, session);
    const sid = validationSession(response);
    const { submit_url } = response;
    this.#attempt += 1;
    this.#sent = { sid, ...(isText(submit_url) && { submit_url }) };
  }
}
