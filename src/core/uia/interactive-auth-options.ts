import type { AuthDict } from "../auth-dict.js";
import type { AuthData } from "./challenge.js";
import type { IInputs } from "./flow-choice.js";

/** What is asked of a client. Every member may be missing; matrix-js-sdk's `MatrixClient` has all. */
export interface UiaClient {
  /** The address of the homeserver's own page for a stage. */
  getFallbackAuthUrl?(loginType: string, authSessionId: string): string;
  /** The secret under which addresses and numbers are verified. Default: a random one. */
  generateClientSecret?(): string;
  /** The identity server, for homeservers that have addresses verified there. */
  getIdentityServerUrl?(): string | undefined;
}

/** What is known of a stage besides its type. */
export interface IStageStatus {
  /** Why the homeserver refused what was submitted, for example `M_FORBIDDEN`. */
  readonly errcode?: string;
  /** The same in the server's words: text of at most 1000 characters, never markup. */
  readonly error?: string;
  /** The session of the e-mail validation: a message was sent. */
  readonly emailSid?: string;
  /** The homeserver wants to be left in peace for so many milliseconds; the request goes out then. */
  readonly retryAfterMs?: number;
  /** The homeserver had forgotten the session: the stages begin anew. */
  readonly restarted?: boolean;
}

export interface InteractiveAuthOptions<T> {
  readonly matrixClient: UiaClient;
  /**
   * Makes the request, with `authData` as `auth` in its body where it is not null: always the whole
   * body. `background`: nobody waits for it.
   */
  readonly doRequest: (authData: AuthDict | null, background: boolean) => Promise<T>;
  /** The stage to show, or news of it. */
  readonly stateUpdated: (nextStage: string, status: IStageStatus) => void;
  /** Has a verification message sent, for example by `client.requestRegisterEmailToken`. */
  readonly requestEmailToken: (
    email: string,
    secret: string,
    attempt: number,
    session: string | null,
  ) => Promise<{ readonly sid: string }>;
  readonly inputs?: IInputs | undefined;
  /** Stages that the caller has a view for; flows without others are preferred. */
  readonly supportedStages?: readonly string[] | undefined;
  /** Whether the person waits for a server; told on each change. */
  readonly busyChanged?: ((busy: boolean) => void) | undefined;
  /** Resumes a session, with the two below where its e-mail stage had begun. */
  readonly sessionId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly emailSid?: string | undefined;
  /** The body of a 401 that the caller has already: no request goes out before the first submit. */
  readonly authData?: AuthData | null | undefined;
  /** Ends the attempt, as `cancel()` does. */
  readonly signal?: AbortSignal | undefined;
}
