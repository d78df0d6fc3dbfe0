import { type Context, createContext } from "@lit/context";
import type { AuthDict, IInputs, IStageStatus } from "../core/index.js";
import type { AuthClient } from "./auth-client.js";

/** How a phone number is being verified. */
export interface PhoneValidationState {
  /** Two letters (ISO 3166-1 alpha-2). */
  readonly country: string;
  /** The phone number that the message was sent to. */
  readonly phone: string;
  /** Whether the user types a code here; otherwise they follow a link. */
  readonly wantsCode: boolean;
}

/**
 * The running User-Interactive Authentication, as a stage's view sees it. Immutable: each change makes a
 * new object.
 */
export interface UiaSession extends UiaSessionActions {
  /** The stage that the homeserver asks for. */
  readonly stage: string;
  /** What the homeserver sent with the stage. Untrusted: validate it. */
  readonly params: unknown;
  /** What is known about the stage: why something was refused, whether a message was sent. */
  readonly status: IStageStatus;
  /** Whether the user is waiting for a server. */
  readonly busy: boolean;
  /** Which stage of the flow this is, counted from 1; stages without input are not counted. */
  readonly step: number;
  /** How many stages the flow has; stages without input are not counted. */
  readonly steps: number;
  /** The homeserver's session; null if it has none. */
  readonly sessionId: string | null;
  /** The client in use: the dialog's, else the context's. */
  readonly client: AuthClient | undefined;
  /** The user ID of the account in question, if known. */
  readonly userId: string | undefined;
  /** Whether the homeserver is being asked for the user ID: until then no username should be typed. */
  readonly loadingUserId: boolean;
  /** What the page passed to the dialog as `inputs`. */
  readonly inputs: IInputs;
  /** The email address that a message was or will be sent to. */
  readonly email: string | undefined;
  /** The phone number that a message was sent to. */
  readonly phone: PhoneValidationState | undefined;
  /** Whether the user wants to enter another address or number. */
  readonly changing: boolean;
  /** Whether another message may be requested yet. */
  readonly canResend: boolean;
  /** Whether the homeserver offers another way to the goal. */
  readonly hasOtherWay: boolean;
  /** Whether the user said that the stage is finished but the homeserver disagreed. */
  readonly unfinished: boolean;
}

/** What a stage's view can do. None of it rejects: errors appear in `status`. */
export interface UiaSessionActions {
  /** Submits what the stage asks for, as an object with `type`; the homeserver's session is added. */
  readonly submit: (authDict: AuthDict) => Promise<void>;
  /** Asks in the background whether the stage was completed elsewhere. */
  readonly poll: () => Promise<void>;
  /**
   * Asks the same because the user says that it is finished: the session is `busy` during the request
   * and `unfinished` if the homeserver disagrees.
   */
  readonly finish: () => Promise<void>;
  /** Cancels, unless a listener prevents `uia-cancel`. */
  readonly cancel: (reason?: unknown) => void;
  /** Requests a message; by default to the same address as before. */
  readonly requestEmailToken: (address?: string) => Promise<void>;
  /** Requests a text message; by default to the same number as before. */
  readonly requestPhoneToken: (country?: string, phone?: string) => Promise<void>;
  /** Submits the code from the text message and completes the stage with it. */
  readonly submitPhoneCode: (code: string) => Promise<void>;
  /** Goes on with another way, in the same session; after the last, the first again. */
  readonly tryOtherWay: () => Promise<void>;
  /** Goes back to entering an address or number. */
  readonly changeAddress: () => void;
}

/**
 * The running authentication of the surrounding `<uia-dialog>`; undefined while no stage is required. The
 * key is the same in every copy of the library. Request it with `subscribe: true`.
 */
export const uiaSessionContext: Context<symbol, UiaSession | undefined> = createContext(
  Symbol.for("matrix-auth-elements/uia-session"),
);
