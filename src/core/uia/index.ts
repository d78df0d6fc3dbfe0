export { AuthType } from "./auth-type.js";
export {
  readFailure,
  type AuthData,
  type AuthFlow,
  type Challenge,
  type Failure,
} from "./challenge.js";
export { NoAuthFlowFoundError, UiaError, UiaErrorCode } from "./errors.js";
export type { IInputs } from "./flow-choice.js";
export type {
  IStageStatus,
  InteractiveAuthOptions,
  UiaClient,
} from "./interactive-auth-options.js";
export { InteractiveAuth } from "./interactive-auth.js";
