import { checkEqual } from "../check.js";
import { oidcError, part } from "../deviations.js";
import { cutInHeaders, endless, honestly, html, inSequence, json, padded, redirect, status, text, unreadable } from "../responses.js";
import { loginRows, type Deviation, type Patch, type Refused, type Responder, type Row } from "../row.js";
import { OWASP_RESOURCE_CONSUMPTION, matrix, rfc } from "../sources.js";

const POLLING = rfc(8628, "3.5");
const TOKENS = rfc(6749, "5.1");
const RETRY_AFTER = rfc(9110, "10.2.3");

const BY_DEVICE = { byDevice: true };

const refusal = (error: unknown, code = 400): Responder => json({ error }, code);
const pending = refusal("authorization_pending");
const denied = refusal("access_denied");

/** The responses to the first poll, the second, and so on, and other deviations. */
const polled = (responders: readonly [Responder, ...Responder[]], more: Deviation = {}): Deviation => ({
  login: BY_DEVICE,
  endpoints: { "device token": inSequence(...responders) },
  ...more,
});

const started = part("deviceAuthorization");
const tokens = (patch: Patch): Deviation => ({ login: BY_DEVICE, tokens: patch });

/** Checks the number of polls, and the seconds before each. */
const polledAfter =
  (...seconds: readonly number[]): Row["also"] =>
  ({ waits, environment }: Refused) => {
    const wanted = seconds.map((each) => each * 1000);
    checkEqual(waits, wanted, "The page's wait");
    const polls = environment.requests.filter(({ endpoint }) => endpoint === "device token");
    checkEqual(polls.length, seconds.length, "How often it polls");
    for (const { to, body, query } of polls) {
      const members = [...new URLSearchParams(body).keys()].sort();
      checkEqual([to, query.size, members], ["idp", 0, ["client_id", "device_code", "grant_type"]], "A poll");
    }
  };

const failed = (code: Row["refused"]["code"]): Row["refused"] => oidcError("DeviceAuthorizationGrantFailed", code);

const REFUSED = { source: POLLING, refused: oidcError("AuthorizationRefused", "access_denied"), reaches: "token" } as const;

/** The sign-in ends with this response, although the next one would be honest. */
const final = (id: string, respond: Responder, code: Row["refused"]["code"] = "token_request_refused", source = POLLING): Row => ({
  id,
  source,
  deviation: polled([pending, respond, honestly]),
  refused: failed(code),
  reaches: "token",
  also: polledAfter(1, 1),
  control: polled([pending, honestly]),
});

/** The failure passes, and each time the page waits twice as long. At last the user denies the request. */
const transient = (id: string, respond: Responder, source = POLLING): Row => ({
  ...REFUSED,
  id,
  source,
  deviation: polled([respond, respond, respond, pending, denied]),
  also: polledAfter(1, 2, 4, 8, 1),
  control: polled([respond, pending, honestly]),
});

/** The user denies the request; the issuer's interval decides how long the page waits before each poll. */
const deniedAtInterval = (name: string, interval: number | undefined, seconds: number, accepted = interval): Row => ({
  ...REFUSED,
  id: `device-access-denied-${name}`,
  source: rfc(8628, "3.2"),
  deviation: polled([pending, denied], started({ interval })),
  also: polledAfter(seconds, seconds),
  control: polled([pending, honestly], started({ interval: accepted })),
});

const INVALID = {
  source: TOKENS,
  refused: oidcError("InvalidBearerTokenResponse", "token_response_invalid"),
  reaches: "token",
  control: { login: BY_DEVICE },
} as const;

/** Polls for the tokens until the user has allowed or denied the request. */
export const DEVICE_TOKENS = [
  deniedAtInterval("without-an-interval", undefined, 5),
  deniedAtInterval("with-no-interval-at-all", 0, 1),
  deniedAtInterval("with-a-tiny-interval", 1e-9, 1, 1.5),
  final("device-expired-token", refusal("expired_token"), "flow_expired"),
  final("device-invalid-grant", refusal("invalid_grant")),
  final("device-invalid-client", refusal("invalid_client", 401)),
  final("device-error-unknown", refusal("authorization_pending_forever")),
  final("device-error-in-capitals", refusal("AUTHORIZATION_PENDING")),
  final("device-error-named-like-a-prototype", refusal("__proto__")),
  final("device-error-not-a-string", refusal(["authorization_pending"]), "unexpected_status"),
  final(
    "device-error-echoes-the-request",
    ({ body }) => ({ status: 400, body: { error: body, error_description: body } }),
    "token_request_refused",
    rfc(9700, "4.2.4"),
  ),
  final(
    "device-token-redirect",
    redirect(307, ({ other }) => `${other.origin}/token`),
    "unexpected_redirect",
    rfc(9700, "4.12"),
  ),
  final("device-token-response-of-ten-megabytes", padded(10 << 20), "response_too_large", OWASP_RESOURCE_CONSUMPTION),
  transient("device-token-failure-of-the-server", status(500)),
  transient("device-token-failure-with-a-final-error", refusal("access_denied", 503)),
  transient("device-token-failure-of-a-gateway", html(502)),
  transient("device-token-connection-cut", cutInHeaders),
  transient("device-tokens-as-a-web-page", html()),
  transient("device-token-endpoint-not-found", html(404)),
  transient("device-bad-request-without-body", status(400)),
  transient("device-tokens-as-a-form", text("access_token=abc&token_type=bearer")),
  transient("device-tokens-empty", text("")),
  transient("device-tokens-truncated", text('{"access_token":"a","token_ty')),
  // Browsers repeat such a request on their own if its connection was used before.
  { ...transient("device-token-request-timeout", html(408), rfc(9110, "15.5.9")), also: undefined },
  transient("device-token-too-early", json({ error: "access_denied" }, 425), rfc(8470, "5.2")),
  transient("device-token-rate-limited", refusal("slow_down", 429), rfc(6585, "4")),
  transient("device-token-temporarily-unavailable-with-400", refusal("temporarily_unavailable")),
  {
    ...transient("device-token-response-without-cors", unreadable),
    // The lost response had the tokens, so the code is used up.
    deviation: polled([pending, unreadable, refusal("invalid_grant")]),
    refused: failed("token_request_refused"),
    also: polledAfter(1, 1, 2),
  },
  ...loginRows(REFUSED, [
    { id: "device-access-denied", deviation: polled([denied, honestly]), also: polledAfter(1), control: polled([pending, honestly]) },
    {
      id: "device-access-denied-after-a-while",
      deviation: polled([pending, pending, pending, denied]),
      also: polledAfter(1, 1, 1, 1),
      control: polled([pending, pending, pending, honestly]),
    },
    {
      id: "device-access-denied-with-200",
      deviation: polled([refusal("authorization_pending", 200), refusal("access_denied", 200)]),
      also: polledAfter(1, 1),
      control: polled([refusal("authorization_pending", 200), honestly]),
    },
    {
      id: "device-access-denied-after-slow-down",
      deviation: polled([refusal("slow_down"), refusal("slow_down"), pending, denied]),
      also: polledAfter(1, 6, 11, 11),
      control: polled([refusal("slow_down"), honestly]),
    },
    {
      id: "device-codes-expire-while-pending",
      deviation: polled([pending], started({ expires_in: 0 })),
      refused: failed("flow_expired"),
      control: polled([pending, honestly], started({ expires_in: 60 })),
    },
    {
      id: "device-codes-expire-while-unreachable",
      deviation: polled([cutInHeaders], started({ expires_in: 0 })),
      refused: failed("flow_expired"),
      control: polled([cutInHeaders, honestly], started({ expires_in: 60 })),
    },
    {
      id: "device-token-rate-limit-with-a-time",
      source: RETRY_AFTER,
      deviation: polled([status(429, { "retry-after": "90" }), pending, denied]),
      also: polledAfter(1, 90, 1),
      control: polled([status(429, { "retry-after": "2" }), honestly]),
    },
    {
      id: "device-token-rate-limit-exceeds-timers",
      source: RETRY_AFTER,
      deviation: {
        ...polled([status(429, { "retry-after": "2147484" }), denied]),
        login: { ...BY_DEVICE, givesUpAfterMs: 1500 },
        deviceAuthorization: { expires_in: 3600 },
      },
      refused: failed("aborted"),
      waits: [1000, 3_600_000],
      control: polled([status(503, { "retry-after": "-1" }), honestly]),
    },
    {
      id: "device-token-failure-with-a-long-interval",
      // The interval is longer than the library's longest pause; the page must not poll sooner.
      deviation: polled([status(503), denied], started({ interval: 90 })),
      also: polledAfter(90, 90),
      control: polled([status(503), honestly]),
    },
    {
      id: "device-token-without-response",
      deviation: polled([endless], { login: { ...BY_DEVICE, timeoutMs: 5000, givesUpAfterMs: 1500 } }),
      refused: failed("aborted"),
      control: polled([endless, honestly], { login: { ...BY_DEVICE, timeoutMs: 20_000 } }),
    },
  ]),
  ...loginRows({ ...INVALID, deviationOf: tokens }, [
    ["device-tokens-without-access-token", { access_token: undefined }],
    ["device-tokens-with-empty-access-token", { access_token: "" }],
    ["device-tokens-with-a-negative-lifetime", { expires_in: -1 }, { expires_in: "300" }],
    { id: "device-tokens-bound-to-a-key", source: rfc(9449, "5"), deviation: tokens({ token_type: "DPoP" }), control: tokens({ token_type: "bearer" }) },
    { id: "device-tokens-without-refresh-token", source: matrix("token refresh flow", "token-refresh-flow"), deviation: tokens({ refresh_token: undefined }) },
    {
      id: "device-tokens-for-no-homeserver",
      source: matrix("scope", "scope"),
      deviation: tokens({ scope: "openid" }),
      refused: oidcError("InvalidBearerTokenResponse", "scope_not_granted"),
      control: tokens({ scope: undefined }),
    },
  ]),
];
