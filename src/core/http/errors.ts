import { AuthError, type AuthErrorOptions } from "./auth-error.js";
import type { RequestErrorCode } from "./error-codes.js";

/**
 * After these codes, a retry might succeed. A response without JSON may be another server's page.
 * Only sign-in with OAuth 2.0 has the last one.
 */
export const RETRYABLE_CODES: readonly string[] = [
  "network_error",
  "timeout",
  "aborted",
  "rate_limited",
  "server_error",
  "response_not_json",
  "keys_unavailable",
];

/** The error of a request without a usable response. */
export class RequestError extends AuthError {
  protected static override readonly names: readonly string[] = ["RequestError"];
  override readonly name = "RequestError";
  readonly code: RequestErrorCode;

  constructor(code: RequestErrorCode, message: string, options: AuthErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}
