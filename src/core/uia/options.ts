import type { AuthDict } from "../shared/auth-dict.js";
import type { AuthData } from "./failure.js";

/** What is used of a client. Every member is optional; matrix-js-sdk's `MatrixClient` has them all. */
export interface UiaClient {
  /** The URL of the homeserver's own page for a stage. */
  getFallbackAuthUrl?(loginType: string, authSessionId: string): string;
  /** The secret with which addresses and phone numbers are verified. Default: a random one. */
  generateClientSecret?(): string;
  /** The identity server, for homeservers that verify addresses there. */
  getIdentityServerUrl?(): string | undefined;
}

/** The inputs by which a flow is chosen and with which it is completed. */
export interface IInputs {
  /** Prefers flows that verify an email address. */
  readonly emailAddress?: string | undefined;
  /** Two letters (ISO 3166-1 alpha-2): the country of a phone number without an international prefix. */
  readonly phoneCountry?: string | undefined;
  /** Prefers flows that verify a phone number. */
  readonly phoneNumber?: string | undefined;
  /** What the dialog has in its field at the stage of a registration token. */
  readonly registrationToken?: string | undefined;
}

/** What is known about a stage besides its type. */
export interface IStageStatus {
  /** Why the homeserver refused what was submitted, for example `M_FORBIDDEN`. */
  readonly errcode?: string;
  /** The same in the server's words: plain text of at most 1000 characters, never markup. */
  readonly error?: string;
  /** The session of the email validation, once a message was sent. */
  readonly emailSid?: string;
  /** How long the homeserver asks to wait, in milliseconds; the request is then sent again. */
  readonly retryAfterMs?: number;
  /** The homeserver had forgotten the session: the stages start over. */
  readonly restarted?: boolean;
}

export interface InteractiveAuthOptions<T> {
  readonly matrixClient: UiaClient;
  /**
   * Makes the request, always with its complete body, and with `authData` as `auth` in it if that is not
   * null. `background`: a poll that no caller waits for.
   */
  readonly doRequest: (authData: AuthDict | null, background: boolean) => Promise<T>;
  /** Called with the stage to show, or with news about it. */
  readonly stateUpdated: (nextStage: string, status: IStageStatus) => void;
  /** Has a verification message sent, for example with `client.requestRegisterEmailToken`. */
  readonly requestEmailToken: (
    email: string,
    secret: string,
    attempt: number,
    session: string | null,
  ) => Promise<{ readonly sid: string }>;
  readonly inputs?: IInputs | undefined;
  /** Stages that the caller has a view for; flows without others are preferred. */
  readonly supportedStages?: readonly string[] | undefined;
  /** Called on each change of whether the user is waiting for a server. */
  readonly busyChanged?: ((busy: boolean) => void) | undefined;
  /** Resumes a session; with the next two if its email stage had begun. */
  readonly sessionId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly emailSid?: string | undefined;
  /**
   * The body of a 401 that the caller already has: no request is sent before the first submit. Without
   * `flows`, its `session` is resumed.
   */
  readonly authData?: Partial<AuthData> | null | undefined;
  /** Ends the attempt, as `cancel()` does. */
  readonly signal?: AbortSignal | undefined;
}
