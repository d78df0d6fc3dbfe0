import { type Context, createContext } from "@lit/context";
import type { AuthDict, IInputs, IStageStatus } from "../core/index.js";
import type { AuthClient } from "./auth-client.js";

/** The validation of a phone number. */
export interface PhoneValidationState {
  /** Two letters (ISO 3166-1 alpha-2). */
  readonly country: string;
  /** The phone number that the message was sent to. */
  readonly phone: string;
  /** Whether the user enters a code. Otherwise they follow a link. */
  readonly wantsCode: boolean;
}

/** The current UIA session, for a stage's view. Immutable: each change creates a new object. */
export interface UiaSession extends UiaSessionActions {
  /** The type of the current stage. */
  readonly stage: string;
  /** The homeserver's parameters for the stage. Validate them. */
  readonly params: unknown;
  /** The stage's status, for example the error of a rejected submission. */
  readonly status: IStageStatus;
  /** Whether the user is waiting for a server. */
  readonly busy: boolean;
  /** The number of this stage in the flow, from 1, without stages that need no input. */
  readonly step: number;
  /** The number of stages in the flow, without stages that need no input. */
  readonly steps: number;
  /** The ID of the homeserver's UIA session; `null` if it has none. */
  readonly sessionId: string | null;
  /** The client of the dialog or of the context. */
  readonly client: AuthClient | undefined;
  /** The user ID of the account, if available. */
  readonly userId: string | undefined;
  /** Whether the user ID is being requested. Don't show a username field during the request. */
  readonly loadingUserId: boolean;
  /** The dialog's `inputs`. */
  readonly inputs: IInputs;
  /** The email address that a message was or will be sent to. */
  readonly email: string | undefined;
  /** The phone number that a message was sent to. */
  readonly phone: PhoneValidationState | undefined;
  /** Whether the user wants to enter another address or number. */
  readonly changing: boolean;
  /** Whether another message can be requested now. */
  readonly canResend: boolean;
  /** Whether the homeserver offers another flow. */
  readonly hasOtherWay: boolean;
  /** Whether the user confirmed that the stage is finished, but the homeserver disagreed. */
  readonly unfinished: boolean;
}

/** The actions of a stage's view. They never reject: errors appear in `status`. */
export interface UiaSessionActions {
  /** Submits the stage's dictionary, with its `type`. The homeserver's session is added. */
  readonly submit: (authDict: AuthDict) => Promise<void>;
  /** Checks in the background whether the stage was completed elsewhere. */
  readonly poll: () => Promise<void>;
  /**
   * Checks whether the stage was completed after the user confirmed it. The session is `busy`
   * during the request, and `unfinished` if the homeserver disagrees.
   */
  readonly finish: () => Promise<void>;
  /** Cancels, unless a listener prevents `uia-cancel`. */
  readonly cancel: (reason?: unknown) => void;
  /** Requests an email. Default: the previous address. */
  readonly requestEmailToken: (address?: string) => Promise<void>;
  /** Requests a text message. Default: the previous number. */
  readonly requestPhoneToken: (country?: string, phone?: string) => Promise<void>;
  /** Submits the code from the text message, and then completes the stage. */
  readonly submitPhoneCode: (code: string) => Promise<void>;
  /** Continues with the next flow in the same session; after the last flow, with the first. */
  readonly tryOtherWay: () => Promise<void>;
  /** Returns to the field for the address or number. */
  readonly changeAddress: () => void;
}

/**
 * The current UIA session of the surrounding `<uia-dialog>`; `undefined` while no stage is
 * required. All copies of the library use the same key. Request it with `subscribe: true`.
 */
export const uiaSessionContext: Context<symbol, UiaSession | undefined> = createContext(
  Symbol.for("matrix-auth-elements/uia-session"),
);
