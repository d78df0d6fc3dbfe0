export { authClientContext } from "./auth-client-context.js";
export type { AuthClient } from "./auth-client.js";
export { provideAuthClient } from "./provide-auth-client.js";
export {
  uiaSessionContext,
  type PhoneValidationState,
  type UiaSession,
  type UiaSessionActions,
} from "./uia-session-context.js";
