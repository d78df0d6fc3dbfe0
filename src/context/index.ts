export { type AuthClient, authClientContext, provideAuthClient } from "./auth-client.js";
export {
  type PhoneValidationState,
  type UiaSession,
  type UiaSessionActions,
  uiaSessionContext,
} from "./uia-session.js";
