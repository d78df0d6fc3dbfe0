import assert from "node:assert/strict";
import {
  cutShort,
  endless,
  honestly,
  html,
  inTurn,
  json,
  padded,
  redirect,
  status,
  text,
  unreadable,
} from "../answers.js";
import type { Answer, Bend, Patch, Refused, Row } from "../bend.js";

const RFC8628 = "RFC 8628 section 3.5, https://www.rfc-editor.org/rfc/rfc8628#section-3.5";
const RFC6749 = "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1";
const RFC9110 = "RFC 9110 section 10.2.3, https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3";

const login: NonNullable<Bend["login"]> = { byDevice: true };

const honest: Bend = { login };

const refusal = (error: unknown, code = 400): Answer => json({ error }, code);
const pending = refusal("authorization_pending");
const denied = refusal("access_denied");

const polled = (...answers: [Answer, ...Answer[]]): Bend => ({
  login,
  endpoints: { "device token": inTurn(...answers) },
});

const tokens = (patch: Patch): Bend => ({ login, tokens: patch });

/** The page asked so often, after so many seconds each. */
const asked =
  (...seconds: readonly number[]): Row["also"] =>
  ({ waits, world }: Refused) => {
    assert.deepEqual(
      waits,
      seconds.map((each) => each * 1000),
    );
    const polls = world.requests.filter(({ endpoint }) => endpoint === "device token");
    assert.equal(polls.length, seconds.length);
    for (const { to, body, query } of polls) {
      assert.equal(to, "idp");
      assert.equal(query.size, 0);
      assert.deepEqual([...new URLSearchParams(body).keys()].sort(), [
        "client_id",
        "device_code",
        "grant_type",
      ]);
    }
  };

const failed = (code: Row["refused"]["code"]): Pick<Row, "refused" | "reaches"> => ({
  refused: { message: "DeviceAuthorizationGrantFailed", code },
  reaches: "token",
});

const personSaidNo: Pick<Row, "refused" | "reaches"> = {
  refused: { message: "AuthorizationRefused", code: "access_denied" },
  reaches: "token",
};

const badTokens = (
  code: "token_response_invalid" | "scope_not_granted",
): Pick<Row, "refused" | "reaches"> => ({
  refused: { message: "InvalidBearerTokenResponse", code },
  reaches: "token",
});

/** It ends with this answer, whatever would come after. */
const final = (answer: Answer, code: Row["refused"]["code"]): Omit<Row, "id" | "source"> => ({
  bent: polled(pending, answer, honestly),
  ...failed(code),
  also: asked(1, 1),
  twin: polled(pending, honestly),
});

/** It passes, while the page waits twice as long; the person's no comes through in the end. */
const passing = (answer: Answer): Omit<Row, "id" | "source"> => ({
  bent: polled(answer, answer, answer, pending, denied),
  ...personSaidNo,
  also: asked(1, 2, 4, 8, 1),
  twin: polled(answer, pending, honestly),
});

/** Asking for the tokens, until the person has said yes or no. */
export const DEVICE_TOKENS: readonly Row[] = [
  {
    id: "device-access-denied",
    source: RFC8628,
    bent: polled(denied, honestly),
    ...personSaidNo,
    also: asked(1),
    twin: polled(pending, honestly),
  },
  {
    id: "device-access-denied-after-a-while",
    source: RFC8628,
    bent: polled(pending, pending, pending, denied),
    ...personSaidNo,
    also: asked(1, 1, 1, 1),
    twin: polled(pending, pending, pending, honestly),
  },
  {
    id: "device-access-denied-without-an-interval",
    source: "RFC 8628 section 3.2, https://www.rfc-editor.org/rfc/rfc8628#section-3.2",
    bent: { ...polled(pending, denied), deviceAuthorization: { interval: undefined } },
    ...personSaidNo,
    also: asked(5, 5),
    twin: { ...polled(pending, honestly), deviceAuthorization: { interval: undefined } },
  },
  {
    id: "device-access-denied-with-no-interval-at-all",
    source: "RFC 8628 section 3.2, https://www.rfc-editor.org/rfc/rfc8628#section-3.2",
    bent: { ...polled(pending, denied), deviceAuthorization: { interval: 0 } },
    ...personSaidNo,
    also: asked(1, 1),
    twin: { ...polled(pending, honestly), deviceAuthorization: { interval: 0 } },
  },
  {
    id: "device-access-denied-with-a-tiny-interval",
    source: "RFC 8628 section 3.2, https://www.rfc-editor.org/rfc/rfc8628#section-3.2",
    bent: { ...polled(pending, denied), deviceAuthorization: { interval: 1e-9 } },
    ...personSaidNo,
    also: asked(1, 1),
    twin: { ...polled(pending, honestly), deviceAuthorization: { interval: 1.5 } },
  },
  {
    id: "device-access-denied-after-slow-down",
    source: RFC8628,
    bent: polled(refusal("slow_down"), refusal("slow_down"), pending, denied),
    ...personSaidNo,
    also: asked(1, 6, 11, 11),
    twin: polled(refusal("slow_down"), honestly),
  },
  {
    id: "device-expired-token",
    source: RFC8628,
    ...final(refusal("expired_token"), "flow_expired"),
  },
  {
    id: "device-codes-that-end-while-nobody-says-anything",
    source: RFC8628,
    bent: { ...polled(pending), deviceAuthorization: { expires_in: 0 } },
    ...failed("flow_expired"),
    twin: { ...polled(pending, honestly), deviceAuthorization: { expires_in: 60 } },
  },
  {
    id: "device-codes-that-end-while-the-issuer-is-out-of-reach",
    source: RFC8628,
    bent: { ...polled(cutShort), deviceAuthorization: { expires_in: 0 } },
    ...failed("flow_expired"),
    twin: { ...polled(cutShort, honestly), deviceAuthorization: { expires_in: 60 } },
  },
  {
    id: "device-invalid-grant",
    source: RFC8628,
    ...final(refusal("invalid_grant"), "token_request_refused"),
  },
  {
    id: "device-invalid-client",
    source: RFC8628,
    ...final(refusal("invalid_client", 401), "token_request_refused"),
  },
  {
    id: "device-error-of-nobody-s-list",
    source: RFC8628,
    ...final(refusal("authorization_pending_forever"), "token_request_refused"),
  },
  {
    id: "device-error-in-large-letters",
    source: RFC8628,
    ...final(refusal("AUTHORIZATION_PENDING"), "token_request_refused"),
  },
  {
    id: "device-error-named-like-a-prototype",
    source: RFC8628,
    ...final(refusal("__proto__"), "token_request_refused"),
  },
  {
    id: "device-error-that-is-no-text",
    source: RFC8628,
    ...final(refusal(["authorization_pending"]), "unexpected_status"),
  },
  {
    id: "device-error-that-repeats-what-it-was-sent",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    ...final(
      ({ body }) => ({ status: 400, body: { error: body, error_description: body } }),
      "token_request_refused",
    ),
  },
  {
    id: "device-bad-request-of-no-shape",
    source: RFC8628,
    ...final(status(400), "unexpected_status"),
  },
  {
    id: "device-token-not-found",
    source: RFC8628,
    ...final(html(404), "unexpected_status"),
  },
  {
    id: "device-token-redirect",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    ...final(
      redirect(307, ({ other }) => `${other.origin}/token`),
      "unexpected_redirect",
    ),
  },
  {
    id: "device-token-answer-of-ten-megabytes",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    ...final(padded(10 << 20), "response_too_large"),
  },
  {
    id: "device-token-failure-of-the-server",
    source: RFC8628,
    ...passing(status(500)),
  },
  {
    id: "device-token-failure-that-looks-like-a-no",
    source: RFC8628,
    ...passing(refusal("access_denied", 503)),
  },
  {
    id: "device-token-failure-of-a-gateway",
    source: RFC8628,
    ...passing(html(502)),
  },
  {
    id: "device-token-connection-cut",
    source: RFC8628,
    ...passing(cutShort),
  },
  {
    id: "device-token-answer-that-no-page-may-read",
    source: RFC8628,
    ...passing(unreadable),
    // The answer that was lost had the tokens: the code is used up.
    bent: polled(pending, unreadable, refusal("invalid_grant")),
    ...failed("token_request_refused"),
    also: asked(1, 1, 2),
  },
  {
    id: "device-token-rate-limited",
    source: "RFC 6585 section 4, https://www.rfc-editor.org/rfc/rfc6585#section-4",
    ...passing(refusal("slow_down", 429)),
  },
  {
    id: "device-token-rate-limit-with-a-time",
    source: RFC9110,
    bent: polled(status(429, { "retry-after": "90" }), pending, denied),
    ...personSaidNo,
    also: asked(1, 90, 1),
    twin: polled(status(429, { "retry-after": "2" }), honestly),
  },
  {
    id: "device-token-rate-limit-beyond-what-a-timer-takes",
    source: RFC9110,
    bent: {
      ...polled(status(429, { "retry-after": "2147484" }), denied),
      login: { ...login, givesUpAfterMs: 1500 },
      deviceAuthorization: { expires_in: 3600 },
    },
    ...failed("aborted"),
    also: ({ waits }) => assert.deepEqual(waits, [1000, 3_600_000]),
    twin: polled(status(503, { "retry-after": "-1" }), honestly),
  },
  {
    id: "device-token-failure-with-a-long-interval",
    source: RFC8628,
    // Longer than the library would wait by itself: it asks no sooner than it was told.
    bent: {
      ...polled(status(503), denied),
      deviceAuthorization: { interval: 90 },
    },
    ...personSaidNo,
    also: asked(90, 90),
    twin: polled(status(503), honestly),
  },
  {
    id: "device-token-never-answered",
    source: RFC8628,
    bent: {
      ...polled(endless),
      login: { ...login, timeoutMs: 5000, givesUpAfterMs: 1500 },
    },
    ...failed("aborted"),
    twin: {
      ...polled(endless, honestly),
      login: { ...login, timeoutMs: 1500 },
    },
  },
  {
    id: "device-tokens-without-access-token",
    source: RFC6749,
    bent: tokens({ access_token: undefined }),
    ...badTokens("token_response_invalid"),
    twin: honest,
  },
  {
    id: "device-tokens-with-empty-access-token",
    source: RFC6749,
    bent: tokens({ access_token: "" }),
    ...badTokens("token_response_invalid"),
    twin: honest,
  },
  {
    id: "device-tokens-bound-to-a-key",
    source: "RFC 9449 section 5, https://www.rfc-editor.org/rfc/rfc9449#section-5",
    bent: tokens({ token_type: "DPoP" }),
    ...badTokens("token_response_invalid"),
    twin: tokens({ token_type: "bearer" }),
  },
  {
    id: "device-tokens-without-refresh-token",
    source:
      "Matrix, token refresh flow, https://spec.matrix.org/v1.16/client-server-api/#token-refresh-flow",
    bent: tokens({ refresh_token: undefined }),
    ...badTokens("token_response_invalid"),
    twin: honest,
  },
  {
    id: "device-tokens-with-a-lifetime-below-nothing",
    source: RFC6749,
    bent: tokens({ expires_in: -1 }),
    ...badTokens("token_response_invalid"),
    twin: tokens({ expires_in: "300" }),
  },
  {
    id: "device-tokens-for-no-homeserver",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: tokens({ scope: "openid" }),
    ...badTokens("scope_not_granted"),
    twin: tokens({ scope: undefined }),
  },
  {
    id: "device-tokens-as-a-web-page",
    source: RFC6749,
    bent: polled(html()),
    ...badTokens("token_response_invalid"),
    twin: honest,
  },
  {
    id: "device-tokens-as-a-form",
    source: RFC6749,
    bent: polled(text("access_token=abc&token_type=bearer")),
    ...badTokens("token_response_invalid"),
    twin: honest,
  },
  {
    id: "device-tokens-as-an-error-with-success",
    source: RFC8628,
    bent: polled(json({ error: "authorization_pending" })),
    ...badTokens("token_response_invalid"),
    twin: polled(pending, honestly),
  },
];
