import type { RequestOptions } from "../http/index.js";
import { LoginError } from "./errors.js";
import {
  logIn,
  type LegacyLoginResult,
  type LegacyLoginSettings,
  type UserIdentifier,
} from "./login.js";

export interface PasswordLogin extends LegacyLoginSettings {
  readonly identifier: UserIdentifier;
  readonly password: string;
}

/**
 * Signs in with a password, and asks for a refresh token. No redirect is followed, and the response cannot
 * name another homeserver.
 *
 * @throws {LoginError} `credentials_invalid`, `user_deactivated`, `user_locked`, `rate_limited`,
 *   `login_not_supported`, `login_refused`, `login_response_invalid`, `user_mismatch`, and the request's codes.
 * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3login
 * @experimental
 */
export async function loginWithPassword(
  { identifier, password, ...settings }: PasswordLogin,
  options?: RequestOptions,
): Promise<LegacyLoginResult> {
  if (typeof password !== "string" || password === "") {
    throw new LoginError("settings_invalid", "There is no password");
  }
  const credentials = { type: "m.login.password", identifier, password };
  return logIn(credentials, "credentials_invalid", settings, options);
}
