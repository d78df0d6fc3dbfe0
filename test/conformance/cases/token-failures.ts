import { endpoint, oidcError } from "../deviations.js";
import { honestly, inSequence, json, redirect } from "../responses.js";
import { loginRows, type Deviation, type Responder } from "../row.js";
import { matrix, rfc } from "../sources.js";

const REFUSED = { source: rfc(6749, "5.2"), refused: oidcError("CodeExchangeFailed", "token_request_refused"), reaches: "token" } as const;
const UNEXPECTED = { ...REFUSED, refused: oidcError("CodeExchangeFailed", "unexpected_status") };

const tokenResponse = endpoint("token");

/** The first request fails, and the sign-in is completed again. */
const onlyAtFirst = (respond: Responder): Deviation => tokenResponse(inSequence(respond, honestly), { tries: 2 });

/** An error response as in RFC 6749. */
const refusal = (error: unknown, httpStatus = 400): Responder => json({ error, error_description: "No." }, httpStatus);

const repeated =
  (httpStatus: number): Responder =>
  ({ body }) => ({ status: httpStatus, body: { error: body, error_description: body, error_uri: body } });

const limited = (headers: Record<string, string>): Responder => json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1500 }, 429, headers);

/** A token endpoint that rejects the code, or fails in another format: RFC 6749, section 5.2. */
export const TOKEN_FAILURES = [
  ...loginRows({ ...REFUSED, deviationOf: tokenResponse }, [
    ["token-invalid-request", refusal("invalid_request")],
    ["token-invalid-client", refusal("invalid_client", 401)],
    ["token-invalid-client-with-a-challenge", json({ error: "invalid_client" }, 401, { "www-authenticate": 'Basic realm="idp"' })],
    ["token-unauthorized-client", refusal("unauthorized_client")],
    ["token-unsupported-grant-type", refusal("unsupported_grant_type")],
    ["token-invalid-scope", refusal("invalid_scope")],
    ["token-error-with-markup", refusal("<img src=x onerror=alert(1)>")],
    { id: "token-rejection-echoes-the-request", reason: /^[^&]*&code=…&/, source: rfc(9700, "4.2.4"), deviation: tokenResponse(repeated(400)) },
    ...[400, 200].map((httpStatus) => ({
      id: `token-invalid-grant-with-${httpStatus}`,
      reason: "No.",
      deviation: tokenResponse(refusal("invalid_grant", httpStatus)),
      refused: oidcError("CodeExchangeFailed", "code_rejected"),
    })),
  ]),
  ...loginRows({ ...UNEXPECTED, deviationOf: tokenResponse }, [
    ["token-error-not-a-string", refusal({ code: "invalid_grant" })],
    {
      id: "token-rejection-with-a-matrix-errcode",
      source: matrix("standard error response", "standard-error-response"),
      deviation: tokenResponse(json({ errcode: "M_FORBIDDEN", error: 5 }, 403)),
    },
  ]),
  ...loginRows({ reaches: "token" }, [
    {
      id: "token-server-error-echoes-the-request",
      source: rfc(9700, "4.2.4"),
      deviation: tokenResponse(repeated(500)),
      refused: oidcError("CodeExchangeFailed", "server_error"),
      control: onlyAtFirst(repeated(500)),
    },
    {
      id: "token-server-error-with-an-oauth-error",
      source: rfc(9110, "15.6.4"),
      deviation: tokenResponse(refusal("invalid_grant", 503)),
      refused: oidcError("CodeExchangeFailed", "server_error"),
      control: onlyAtFirst(json({ error: "temporarily_unavailable" }, 503)),
    },
    {
      id: "token-temporarily-unavailable-with-400",
      source: rfc(6749, "4.1.2.1"),
      deviation: tokenResponse(refusal("temporarily_unavailable")),
      refused: oidcError("CodeExchangeFailed", "server_error"),
      control: onlyAtFirst(refusal("temporarily_unavailable")),
    },
    {
      id: "token-rate-limit-with-an-unreadable-header",
      source: matrix("rate limiting", "rate-limiting"),
      deviation: tokenResponse(limited({ "retry-after": "7", "access-control-expose-headers": "" })),
      refused: oidcError("CodeExchangeFailed", "rate_limited"),
      retryAfterMs: 1500,
      control: onlyAtFirst(json({ errcode: "M_LIMIT_EXCEEDED" }, 429)),
    },
    {
      id: "token-redirect-to-itself",
      source: rfc(9700, "4.12"),
      deviation: tokenResponse(
        inSequence(
          redirect(307, ({ idp }) => `${idp.origin}/token`),
          honestly,
        ),
      ),
      refused: oidcError("CodeExchangeFailed", "unexpected_redirect"),
    },
  ]),
];
