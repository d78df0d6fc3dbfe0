import { OidcError, OidcFlowError } from "../oauth/errors.js";

/** A session's tokens were replaced, by this tab or another, or its user ID has become known. */
export class SessionChangedEvent extends Event {
  constructor() {
    super("session-changed");
  }
}

/**
 * Why a session is over: the user signed out, here or in another tab; the issuer or the homeserver refused; another
 * sign-in replaced it.
 */
export type SessionEndReason = "signed-out" | "refused" | "replaced";

/** A session is over: signed out, here or in another tab, or refused. */
export class SessionEndedEvent extends Event {
  readonly detail: {
    /**
     * Whether the homeserver keeps the device: the user may sign in again with the same device, and data
     * stored for it stays valid.
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

/** The error for any call on a session that is over; `cause` says why it ended. */
export const sessionEnded = (cause?: unknown): OidcFlowError =>
  new OidcFlowError(OidcError.SessionEnded, "session_ended", cause);
