import type { AuthFlow } from "./challenge.js";

/** Why an attempt ended without the request having succeeded. The values are stable. */
export const UiaErrorCode = {
  /** `cancel()` or the `AbortSignal` ended it. */
  Cancelled: "cancelled",
  /** No flow can be gone through with what was given: a {@link NoAuthFlowFoundError}. */
  NoAuthFlow: "no_auth_flow",
  /** Every stage is completed, and the homeserver still asks. */
  FlowExhausted: "flow_exhausted",
  /** The homeserver refuses the stage that asks for nothing. */
  DummyRefused: "dummy_refused",
  /** Something was submitted while nothing was being attempted. */
  NotAttempting: "not_attempting",
  /** A verification message was asked for, but for no address. */
  EmailMissing: "email_missing",
  /** The request for a verification message was answered without a session id. */
  ValidationInvalid: "validation_invalid",
  /** The page gives no way to do what a stage needs: neither a callback nor a listener. */
  NoHandler: "no_handler",
  /** The dialog is not in the document, so nobody can be asked. */
  NotConnected: "not_connected",
  /** A part of the library could not be loaded. */
  LoadFailed: "load_failed",
} as const;

export type UiaErrorCode = (typeof UiaErrorCode)[keyof typeof UiaErrorCode];

/** User-Interactive Authentication that cannot go on. */
export class UiaError extends Error {
  override readonly name: string = "UiaError";
  readonly code: UiaErrorCode;

  constructor(code: UiaErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** No flow of the homeserver can use an address or a number that was given. */
export class NoAuthFlowFoundError extends UiaError {
  override readonly name = "NoAuthFlowFoundError";
  /** The stages that a flow would need. */
  readonly required_stages: readonly string[];
  /** What the homeserver offers. */
  readonly flows: readonly AuthFlow[];

  constructor(message: string, requiredStages: readonly string[], flows: readonly AuthFlow[]) {
    super("no_auth_flow", message);
    this.required_stages = requiredStages;
    this.flows = flows;
  }
}
