export { LoginError, LoginErrorCode, type LoginErrorOptions } from "./errors.js";
export type {
  LegacyLoginResult,
  LegacyLoginSettings,
  LoginRequest,
  UserIdentifier,
} from "./login.js";
export { loginWithPassword, type PasswordLogin } from "./login.js";
export { completeSsoLogin, startSsoLogin, type SsoLogin } from "./sso.js";
