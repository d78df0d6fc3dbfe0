import type { RequestError } from "../http/request-error.js";
import type { OidcError, OidcErrorCode } from "./error-codes.js";

/** Failures after which the same call may still succeed. */
const RETRYABLE: readonly OidcErrorCode[] = [
  "network_error",
  "timeout",
  "aborted",
  "rate_limited",
  "server_error",
  "keys_unavailable",
];

/**
 * What every call of the OpenID Connect part rejects with: `message` is an {@link OidcError}, `code` the
 * specific reason, `cause` the underlying error.
 *
 * @experimental
 */
export class OidcFlowError extends Error {
  override readonly name = "OidcFlowError";
  declare readonly message: OidcError;
  readonly code: OidcErrorCode;

  /** Also true for another copy of the class: a page may have one in each bundle that it loads. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isCopy = (value as Partial<Error> | undefined)?.name === "OidcFlowError";
    return super[Symbol.hasInstance](value) || (this === OidcFlowError && isCopy);
  }

  constructor(message: OidcError, code: OidcErrorCode, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }

  /** Whether the same call may succeed if it is tried again. */
  get retryable(): boolean {
    return RETRYABLE.includes(this.code);
  }

  /** How long the server asks to wait before the next attempt, in milliseconds. */
  get retryAfterMs(): number | undefined {
    return (this.cause as Partial<RequestError> | undefined)?.retryAfterMs;
  }

  /** Why the server refused, in its own words. */
  get reason(): string | undefined {
    return (this.cause as Partial<RequestError> | undefined)?.reason;
  }
}
