import { isText } from "../http/json.js";
import { secureRandomString } from "../shared/base64url.js";
import { UiaError } from "./errors.js";
import { whileSending } from "./failure.js";
import type { InteractiveAuthOptions } from "./options.js";

type Options = InteractiveAuthOptions<unknown>;

export function validationSession(response: unknown): string {
  const { sid } = Object(response) as { sid?: unknown };
  if (isText(sid)) return sid;
  throw new UiaError("validation_invalid", "The response contains no validation session");
}

/**
 * The number of a validation's first message. A homeserver sends no message for a number that it
 * knows, and another page may have used some numbers with the same secret. Therefore a resumed
 * validation starts with a higher number.
 */
export const firstAttempt = ({ sessionId, clientSecret, emailSid }: Options): number =>
  emailSid || (sessionId && clientSecret) ? Math.floor(Date.now() / 1000) : 1;

export class EmailValidation {
  readonly secret: string;
  address: string | undefined;
  sid: string | undefined;
  readonly #options: Options;
  #attempt: number;

  constructor(options: Options) {
    const { clientSecret, emailSid, inputs, matrixClient } = options;
    this.#options = options;
    this.address = inputs?.emailAddress;
    this.sid = emailSid;
    this.#attempt = firstAttempt(options);
    this.secret = clientSecret ?? matrixClient.generateClientSecret?.() ?? secureRandomString(32);
  }

  /** Requests a message. */
  async request(session: string | null, address: string | undefined): Promise<void> {
    if (!address) throw new UiaError("email_missing", "There is no email address");
    // A validation of another address isn't valid for this one.
    if (this.address !== undefined && this.address !== address) this.sid = undefined;
    this.address = address;
    const { requestEmailToken } = this.#options;
    const { secret } = this;
    const response: unknown = await whileSending({ secret }, () =>
      requestEmailToken(address, secret, this.#attempt, session),
    );
    const sid = validationSession(response);
    // The number increases only after a success: if a response was lost, repeating the number sends
    // no second message.
    this.#attempt += 1;
    this.sid = sid;
  }

  /** @see https://spec.matrix.org/v1.19/client-server-api/#email-based-identity--homeserver */
  get credentials(): Readonly<Record<string, string>> | undefined {
    if (this.sid === undefined) return undefined;
    const identityServer = this.#options.matrixClient.getIdentityServerUrl?.();
    const hasIdentityServer = identityServer && URL.canParse(identityServer);
    return {
      sid: this.sid,
      client_secret: this.secret,
      ...(hasIdentityServer && { id_server: new URL(identityServer).host }),
    };
  }
}
