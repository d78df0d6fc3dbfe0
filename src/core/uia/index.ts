export { AuthType } from "./auth-type.js";
export {
  readFailure,
  type AuthData,
  type AuthFlow,
  type Challenge,
  type Failure,
} from "./failure.js";
export { NoAuthFlowFoundError, UiaError, UiaErrorCode } from "./errors.js";
export type { IInputs, IStageStatus, InteractiveAuthOptions, UiaClient } from "./options.js";
export { InteractiveAuth } from "./interactive-auth.js";
