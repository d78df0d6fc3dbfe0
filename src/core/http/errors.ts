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

export interface RequestErrorOptions extends ErrorOptions {
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly reason?: string | undefined;
}

/** A request brought no usable response. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: RequestErrorCode;
  /** The HTTP status, if there was a response. */
  readonly httpStatus: number | undefined;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Why the server refused, in its own words. */
  readonly reason: string | undefined;

  /** Also true for another copy of the class: a page may have one in each bundle that it loads. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return super[Symbol.hasInstance](value) || (this === RequestError && isCopy(value));
  }

  constructor(code: RequestErrorCode, message: string, options: RequestErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
    this.reason = options.reason;
  }
}

/** Other libraries have errors of this name too, but none with this member. */
const isCopy = (value: unknown): boolean =>
  (value as Partial<Error> | undefined)?.name === "RequestError" && "retryAfterMs" in Object(value);
