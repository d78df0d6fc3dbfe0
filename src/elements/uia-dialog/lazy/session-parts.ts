import type { UiaSession } from "../../../context/uia-session.js";
import type { InteractiveAuth } from "../../../core/index.js";
import type { BusyTracker } from "../../../core/uia/busy.js";
import type { RequestPhoneToken } from "../dialog-host.js";
import type { UiaSessionProvider } from "./uia-session-provider.js";

/** What the actions that views may take act on. */
export interface SessionParts {
  readonly auth: InteractiveAuth<unknown>;
  readonly requestPhoneToken: RequestPhoneToken;
  /** The number of the first message that is requested. */
  readonly firstAttempt: number;
  readonly session: UiaSessionProvider;
  /** Changes members of the session, unless the authentication is over. */
  readonly update: (change: Partial<UiaSession>) => void;
  readonly busy: BusyTracker;
  readonly cancel: (reason?: unknown) => void;
  /** Called when a message was sent. */
  readonly sent: () => void;
  /** Aborts when the authentication is over. */
  readonly over: AbortSignal;
}
