/** Why a request brought no usable response. The values are stable. */
export const RequestErrorCode = {
  /** No response: offline, unknown host, connection lost, or a response without CORS headers. */
  NetworkError: "network_error",
  /** No complete response within the time limit. */
  Timeout: "timeout",
  /** The caller's `AbortSignal` ended it. */
  Aborted: "aborted",
  /** HTTP 429. */
  RateLimited: "rate_limited",
  /** HTTP 5xx. */
  ServerError: "server_error",
  /** Any other status that was not expected. */
  UnexpectedStatus: "unexpected_status",
  /** A redirect of a request that must not be redirected. */
  UnexpectedRedirect: "unexpected_redirect",
  /** The body is larger than the library reads. */
  ResponseTooLarge: "response_too_large",
  /** The body is not the JSON that was expected. */
  ResponseNotJson: "response_not_json",
} as const;

export type RequestErrorCode = (typeof RequestErrorCode)[keyof typeof RequestErrorCode];

/** The code of a failure of which only the HTTP status is known. */
export const codeOfStatus = (status: number): RequestErrorCode =>
  status === 429 ? "rate_limited" : status >= 500 ? "server_error" : "unexpected_status";

const BRAND = Symbol.for("matrix-auth-elements/error");

export interface AuthErrorOptions extends ErrorOptions {
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly reason?: string | undefined;
}

/** What every error of this library is. */
export abstract class AuthError extends Error {
  /** The names of the errors of a class: a page may have a copy of it in each bundle that it loads. */
  protected static readonly names: readonly string[] = [];
  /** The HTTP status, if there was a response. */
  readonly httpStatus: number | undefined;
  /** How long the server asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Why the server refused, in its own words. */
  readonly reason: string | undefined;

  /** Also true for another copy of the class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (super[Symbol.hasInstance](value)) return true;
    if (!(BRAND in Object(value))) return false;
    const { name } = value as Error;
    return this === AuthError || (Object.hasOwn(this, "names") && this.names.includes(name));
  }

  constructor(message: string, options: AuthErrorOptions = {}) {
    super(message, options);
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
    this.reason = options.reason;
  }

  get [BRAND](): true {
    return true;
  }
}

/** A request brought no usable response. */
export class RequestError extends AuthError {
  protected static override readonly names: readonly string[] = ["RequestError"];
  override readonly name = "RequestError";
  readonly code: RequestErrorCode;

  constructor(code: RequestErrorCode, message: string, options?: AuthErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
