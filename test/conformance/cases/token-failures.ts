import assert from "node:assert/strict";
import { honestly, html, inTurn, json, status } from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "CodeExchangeFailed",
  code,
});

const tokenAnswer = (answer: Answer, login: Bend["login"] = {}): Bend => ({
  endpoints: { token: answer },
  login,
});

/** Fails once, and the login is completed again. */
const onlyAtFirst = (answer: Answer): Bend => tokenAnswer(inTurn(answer, honestly), { tries: 2 });

const waits =
  (ms: number): Row["also"] =>
  (refused) =>
    assert.equal(refused.retryAfterMs, ms);

/** A refusal in the words of RFC 6749. */
const refuses = (error: unknown, httpStatus = 400): Bend =>
  tokenAnswer(json({ error, error_description: "No." }, httpStatus));

/** A token endpoint that refuses, or fails: RFC 6749, section 5.2. */
export const TOKEN_FAILURES: readonly Row[] = [
  {
    id: "token-invalid-request",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("invalid_request"),
    refused: failed("token_request_refused"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-invalid-client",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("invalid_client", 401),
    refused: failed("token_request_refused"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-invalid-client-with-a-challenge",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: tokenAnswer(
      json({ error: "invalid_client" }, 401, { "www-authenticate": 'Basic realm="idp"' }),
    ),
    refused: failed("token_request_refused"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-invalid-grant",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("invalid_grant"),
    refused: failed("code_rejected"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-unauthorized-client",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("unauthorized_client"),
    refused: failed("token_request_refused"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-unsupported-grant-type",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("unsupported_grant_type"),
    refused: failed("token_request_refused"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-invalid-scope",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("invalid_scope"),
    refused: failed("token_request_refused"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-error-with-markup",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("<img src=x onerror=alert(1)>"),
    refused: failed("token_request_refused"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-error-that-is-no-text",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses({ code: "invalid_grant" }),
    refused: failed("unexpected_status"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-refusal-in-the-words-of-matrix",
    source:
      "Matrix, standard error response, https://spec.matrix.org/v1.16/client-server-api/#standard-error-response",
    bent: tokenAnswer(json({ errcode: "M_FORBIDDEN", error: 5 }, 403)),
    refused: failed("unexpected_status"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-refusal-as-a-web-page",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: tokenAnswer(html(403)),
    refused: failed("unexpected_status"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-refusal-that-repeats-what-it-was-sent",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: tokenAnswer(({ body }) => ({
      status: 400,
      body: { error: body, error_description: body, error_uri: body },
    })),
    refused: failed("token_request_refused"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-failure-that-repeats-what-it-was-sent",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: tokenAnswer(({ body }) => ({ status: 500, body: { error: body } })),
    refused: failed("server_error"),
    reaches: "token",
    twin: onlyAtFirst(({ body }) => ({ status: 500, body: { error: body } })),
  },
  {
    id: "token-not-found",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: tokenAnswer(status(404)),
    refused: failed("unexpected_status"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-rate-limit-with-a-header",
    source: "RFC 6585 section 4, https://www.rfc-editor.org/rfc/rfc6585#section-4",
    bent: tokenAnswer(json({ error: "slow_down" }, 429, { "retry-after": "7" })),
    refused: failed("rate_limited"),
    reaches: "token",
    also: waits(7000),
    twin: onlyAtFirst(json({ error: "slow_down" }, 429, { "retry-after": "0" })),
  },
  {
    id: "token-rate-limit-whose-header-no-page-may-read",
    source: "Matrix, rate limiting, https://spec.matrix.org/v1.16/client-server-api/#rate-limiting",
    bent: tokenAnswer(
      json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1500 }, 429, {
        "retry-after": "7",
        "access-control-expose-headers": "",
      }),
    ),
    refused: failed("rate_limited"),
    reaches: "token",
    also: waits(1500),
    twin: onlyAtFirst(json({ errcode: "M_LIMIT_EXCEEDED" }, 429)),
  },
  {
    id: "token-failure-of-the-server",
    source: "RFC 9110 section 15.6.1, https://www.rfc-editor.org/rfc/rfc9110#section-15.6.1",
    bent: tokenAnswer(status(500)),
    refused: failed("server_error"),
    reaches: "token",
    twin: onlyAtFirst(status(500)),
  },
  {
    id: "token-failure-that-looks-like-a-refusal",
    source: "RFC 9110 section 15.6.4, https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4",
    bent: refuses("invalid_grant", 503),
    refused: failed("server_error"),
    reaches: "token",
    twin: onlyAtFirst(json({ error: "temporarily_unavailable" }, 503)),
  },
  {
    id: "token-failure-of-a-gateway",
    source: "RFC 9110 section 15.6.3, https://www.rfc-editor.org/rfc/rfc9110#section-15.6.3",
    bent: tokenAnswer(html(502)),
    refused: failed("server_error"),
    reaches: "token",
    twin: onlyAtFirst(html(502)),
  },
];
