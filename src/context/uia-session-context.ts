import { createContext, type Context } from "@lit/context";
import type { AuthDict, IInputs, IStageStatus } from "../core/index.js";
import type { AuthClient } from "./auth-client.js";

/** How a phone number is being verified. */
export interface PhoneValidationState {
  /** Two letters (ISO 3166-1 alpha-2). */
  readonly country: string;
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
  readonly status: IStageStatus;
  /** Whether the person waits for a server. */
  readonly busy: boolean;
  /** Counted from 1, and how many there are; stages that ask for nothing are not counted. */
  readonly step: number;
  readonly steps: number;
  readonly sessionId: string | null;
  readonly client: AuthClient | undefined;
  /** Whose account it is about, where that is known. */
  readonly userId: string | undefined;
  readonly inputs: IInputs;
  /** The address that a message was sent to, or is to be sent to. */
  readonly email: string | undefined;
  /** The number that a code was sent to. */
  readonly phone: PhoneValidationState | undefined;
  /** Another address or number is to be given. */
  readonly changing: boolean;
  /** Whether a further message may be asked for yet. */
  readonly canResend: boolean;
  /** The homeserver was asked whether the stage is finished, and said no. */
  readonly unfinished: boolean;
}

/** What a view of a stage can do. None of it rejects: what goes wrong stands in `status`. */
export interface UiaSessionActions {
  /** Submits what the stage asks for; the session is added. */
  readonly submit: (authDict: AuthDict) => Promise<void>;
  /** Asks, unseen, whether the stage was completed elsewhere. */
  readonly poll: () => Promise<void>;
  /** The same where the person says so: they see that it is asked, and learn that it is not. */
  readonly finish: () => Promise<void>;
  /** Calls it off. */
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

/** The key is the same in every copy of the library. Ask for it with `subscribe: true`. */
export const uiaSessionContext: Context<symbol, UiaSession | undefined> = createContext(
  Symbol.for("matrix-auth-elements/uia-session"),
);
