import { honestly, html, inSequence, json, status } from "../responses.js";
import type { Responder, Deviation, Row } from "../row.js";
import { loginRows } from "../row.js";
import { matrix, rfc } from "../sources.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "CodeExchangeFailed",
  code,
});

const tokenResponse = (respond: Responder, login: Deviation["login"] = {}): Deviation => ({
  endpoints: { token: respond },
  login,
});

/** Fails once, and the login is completed again. */
const onlyAtFirst = (respond: Responder): Deviation =>
  tokenResponse(inSequence(respond, honestly), { tries: 2 });

/** A refusal in the words of RFC 6749. */
const refuses = (error: unknown, httpStatus = 400): Deviation =>
  tokenResponse(json({ error, error_description: "No." }, httpStatus));

/** A token endpoint that refuses, or fails: RFC 6749, section 5.2. */
export const TOKEN_FAILURES = loginRows(
  { source: rfc(6749, "5.2"), refused: failed("token_request_refused"), reaches: "token" },
  [
    { id: "token-invalid-request", deviation: refuses("invalid_request") },
    { id: "token-invalid-client", deviation: refuses("invalid_client", 401) },
    {
      id: "token-invalid-client-with-a-challenge",
      deviation: tokenResponse(
        json({ error: "invalid_client" }, 401, { "www-authenticate": 'Basic realm="idp"' }),
      ),
    },
    {
      id: "token-invalid-grant",
      reason: "No.",
      deviation: refuses("invalid_grant"),
      refused: failed("code_rejected"),
    },
    { id: "token-unauthorized-client", deviation: refuses("unauthorized_client") },
    { id: "token-unsupported-grant-type", deviation: refuses("unsupported_grant_type") },
    { id: "token-invalid-scope", deviation: refuses("invalid_scope") },
    { id: "token-error-with-markup", deviation: refuses("<img src=x onerror=alert(1)>") },
    {
      id: "token-error-that-is-no-text",
      deviation: refuses({ code: "invalid_grant" }),
      refused: failed("unexpected_status"),
    },
    {
      id: "token-refusal-in-the-words-of-matrix",
      source: matrix("standard error response", "standard-error-response"),
      deviation: tokenResponse(json({ errcode: "M_FORBIDDEN", error: 5 }, 403)),
      refused: failed("unexpected_status"),
    },
    {
      id: "token-refusal-as-a-web-page",
      deviation: tokenResponse(html(403)),
      refused: failed("unexpected_status"),
    },
    {
      id: "token-refusal-that-repeats-what-it-was-sent",
      reason: /^[^&]*&code=…&/,
      source: rfc(9700, "4.2.4"),
      deviation: tokenResponse(({ body }) => ({
        status: 400,
        body: { error: body, error_description: body, error_uri: body },
      })),
    },
    {
      id: "token-failure-that-repeats-what-it-was-sent",
      source: rfc(9700, "4.2.4"),
      deviation: tokenResponse(({ body }) => ({ status: 500, body: { error: body } })),
      refused: failed("server_error"),
      control: onlyAtFirst(({ body }) => ({ status: 500, body: { error: body } })),
    },
    {
      id: "token-not-found",
      source: rfc(8414, "2"),
      deviation: tokenResponse(status(404)),
      refused: failed("unexpected_status"),
    },
    {
      id: "token-rate-limit-with-a-header",
      source: rfc(6585, "4"),
      deviation: tokenResponse(json({ error: "slow_down" }, 429, { "retry-after": "7" })),
      refused: failed("rate_limited"),
      retryAfterMs: 7000,
      control: onlyAtFirst(json({ error: "slow_down" }, 429, { "retry-after": "0" })),
    },
    {
      id: "token-rate-limit-whose-header-no-page-may-read",
      source: matrix("rate limiting", "rate-limiting"),
      deviation: tokenResponse(
        json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1500 }, 429, {
          "retry-after": "7",
          "access-control-expose-headers": "",
        }),
      ),
      refused: failed("rate_limited"),
      retryAfterMs: 1500,
      control: onlyAtFirst(json({ errcode: "M_LIMIT_EXCEEDED" }, 429)),
    },
    {
      id: "token-failure-of-the-server",
      source: rfc(9110, "15.6.1"),
      deviation: tokenResponse(status(500)),
      refused: failed("server_error"),
      control: onlyAtFirst(status(500)),
    },
    {
      id: "token-failure-that-looks-like-a-refusal",
      source: rfc(9110, "15.6.4"),
      deviation: refuses("invalid_grant", 503),
      refused: failed("server_error"),
      control: onlyAtFirst(json({ error: "temporarily_unavailable" }, 503)),
    },
    {
      id: "token-failure-of-a-gateway",
      source: rfc(9110, "15.6.3"),
      deviation: tokenResponse(html(502)),
      refused: failed("server_error"),
      control: onlyAtFirst(html(502)),
    },
  ],
);
