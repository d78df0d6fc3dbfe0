import { secureRandomString } from "../shared/base64url.js";
import { type BusyTracker, retryRateLimited, type RunningAttempt } from "./attempt.js";
import { AuthType } from "./auth-type.js";
import { UiaError } from "./errors.js";
import { readFailure, reason } from "./failure.js";
import type { InteractiveAuthOptions, IStageStatus } from "./options.js";

type Options = Pick<
  InteractiveAuthOptions<never>,
  "matrixClient" | "requestEmailToken" | "sessionId" | "clientSecret" | "emailSid" | "inputs"
>;

const CLIENT_SECRET_LENGTH = 32;

/**
 * The validation session that the homeserver's response names.
 *
 * @throws {UiaError} `validation_invalid`.
 */
export function validationSession(response: unknown): string {
  const { sid } = Object(response) as { sid?: unknown };
  if (typeof sid === "string" && sid !== "") return sid;
  throw new UiaError("validation_invalid", "The response names no validation session");
}

/**
 * The number of the first message of a validation. Another page may have had messages sent under the same
 * secret, and for a number that it has seen a homeserver sends none: a resumed validation begins above.
 */
export const firstAttempt = ({
  sessionId,
  clientSecret,
  emailSid,
}: Pick<Options, "sessionId" | "clientSecret" | "emailSid">): number =>
  emailSid || (sessionId && clientSecret) ? Math.floor(Date.now() / 1000) : 1;

/** What sending a message needs of the authentication. */
interface Authentication {
  readonly busy: BusyTracker;
  readonly attempt: () => RunningAttempt | undefined;
  readonly session: () => string | null;
  /** Reports news about the email stage, if it is the current one. */
  readonly notify: (status: IStageStatus) => void;
}

/** What is verified by a message with a link: which address, and under which secret. */
export class EmailValidation {
  readonly secret: string;
  address: string | undefined;
  sid: string | undefined;
  readonly #options: Options;
  readonly #authentication: Authentication;
  #attempt: number;
  #sending: Promise<void> | undefined;

  constructor(options: Options, authentication: Authentication) {
    this.#authentication = authentication;
    const { clientSecret, emailSid, inputs, matrixClient } = options;
    this.#options = options;
    this.address = inputs?.emailAddress;
    this.sid = emailSid;
    this.#attempt = firstAttempt(options);
    this.secret =
      clientSecret ??
      matrixClient.generateClientSecret?.() ??
      secureRandomString(CLIENT_SECRET_LENGTH);
  }

  /** Has the first message sent, if it is known where to. A failure becomes the stage's status. */
  begin(attempt: RunningAttempt): void {
    if (!this.address || this.sid) return;
    this.send(undefined).catch((error: unknown) => {
      if (!attempt.isOver()) this.#authentication.notify(reason(readFailure(error)));
    });
  }

  /**
   * Has the message sent, or sent again. While one is being requested, it waits for that one, and requests
   * another only if that is for another address.
   */
  send(address: string | undefined): Promise<void> {
    const before = this.#sending;
    if (before && (address ?? this.address) === this.address) return before;
    const { busy, notify } = this.#authentication;
    const sending = busy
      .during(async () => {
        if (before) await before.catch(() => undefined);
        await this.#requestAgain(address);
        notify({});
      })
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined;
      });
    this.#sending = sending;
    return sending;
  }

  /** Requests the message, and waits out rate limits as long as the attempt lasts. */
  #requestAgain(address: string | undefined): Promise<void> {
    const { attempt: running, session, notify } = this.#authentication;
    const attempt = running();
    return retryRateLimited(
      () => this.#request(session(), address),
      async (status) => attempt?.waitOut(status, notify) ?? false,
    );
  }

  async #request(session: string | null, address = this.address): Promise<void> {
    if (!address) throw new UiaError("email_missing", "No email address is given");
    // The link of a message to another address proves nothing about this one.
    if (this.address !== undefined && this.address !== address) this.sid = undefined;
    this.address = address;
    const response: unknown = await this.#options.requestEmailToken(
      address,
      this.secret,
      this.#attempt,
      session,
    );
    const sid = validationSession(response);
    // Counted only after success: repeating the number after a lost response sends no second message.
    this.#attempt += 1;
    this.sid = sid;
  }

  /** What is known about a stage: at the email stage the validation's `sid`. */
  statusAt(stage: string): IStageStatus {
    return stage === AuthType.Email && this.sid !== undefined ? { emailSid: this.sid } : {};
  }

  /**
   * Proves the validation to the homeserver; undefined before a message was sent.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#email-based-identity--homeserver
   */
  get credentials(): Readonly<Record<string, string>> | undefined {
    if (this.sid === undefined) return undefined;
    const identityServer = this.#options.matrixClient.getIdentityServerUrl?.();
    return {
      sid: this.sid,
      client_secret: this.secret,
      ...(identityServer &&
        URL.canParse(identityServer) && { id_server: new URL(identityServer).host }),
    };
  }
}
