import { AuthError } from "../http/auth-error.js";
import type { AuthFlow } from "./options.js";

/** The reasons for which an attempt ends without success. The values are stable. */
export const UiaErrorCode = {
  /** `cancel()` or the `AbortSignal` ended it. */
  Cancelled: "cancelled",
  /** No flow can use the given inputs: a {@link NoAuthFlowFoundError}. */
  NoAuthFlow: "no_auth_flow",
  /** Every stage is complete, but the homeserver still requires authentication. */
  FlowExhausted: "flow_exhausted",
  /** The homeserver rejects `m.login.dummy`, the stage without user input. */
  DummyRefused: "dummy_refused",
  /** Something was submitted while no attempt was in progress. */
  NotAttempting: "not_attempting",
  /** A verification message was requested without an address. */
  EmailMissing: "email_missing",
  /** The response to the request for a verification message has no session ID. */
  ValidationInvalid: "validation_invalid",
  /** The page has neither a callback nor a listener for a request that a stage needs. */
  NoHandler: "no_handler",
  /** The dialog is not in the document. */
  NotConnected: "not_connected",
  /** The dialog is inside an element that is not displayed. */
  NotVisible: "not_visible",
  /**
   * The client belongs to another account than the user ID says, or than it did at the time of the
   * call.
   */
  AccountMismatch: "account_mismatch",
  /** A part of the library could not be loaded. */
  LoadFailed: "load_failed",
} as const;

export type UiaErrorCode = (typeof UiaErrorCode)[keyof typeof UiaErrorCode];

/** User-Interactive Authentication cannot continue. */
export class UiaError extends AuthError {
  protected static override readonly names = ["UiaError", "NoAuthFlowFoundError"];
  override readonly name: string = "UiaError";
  readonly code: UiaErrorCode;

  constructor(code: UiaErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The homeserver offers no flow, or no flow that can use the given address or phone number. */
export class NoAuthFlowFoundError extends UiaError {
  protected static override readonly names = ["NoAuthFlowFoundError"];
  override readonly name = "NoAuthFlowFoundError";
  /** The stages that a flow must contain. */
  readonly required_stages: readonly string[];
  /** The flows that the homeserver offers. */
  readonly flows: readonly AuthFlow[];

  constructor(message: string, requiredStages: readonly string[], flows: readonly AuthFlow[]) {
    super("no_auth_flow", message);
    this.required_stages = requiredStages;
    this.flows = flows;
  }
}
