import { createContext, type Context } from "@lit/context";
import type { AuthDict, IInputs, IStageStatus } from "../core/index.js";
import type { AuthClient } from "./auth-client.js";

/** How a phone number is being verified. */
export interface PhoneValidationState {
  /** Two letters (ISO 3166-1 alpha-2). */
  readonly country: string;
  /** The number that the message was sent to. */
  readonly phone: string;
  /** Whether the person types a code here; else they follow a link. */
  readonly wantsCode: boolean;
}

/**
 * The running User-Interactive Authentication, as a view of a stage sees it. It never changes: each
 * change is a new object.
 */
export interface UiaSession extends UiaSessionActions {
  /** The stage that the homeserver asks for. */
  readonly stage: string;
  /** What the homeserver sent with it. It comes from outside: check it. */
  readonly params: unknown;
  /** What is known of the stage: why something was refused, whether a message was sent. */
  readonly status: IStageStatus;
  /** Whether the person waits for a server. */
  readonly busy: boolean;
  /** Which stage of the flow this is, counted from 1; stages that ask for nothing are not counted. */
  readonly step: number;
  /** How many stages the flow has; stages that ask for nothing are not counted. */
  readonly steps: number;
  /** The homeserver's session; null where it named none. */
  readonly sessionId: string | null;
  /** The client in use: that of the dialog, else that of the context. */
  readonly client: AuthClient | undefined;
  /** Whose account it is about, where that is known. */
  readonly userId: string | undefined;
  /** What the page gave to the dialog as `inputs`. */
  readonly inputs: IInputs;
  /** The address that a message was sent to, or is to be sent to. */
  readonly email: string | undefined;
  /** The number that a code was sent to. */
  readonly phone: PhoneValidationState | undefined;
  /** Whether the person wants to give another address or number. */
  readonly changing: boolean;
  /** Whether a further message may be asked for yet. */
  readonly canResend: boolean;
  /** Whether the person said that the stage is finished, and the homeserver said no. */
  readonly unfinished: boolean;
}

/** What a view of a stage can do. None of it rejects: what goes wrong stands in `status`. */
export interface UiaSessionActions {
  /** Submits what the stage asks for, as an object with `type`; the homeserver's session is added. */
  readonly submit: (authDict: AuthDict) => Promise<void>;
  /** Asks, unseen, whether the stage was completed elsewhere. */
  readonly poll: () => Promise<void>;
  /**
   * Asks the same because the person says that it is finished: the session is `busy` meanwhile, and
   * `unfinished` where the homeserver says no.
   */
  readonly finish: () => Promise<void>;
  /** Calls it off, unless a listener of `uia-cancel` objects. */
  readonly cancel: (reason?: unknown) => void;
  /** Has a message sent; to the same address where none is given. */
  readonly requestEmailToken: (address?: string) => Promise<void>;
  /** Has a code sent; to the same number where none is given. */
  readonly requestPhoneToken: (country?: string, phone?: string) => Promise<void>;
  /** Sends the code that came by phone, and completes the stage with it. */
  readonly submitPhoneCode: (code: string) => Promise<void>;
  /** Goes back, to give another address or number. */
  readonly changeAddress: () => void;
}

/**
 * The running authentication of the `<uia-dialog>` around; undefined while nothing is asked for. The key
 * is the same in every copy of the library. Ask for it with `subscribe: true`.
 */
export const uiaSessionContext: Context<symbol, UiaSession | undefined> = createContext(
  Symbol.for("matrix-auth-elements/uia-session"),
);
