import { isText } from "../http/json.js";
import { secureRandomString } from "../shared/base64url.js";
import { type BusyTracker, retryRateLimited, type RunningAttempt } from "./attempt.js";
import { UiaError } from "./errors.js";
import { failureStatus, readFailure } from "./failure.js";
import { AuthType, type InteractiveAuthOptions, type IStageStatus } from "./options.js";

type Options = InteractiveAuthOptions<unknown>;

export function validationSession(response: unknown): string {
  const { sid } = Object(response) as { sid?: unknown };
  if (isText(sid)) return sid;
  throw new UiaError("validation_invalid", "The response contains no validation session");
}

/**
 * The number of a validation's first message. A homeserver sends none for a number that it knows,
 * and another page may have used some with the same secret. So a resumed validation starts with a
 * higher number.
 */
export const firstAttempt = ({ sessionId, clientSecret, emailSid }: Options): number =>
  emailSid || (sessionId && clientSecret) ? Math.floor(Date.now() / 1000) : 1;

interface Authentication {
  readonly busy: BusyTracker;
  readonly attempt: () => RunningAttempt | undefined;
  readonly session: () => string | null;
  /** Reports a status, if the email stage is the current one. */
  readonly notify: (status: IStageStatus) => void;
}

export class EmailValidation {
  readonly secret: string;
  address: string | undefined;
  sid: string | undefined;
  readonly #options: Options;
  readonly #authentication: Authentication;
  #attempt: number;
  #sending: Promise<void> | undefined;

  constructor(options: Options, authentication: Authentication) {
    const { clientSecret, emailSid, inputs, matrixClient } = options;
    this.#options = options;
    this.#authentication = authentication;
    this.address = inputs?.emailAddress;
    this.sid = emailSid;
    this.#attempt = firstAttempt(options);
    this.secret = clientSecret ?? matrixClient.generateClientSecret?.() ?? secureRandomString(32);
  }

  /** Sends the first message, if there is an address. A failure becomes the stage's status. */
  start(attempt: RunningAttempt): void {
    if (!this.address || this.sid) return;
    this.send(undefined).catch((error: unknown) => {
      if (!attempt.isOver()) this.#authentication.notify(failureStatus(readFailure(error)));
    });
  }

  /**
   * Sends a message. While one is being requested, it requests another only for another address.
   */
  send(address: string | undefined): Promise<void> {
    const before = this.#sending;
    if (before && (address ?? this.address) === this.address) return before;
    const { busy, attempt: runningAttempt, session, notify } = this.#authentication;
    const sending = busy
      .during(async () => {
        if (before) await before.catch(() => undefined);
        const attempt = runningAttempt();
        await retryRateLimited(
          () => this.#request(session(), address),
          async (status) => attempt?.waitOut(status, notify) ?? false,
        );
        notify({});
      })
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined;
      });
    this.#sending = sending;
    return sending;
  }

  async #request(session: string | null, address = this.address): Promise<void> {
    if (!address) throw new UiaError("email_missing", "There is no email address");
    // A validation of another address isn't valid for this one.
    if (this.address !== undefined && this.address !== address) this.sid = undefined;
    this.address = address;
    const { requestEmailToken } = this.#options;
    const response: unknown = await requestEmailToken(address, this.secret, this.#attempt, session);
    const sid = validationSession(response);
    // Only after success: the same number after a lost response sends no second message.
    this.#attempt += 1;
    this.sid = sid;
  }

  statusAt(stage: string): IStageStatus {
    return stage === AuthType.Email && this.sid !== undefined ? { emailSid: this.sid } : {};
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
