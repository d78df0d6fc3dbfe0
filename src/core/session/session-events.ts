/** The tokens of an `OidcSession` were replaced, by this tab or another. */
export class SessionChangedEvent extends Event {
  constructor() {
    super("session-changed");
  }
}

export interface SessionEndedDetail {
  /**
   * Whether the homeserver keeps the device: the person may sign in again as the same device, and what
   * is stored for it stays good.
   *
   * @see https://spec.matrix.org/v1.16/client-server-api/#soft-logout
   */
  readonly softLogout: boolean;
}

/** An `OidcSession` is over: signed out, here or in another tab, or refused by the issuer. */
export class SessionEndedEvent extends Event {
  readonly detail: SessionEndedDetail;

  constructor(detail: SessionEndedDetail) {
    super("session-ended");
    this.detail = detail;
  }
}

export interface OidcSessionEventMap {
  "session-changed": SessionChangedEvent;
  "session-ended": SessionEndedEvent;
}

/** As the platform has them, by other names in a browser than in Node. */
type Add = Parameters<EventTarget["addEventListener"]>;
type Remove = Parameters<EventTarget["removeEventListener"]>;

/** An `EventTarget` that knows its events. */
interface TypedEventTarget<Events> extends EventTarget {
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

export const OidcSessionEventTarget =
  EventTarget as new () => TypedEventTarget<OidcSessionEventMap>;
