import { AuthError, type AuthErrorOptions } from "../http/auth-error.js";
import { RETRYABLE_CODES } from "../http/errors.js";
import type { OidcError, OidcErrorCode } from "./error-codes.js";

/**
 * The error of all calls for OAuth 2.0 and OpenID Connect: `message` is an {@link OidcError},
 * `code` the specific reason, `cause` the underlying error.
 *
 * @experimental
 */
export class OidcFlowError extends AuthError {
  protected static override readonly names: readonly string[] = ["OidcFlowError"];
  override readonly name = "OidcFlowError";
  declare readonly message: OidcError;
  readonly code: OidcErrorCode;

  constructor(message: OidcError, code: OidcErrorCode, cause?: unknown) {
    super(message, { ...(Object(cause) as AuthErrorOptions), cause });
    this.code = code;
  }

  /** Whether a retry of the same call might succeed. */
  get retryable(): boolean {
    return RETRYABLE_CODES.includes(this.code);
  }
}

/** An unknown error becomes the `cause`. */
export const asFlowError = (error: unknown): OidcFlowError =>
  error instanceof OidcFlowError
    ? error
    : new OidcFlowError("An unexpected error occurred", "unexpected", error);
