/** The reason that a request has no usable response. The values are stable. */
export const RequestErrorCode = {
  /** No response: offline, unknown host, connection lost, or a response without CORS headers. */
  NetworkError: "network_error",
  /** No complete response within the time limit. */
  Timeout: "timeout",
  /** The caller's `AbortSignal` ended it. */
  Aborted: "aborted",
  /** HTTP 429. */
  RateLimited: "rate_limited",
  /** HTTP 408, 425, or 5xx except 501: a retry might succeed. */
  ServerError: "server_error",
  /** Any other unexpected status. */
  UnexpectedStatus: "unexpected_status",
  /** A redirect of a request that must not be redirected. */
  UnexpectedRedirect: "unexpected_redirect",
  /** The body is larger than the library reads. */
  ResponseTooLarge: "response_too_large",
  /** The body is not the expected JSON. */
  ResponseNotJson: "response_not_json",
  /** A fault of the app's own `fetch`, which is the cause. */
  Unexpected: "unexpected",
} as const;

export type RequestErrorCode = (typeof RequestErrorCode)[keyof typeof RequestErrorCode];

/** This is a function, because some bundlers keep an unused object if it has a spread. */
export const withRequestCodes = <Codes>(codes: Codes): typeof RequestErrorCode & Codes => ({
  ...RequestErrorCode,
  ...codes,
});
