import { isText } from "../../../core/http/json.js";
import type { InteractiveAuth, IStageStatus } from "../../../core/index.js";
import { submitMsisdnToken } from "../../../core/matrix/phone-code.js";
import { retryRateLimited } from "../../../core/uia/attempt.js";
import { validationSession } from "../../../core/uia/email-validation.js";
import { whileSending } from "../../../core/uia/failure.js";
import { AuthType } from "../../../core/uia/options.js";
import type { PhoneValidation as PhoneResponse } from "../../../events/uia.js";
import type { RequestPhoneToken } from "../options.js";
import { codeOf } from "../stages/typed-code.js";

export class PhoneValidation {
  readonly #auth: InteractiveAuth<unknown>;
  readonly #requestToken: RequestPhoneToken;
  readonly #homeserverUrl: string;
  readonly #secret: string;
  #attempt: number;
  #sent: PhoneResponse | undefined;

  /**
   * @param attempt The number of the first message.
   * @param homeserverUrl The homeserver that returns the URL for the code; empty if it is unknown.
   */
  constructor(
    auth: InteractiveAuth<unknown>,
    requestToken: RequestPhoneToken,
    attempt: number,
    homeserverUrl: string,
  ) {
    this.#auth = auth;
    this.#homeserverUrl = homeserverUrl;
    this.#requestToken = requestToken;
    this.#secret = auth.getClientSecret();
    this.#attempt = attempt;
  }

  /**
   * Requests a message, and waits after rate limits.
   *
   * @param isWanted Returns whether the user is still at the stage and is not changing the number.
   * @param waiting Ends the wait for a rate limit.
   * @param notify Reports a rate limit.
   * @returns Whether the user must enter a code. Undefined if the message is no longer wanted.
   */
  async send(
    country: string,
    phone: string,
    isWanted: () => boolean,
    waiting: AbortSignal,
    notify: (status: IStageStatus) => void,
  ): Promise<boolean | undefined> {
    try {
      await retryRateLimited(() => this.#request(country, phone), waiting, notify);
    } catch (error) {
      if (isWanted()) throw error;
    }
    if (!isWanted()) return undefined;
    const wantsCode = this.#sent?.submit_url !== undefined;
    // If the user must type a code, there is nothing to poll for before that.
    this.#auth.setThreepidCreds(AuthType.Msisdn, wantsCode ? undefined : this.#credentials);
    return wantsCode;
  }

  /**
   * Submits the code to the URL that the homeserver returned, without the access token. Then
   * completes the stage.
   */
  async submitCode(code: string): Promise<void> {
    if (this.#sent?.submit_url === undefined) return;
    const { sid, submit_url: submitUrl } = this.#sent;
    const threepid_creds = this.#credentials;
    const body = { sid, client_secret: this.#secret, token: codeOf(code) };
    await submitMsisdnToken(submitUrl, body, this.#homeserverUrl);
    await this.#auth.submitAuthDict({ type: AuthType.Msisdn, threepid_creds });
  }

  get #credentials(): { readonly sid: string; readonly client_secret: string } | undefined {
    return this.#sent && { sid: this.#sent.sid, client_secret: this.#secret };
  }

  async #request(country: string, phone: string): Promise<void> {
    const session = this.#auth.getSessionId();
    const requestToken = this.#requestToken;
    const secret = this.#secret;
    const response = await whileSending({ secret }, () =>
      requestToken(country, phone, secret, this.#attempt, session),
    );
    const sid = validationSession(response);
    const { submit_url } = response;
    this.#attempt += 1;
    this.#sent = { sid, ...(isText(submit_url) && { submit_url }) };
  }
}
