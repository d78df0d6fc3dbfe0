export { LoginError, LoginErrorCode, type LoginErrorOptions } from "./errors.js";
export type {
  LegacyLoginResult,
  LegacyLoginSettings,
  LoginRequest,
  UserIdentifier,
} from "./login.js";
export type { IdentityProvider, LoginFlows } from "./login-flows.js";
export { loginWithPassword, type PasswordLogin } from "./password-login.js";
export {
  completeSsoLogin,
  startSsoLogin,
  type SsoLogin,
  type SsoRedirectOptions,
} from "./sso-login.js";
