import { checkEqual } from "../check.js";
import {
  cutInHeaders,
  endless,
  honestly,
  html,
  inSequence,
  json,
  padded,
  redirect,
  status,
  text,
  unreadable,
} from "../responses.js";
import type { Responder, Deviation, Patch, Refused, Row } from "../row.js";
import { loginRows } from "../row.js";
import { OWASP_RESOURCE_CONSUMPTION, matrix, rfc } from "../sources.js";

const RFC8628 = rfc(8628, "3.5");
const RFC6749 = rfc(6749, "5.1");
const RFC9110 = rfc(9110, "10.2.3");

const login: NonNullable<Deviation["login"]> = { byDevice: true };

const honest: Deviation = { login };

const refusal = (error: unknown, code = 400): Responder => json({ error }, code);
const pending = refusal("authorization_pending");
const denied = refusal("access_denied");

const polled = (...responders: [Responder, ...Responder[]]): Deviation => ({
  login,
  endpoints: { "device token": inSequence(...responders) },
});

const tokens = (patch: Patch): Deviation => ({ login, tokens: patch });

/** The page asked so often, after so many seconds each. */
const polledAfter =
  (...seconds: readonly number[]): Row["also"] =>
  ({ waits, environment }: Refused) => {
    const wanted = seconds.map((each) => each * 1000);
    checkEqual(waits, wanted, "What the page waits");
    const polls = environment.requests.filter(({ endpoint }) => endpoint === "device token");
    checkEqual(polls.length, seconds.length, "How often it polls");
    for (const { to, body, query } of polls) {
      const members = [...new URLSearchParams(body).keys()].sort();
      checkEqual(
        [to, query.size, members],
        ["idp", 0, ["client_id", "device_code", "grant_type"]],
        "A poll",
      );
    }
  };

const failed = (code: Row["refused"]["code"]): Pick<Row, "refused" | "reaches"> => ({
  refused: { message: "DeviceAuthorizationGrantFailed", code },
  reaches: "token",
});

const userRefused: Pick<Row, "refused" | "reaches"> = {
  refused: { message: "AuthorizationRefused", code: "access_denied" },
  reaches: "token",
};

const badTokens = (
  code: "token_response_invalid" | "scope_not_granted",
): Pick<Row, "refused" | "reaches"> => ({
  refused: { message: "InvalidBearerTokenResponse", code },
  reaches: "token",
});

/** It ends with this response, whatever would come after. */
const final = (respond: Responder, code: Row["refused"]["code"]): Omit<Row, "id" | "source"> => ({
  deviation: polled(pending, respond, honestly),
  ...failed(code),
  also: polledAfter(1, 1),
  control: polled(pending, honestly),
});

/** It passes, while the page waits twice as long; the user's no comes through in the end. */
const transient = (respond: Responder): Omit<Row, "id" | "source"> => ({
  deviation: polled(respond, respond, respond, pending, denied),
  ...userRefused,
  also: polledAfter(1, 2, 4, 8, 1),
  control: polled(respond, pending, honestly),
});

/** Asking for the tokens, until the user has said yes or no. */
export const DEVICE_TOKENS = loginRows({ source: RFC8628, ...userRefused }, [
  {
    id: "device-access-denied",
    deviation: polled(denied, honestly),
    also: polledAfter(1),
    control: polled(pending, honestly),
  },
  {
    id: "device-access-denied-after-a-while",
    deviation: polled(pending, pending, pending, denied),
    also: polledAfter(1, 1, 1, 1),
    control: polled(pending, pending, pending, honestly),
  },
  {
    id: "device-access-denied-without-an-interval",
    source: rfc(8628, "3.2"),
    deviation: { ...polled(pending, denied), deviceAuthorization: { interval: undefined } },
    also: polledAfter(5, 5),
    control: { ...polled(pending, honestly), deviceAuthorization: { interval: undefined } },
  },
  {
    id: "device-access-denied-with-no-interval-at-all",
    source: rfc(8628, "3.2"),
    deviation: { ...polled(pending, denied), deviceAuthorization: { interval: 0 } },
    also: polledAfter(1, 1),
    control: { ...polled(pending, honestly), deviceAuthorization: { interval: 0 } },
  },
  {
    id: "device-access-denied-with-a-tiny-interval",
    source: rfc(8628, "3.2"),
    deviation: { ...polled(pending, denied), deviceAuthorization: { interval: 1e-9 } },
    also: polledAfter(1, 1),
    control: { ...polled(pending, honestly), deviceAuthorization: { interval: 1.5 } },
  },
  {
    id: "device-access-denied-after-slow-down",
    deviation: polled(refusal("slow_down"), refusal("slow_down"), pending, denied),
    also: polledAfter(1, 6, 11, 11),
    control: polled(refusal("slow_down"), honestly),
  },
  { id: "device-expired-token", ...final(refusal("expired_token"), "flow_expired") },
  {
    id: "device-codes-that-end-while-nobody-says-anything",
    deviation: { ...polled(pending), deviceAuthorization: { expires_in: 0 } },
    ...failed("flow_expired"),
    control: { ...polled(pending, honestly), deviceAuthorization: { expires_in: 60 } },
  },
  {
    id: "device-codes-that-end-while-the-issuer-is-out-of-reach",
    deviation: { ...polled(cutInHeaders), deviceAuthorization: { expires_in: 0 } },
    ...failed("flow_expired"),
    control: { ...polled(cutInHeaders, honestly), deviceAuthorization: { expires_in: 60 } },
  },
  { id: "device-invalid-grant", ...final(refusal("invalid_grant"), "token_request_refused") },
  {
    id: "device-invalid-client",
    ...final(refusal("invalid_client", 401), "token_request_refused"),
  },
  {
    id: "device-error-of-nobody-s-list",
    ...final(refusal("authorization_pending_forever"), "token_request_refused"),
  },
  {
    id: "device-error-in-large-letters",
    ...final(refusal("AUTHORIZATION_PENDING"), "token_request_refused"),
  },
  {
    id: "device-error-named-like-a-prototype",
    ...final(refusal("__proto__"), "token_request_refused"),
  },
  {
    id: "device-error-that-is-no-text",
    ...final(refusal(["authorization_pending"]), "unexpected_status"),
  },
  {
    id: "device-error-that-repeats-what-it-was-sent",
    source: rfc(9700, "4.2.4"),
    ...final(
      ({ body }) => ({ status: 400, body: { error: body, error_description: body } }),
      "token_request_refused",
    ),
  },
  { id: "device-bad-request-of-no-shape", ...final(status(400), "unexpected_status") },
  { id: "device-token-not-found", ...final(html(404), "unexpected_status") },
  {
    id: "device-token-redirect",
    source: rfc(9700, "4.12"),
    ...final(
      redirect(307, ({ other }) => `${other.origin}/token`),
      "unexpected_redirect",
    ),
  },
  {
    id: "device-token-response-of-ten-megabytes",
    source: OWASP_RESOURCE_CONSUMPTION,
    ...final(padded(10 << 20), "response_too_large"),
  },
  { id: "device-token-failure-of-the-server", ...transient(status(500)) },
  { id: "device-token-failure-that-looks-like-a-no", ...transient(refusal("access_denied", 503)) },
  { id: "device-token-failure-of-a-gateway", ...transient(html(502)) },
  { id: "device-token-connection-cut", ...transient(cutInHeaders) },
  {
    id: "device-token-response-that-no-page-may-read",
    ...transient(unreadable),
    // The response that was lost had the tokens: the code is used up.
    deviation: polled(pending, unreadable, refusal("invalid_grant")),
    ...failed("token_request_refused"),
    also: polledAfter(1, 1, 2),
  },
  {
    id: "device-token-rate-limited",
    source: rfc(6585, "4"),
    ...transient(refusal("slow_down", 429)),
  },
  {
    id: "device-token-rate-limit-with-a-time",
    source: RFC9110,
    deviation: polled(status(429, { "retry-after": "90" }), pending, denied),
    also: polledAfter(1, 90, 1),
    control: polled(status(429, { "retry-after": "2" }), honestly),
  },
  {
    id: "device-token-rate-limit-beyond-what-a-timer-takes",
    source: RFC9110,
    deviation: {
      ...polled(status(429, { "retry-after": "2147484" }), denied),
      login: { ...login, givesUpAfterMs: 1500 },
      deviceAuthorization: { expires_in: 3600 },
    },
    ...failed("aborted"),
    waits: [1000, 3_600_000],
    control: polled(status(503, { "retry-after": "-1" }), honestly),
  },
  {
    id: "device-token-failure-with-a-long-interval",
    // Longer than the library would wait by itself: it asks no sooner than it was told.
    deviation: { ...polled(status(503), denied), deviceAuthorization: { interval: 90 } },
    also: polledAfter(90, 90),
    control: polled(status(503), honestly),
  },
  {
    id: "device-token-without-response",
    deviation: { ...polled(endless), login: { ...login, timeoutMs: 5000, givesUpAfterMs: 1500 } },
    ...failed("aborted"),
    control: { ...polled(endless, honestly), login: { ...login, timeoutMs: 1500 } },
  },
  {
    id: "device-tokens-without-access-token",
    source: RFC6749,
    deviation: tokens({ access_token: undefined }),
    ...badTokens("token_response_invalid"),
    control: honest,
  },
  {
    id: "device-tokens-with-empty-access-token",
    source: RFC6749,
    deviation: tokens({ access_token: "" }),
    ...badTokens("token_response_invalid"),
    control: honest,
  },
  {
    id: "device-tokens-bound-to-a-key",
    source: rfc(9449, "5"),
    deviation: tokens({ token_type: "DPoP" }),
    ...badTokens("token_response_invalid"),
    control: tokens({ token_type: "bearer" }),
  },
  {
    id: "device-tokens-without-refresh-token",
    source: matrix("token refresh flow", "token-refresh-flow"),
    deviation: tokens({ refresh_token: undefined }),
    ...badTokens("token_response_invalid"),
    control: honest,
  },
  {
    id: "device-tokens-with-a-lifetime-below-nothing",
    source: RFC6749,
    deviation: tokens({ expires_in: -1 }),
    ...badTokens("token_response_invalid"),
    control: tokens({ expires_in: "300" }),
  },
  {
    id: "device-tokens-for-no-homeserver",
    source: matrix("scope", "scope"),
    deviation: tokens({ scope: "openid" }),
    ...badTokens("scope_not_granted"),
    control: tokens({ scope: undefined }),
  },
  {
    id: "device-tokens-as-a-web-page",
    source: RFC6749,
    deviation: polled(html()),
    ...badTokens("token_response_invalid"),
    control: honest,
  },
  {
    id: "device-tokens-as-a-form",
    source: RFC6749,
    deviation: polled(text("access_token=abc&token_type=bearer")),
    ...badTokens("token_response_invalid"),
    control: honest,
  },
  {
    id: "device-tokens-as-an-error-with-success",
    deviation: polled(json({ error: "authorization_pending" })),
    ...badTokens("token_response_invalid"),
    control: polled(pending, honestly),
  },
]);
