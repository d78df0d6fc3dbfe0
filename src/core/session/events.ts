import { OidcFlowError } from "../oauth/flow-error.js";

/**
 * This tab or another tab has replaced a session's tokens or its homeserver's URL, or the session's
 * user ID has arrived.
 */
export class SessionChangedEvent extends Event {
  constructor() {
    super("session-changed");
  }
}

/**
 * The reason for the end of a session: the user signed out in this or another tab, the provider or
 * the homeserver rejected a token, or another sign-in replaced the session.
 */
export type SessionEndReason = "signed-out" | "refused" | "replaced";

/** A session has ended, for one of the reasons of {@link SessionEndReason}. */
export class SessionEndedEvent extends Event {
  readonly detail: {
    /**
     * Whether the homeserver keeps the device. The user can then sign in again with the same
     * device, and its data stays valid.
     *
     * @see https://spec.matrix.org/v1.19/client-server-api/#soft-logout
     */
    readonly softLogout: boolean;
    readonly reason: SessionEndReason;
  };

  constructor(detail: SessionEndedEvent["detail"]) {
    super("session-ended");
    this.detail = detail;
  }
}

/** A refresh failed for now. The session and its tokens stay. */
export class SessionRefreshFailedEvent extends Event {
  readonly detail: {
    /** `RefreshTokenFailed` with the request's code, or `token_refused`. */
    readonly error: OidcFlowError;
    /** When the next attempt is possible, in milliseconds since the epoch. */
    readonly retryAt: number;
  };

  constructor(detail: SessionRefreshFailedEvent["detail"]) {
    super("session-refresh-failed");
    this.detail = detail;
  }
}

export interface SessionEventMap {
  "session-changed": SessionChangedEvent;
  "session-ended": SessionEndedEvent;
  "session-refresh-failed": SessionRefreshFailedEvent;
}

/** These types have different names in browsers and in Node. */
type Add = Parameters<EventTarget["addEventListener"]>;
type Remove = Parameters<EventTarget["removeEventListener"]>;

export interface TypedEventTarget<Events> extends EventTarget {
  addEventListener<Type extends keyof Events>(
    type: Type,
    listener: ((event: Events[Type]) => void) | null,
    options?: Add[2],
  ): void;
  addEventListener(...parameters: Add): void;
  removeEventListener<Type extends keyof Events>(
    type: Type,
    listener: ((event: Events[Type]) => void) | null,
    options?: Remove[2],
  ): void;
  removeEventListener(...parameters: Remove): void;
}

export const SessionEventTarget = EventTarget as new () => TypedEventTarget<SessionEventMap>;

/** The error of any call on a session that has ended; `cause` contains the reason. */
export const sessionEnded = (cause?: unknown): OidcFlowError =>
  new OidcFlowError("The session has ended", "session_ended", cause);
