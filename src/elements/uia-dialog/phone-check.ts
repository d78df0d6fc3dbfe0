import type { PhoneValidationState } from "../../context/uia-session-context.js";
import type { PhoneValidation } from "../../events/uia-request-phone-token.js";
import type { RequestPhoneToken } from "./uia-dialog.js";

/** The verification of a phone number by a message. */
export class PhoneCheck {
  readonly #secret: string;
  readonly #request: RequestPhoneToken;
  #attempt = 1;
  #sent: (PhoneValidation & { readonly country: string; readonly phone: string }) | undefined;

  constructor(secret: string, request: RequestPhoneToken) {
    this.#secret = secret;
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

  /** What proves the verification to the homeserver. */
  get credentials(): { readonly sid: string; readonly client_secret: string } | undefined {
    return this.#sent && { sid: this.#sent.sid, client_secret: this.#secret };
  }

  /** Has a message sent. */
  async send(session: string | null, country: string, phone: string): Promise<void> {
    const answer = await this.#request(country, phone, this.#secret, this.#attempt, session);
    const { sid, submit_url } = Object(answer) as Partial<Record<keyof PhoneValidation, unknown>>;
    if (typeof sid !== "string" || sid === "") {
      throw new Error("The answer names no validation session");
    }
    this.#attempt += 1;
    this.#sent = { sid, country, phone, ...(typeof submit_url === "string" && { submit_url }) };
  }
}
