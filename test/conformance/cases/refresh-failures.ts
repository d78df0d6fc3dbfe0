import { check, checkEqual } from "../check.js";
import { cutInBody, cutInHeaders, honestly, html, inSequence, json, never, status, unreadable } from "../responses.js";
import type { Responder, Deviation, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { FETCH_CORS, matrix, rfc } from "../sources.js";

const MATRIX = matrix("token refresh flow", "token-refresh-flow");
const RFC9110 = rfc(9110, "10.2.3");

const refreshResponse = (respond: Responder, session: Deviation["session"] = {}): Deviation => ({ endpoints: { refresh: respond }, session });

type Because = "network_error" | "timeout" | "rate_limited" | "server_error";

/** The library tries five times with the same token, and the user stays signed in. */
const inVain = (code: Because): Pick<SessionRow, "refused" | "leaves" | "requests"> => ({
  refused: { message: "RefreshTokenFailed", code },
  leaves: "signed-in",
  requests: [...first(code), ...Array<string>(4).fill("refresh 0")],
});

/** Only the first request fails. */
const onlyAtFirst = (respond: Responder, code: Because = "server_error"): Pick<SessionRow, "control" | "controlRequests"> => ({
  control: refreshResponse(inSequence(respond, honestly)),
  controlRequests: [...first(code), "refresh 0"],
});

/** If the response is not the provider's, the library checks once in the issuer's document whether the endpoint has moved. */
const first = (code: Because): readonly string[] => (code === "network_error" || code === "timeout" ? ["refresh 0", "document"] : ["refresh 0"]);

const fiveTimes = (respond: Responder): [Responder, ...Responder[]] => [respond, respond, respond, respond, respond];

/** The tokens were issued, but the response was lost. */
const lost =
  (instead: Responder): Responder =>
  async (request) => {
    await request.honest();
    return instead(request);
  };

/** Checks that the pauses between five attempts have these seconds, with a tolerance of a fifth. */
const pauses =
  (...seconds: readonly number[]): SessionRow["also"] =>
  ({ waits }) => {
    const isNear = (ms: number, nth: number): boolean => Math.abs(ms / 1000 / (seconds[nth] ?? NaN) - 1) <= 0.2;
    check(waits.length === seconds.length && waits.every(isNear), `It waits ${String(waits)} ms`);
  };

const usualPauses = pauses(1, 2, 4, 8);

/** If the issuer demands too long a wait, the error reports it, and the page does not wait. */
const reportedAtOnce = (atLeastMs: number): Pick<SessionRow, "requests" | "also"> => ({
  requests: ["refresh 0"],
  also: ({ outcome, waits }) => {
    checkEqual(waits, [], "Its wait");
    check(!outcome.ok && (outcome.retryAfterMs ?? 0) >= atLeastMs, "The error has the time");
  },
});

const limited = (retryAfter: string): Responder => json({ error: "slow_down" }, 429, { "retry-after": retryAfter });

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();

/** Passing failures of a refresh: the refresh token is kept, and tried again. */
export const REFRESH_FAILURES = sessionRows({ source: MATRIX }, [
  {
    id: "refresh-500",
    deviation: refreshResponse(status(500)),
    ...inVain("server_error"),
    also: usualPauses,
    // The call with five failures rejects; the next call gets tokens.
    control: refreshResponse(inSequence(...fiveTimes(status(500)), honestly), { actions: ["refresh", "refresh"] }),
    controlRequests: Array<string>(6).fill("refresh 0"),
  },
  { id: "refresh-502", deviation: refreshResponse(html(502)), ...inVain("server_error"), also: usualPauses, ...onlyAtFirst(html(502)) },
  {
    id: "refresh-service-unavailable",
    deviation: refreshResponse(json({ error: "temporarily_unavailable" }, 503)),
    ...inVain("server_error"),
    also: usualPauses,
    ...onlyAtFirst(json({ error: "temporarily_unavailable" }, 503)),
  },
  {
    id: "refresh-temporarily-unavailable-with-400",
    source: rfc(6749, "4.1.2.1"),
    deviation: refreshResponse(json({ error: "temporarily_unavailable" }, 400)),
    ...inVain("server_error"),
    ...onlyAtFirst(json({ error: "server_error" }, 401)),
  },
  {
    id: "refresh-server-error-with-an-oauth-error",
    deviation: refreshResponse(json({ error: "server_error" }, 500)),
    ...inVain("server_error"),
    ...onlyAtFirst(json({ error: "server_error" }, 500)),
  },
  {
    id: "refresh-server-error-echoes-the-request",
    source: rfc(9700, "4.2.4"),
    deviation: refreshResponse(({ body }) => ({ status: 500, body: { error: body } })),
    ...inVain("server_error"),
    ...onlyAtFirst(({ body }) => ({ status: 500, body: { error: body } })),
  },
  {
    id: "refresh-connection-cut",
    deviation: refreshResponse(cutInHeaders),
    ...inVain("network_error"),
    also: usualPauses,
    ...onlyAtFirst(cutInHeaders, "network_error"),
  },
  {
    id: "refresh-response-lost",
    deviation: refreshResponse(inSequence(lost(cutInHeaders), cutInHeaders)),
    ...inVain("network_error"),
    ...onlyAtFirst(lost(cutInHeaders), "network_error"),
  },
  {
    id: "refresh-response-lost-in-a-gateway",
    deviation: refreshResponse(inSequence(lost(html(504)), html(504))),
    ...inVain("server_error"),
    ...onlyAtFirst(lost(html(504))),
  },
  {
    id: "refresh-response-lost-with-reuse-detection",
    source: rfc(9700, "4.14.2"),
    deviation: refreshResponse(inSequence(lost(cutInHeaders), json({ error: "invalid_grant" }, 400))),
    refused: { message: "SessionEnded", code: "session_ended", cause: "token_request_refused" },
    leaves: "signed-out",
    requests: ["refresh 0", "document", "refresh 0"],
    ...onlyAtFirst(lost(cutInHeaders), "network_error"),
  },
  {
    id: "refresh-response-cut-off",
    source: rfc(9112, "8"),
    deviation: refreshResponse(cutInBody),
    ...inVain("network_error"),
    ...onlyAtFirst(cutInBody, "network_error"),
  },
  {
    id: "refresh-without-response",
    deviation: refreshResponse(never, { timeoutMs: 1500 }),
    ...inVain("timeout"),
    control: refreshResponse(inSequence(never, honestly), { timeoutMs: 20_000 }),
    controlRequests: ["refresh 0", "document", "refresh 0"],
  },
  {
    id: "refresh-response-without-cors",
    source: FETCH_CORS,
    deviation: refreshResponse(unreadable),
    ...inVain("network_error"),
    ...onlyAtFirst(unreadable, "network_error"),
  },
  {
    id: "refresh-rate-limited",
    source: rfc(6585, "4"),
    deviation: refreshResponse(json({ error: "slow_down" }, 429)),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(status(429)),
  },
  {
    id: "refresh-rate-limit-with-an-oauth-error",
    source: rfc(6585, "4"),
    deviation: refreshResponse(json({ error: "invalid_grant" }, 429)),
    ...inVain("rate_limited"),
    ...onlyAtFirst(json({ error: "invalid_grant" }, 429)),
  },
  {
    id: "refresh-rate-limit-in-seconds",
    source: RFC9110,
    deviation: refreshResponse(limited("7")),
    ...inVain("rate_limited"),
    also: ({ waits }) => checkEqual(waits.slice(0, 3), [7000, 7000, 7000], "Its wait"),
    ...onlyAtFirst(limited("7")),
  },
  {
    id: "refresh-rate-limit-as-a-date",
    source: RFC9110,
    deviation: refreshResponse(() => ({ status: 429, headers: { "retry-after": inSeconds(40) } })),
    ...inVain("rate_limited"),
    also: ({ waits }) => check(waits.length === 4 && waits.every((ms) => ms > 30_000), `It waits ${String(waits)} ms`),
    ...onlyAtFirst(() => ({ status: 429, headers: { "retry-after": inSeconds(2) } })),
  },
  {
    id: "refresh-rate-limit-date-in-the-past",
    source: RFC9110,
    deviation: refreshResponse(limited("Thu, 01 Jan 1970 00:00:00 GMT")),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("Thu, 01 Jan 1970 00:00:00 GMT")),
  },
  {
    id: "refresh-rate-limit-of-zero",
    source: RFC9110,
    deviation: refreshResponse(limited("0")),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("0")),
  },
  {
    id: "refresh-rate-limit-negative",
    source: RFC9110,
    deviation: refreshResponse(limited("-7")),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("-7")),
  },
  {
    id: "refresh-rate-limit-malformed",
    source: RFC9110,
    deviation: refreshResponse(limited("soon")),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("soon")),
  },
  {
    id: "refresh-rate-limit-of-a-day",
    source: RFC9110,
    deviation: refreshResponse(limited("86400")),
    ...inVain("rate_limited"),
    ...reportedAtOnce(86_400_000),
    ...onlyAtFirst(limited("1")),
  },
  {
    id: "refresh-rate-limit-exceeds-timers",
    source: "HTML, timers, https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers",
    deviation: refreshResponse(limited("2147484")),
    ...inVain("rate_limited"),
    ...reportedAtOnce(86_400_000),
    ...onlyAtFirst(limited("1")),
  },
  {
    id: "refresh-rate-limit-20-digits",
    source: RFC9110,
    deviation: refreshResponse(limited("99999999999999999999")),
    ...inVain("rate_limited"),
    ...reportedAtOnce(86_400_000),
    ...onlyAtFirst(limited("1")),
  },
  {
    id: "refresh-rate-limit-500-digits",
    source: RFC9110,
    deviation: refreshResponse(limited("9".repeat(500))),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("9".repeat(500))),
  },
  {
    id: "refresh-rate-limit-with-a-matrix-errcode",
    source: matrix("rate limiting", "rate-limiting"),
    deviation: refreshResponse(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 9000 }, 429, { "access-control-expose-headers": "" })),
    ...inVain("rate_limited"),
    also: ({ waits }) => checkEqual(waits.slice(0, 3), [9000, 9000, 9000], "Its wait"),
    ...onlyAtFirst(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1 }, 429)),
  },
  {
    id: "refresh-rate-limit-not-a-number",
    source: matrix("rate limiting", "rate-limiting"),
    deviation: refreshResponse(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: "9 s" }, 429)),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: null }, 429)),
  },
  {
    id: "refresh-unavailable-with-a-time",
    source: RFC9110,
    deviation: refreshResponse(status(503, { "retry-after": "20" })),
    ...inVain("server_error"),
    waits: [20_000, 20_000, 20_000, 20_000],
    ...onlyAtFirst(status(503, { "retry-after": "1" })),
  },
  {
    id: "refresh-of-an-old-access-token-fails",
    deviation: { ...refreshResponse(status(503), { actions: ["access token"] }), tokens: { expires_in: 0 } },
    ...inVain("server_error"),
    control: { ...refreshResponse(inSequence(status(503), honestly), { actions: ["access token"] }), tokens: { expires_in: 0 } },
    controlRequests: ["refresh 0", "refresh 0"],
  },
  {
    id: "refresh-with-a-fixed-client-fails",
    deviation: refreshResponse(status(503), { actions: ["refresh with a separate client"] }),
    ...inVain("server_error"),
    control: refreshResponse(inSequence(lost(cutInHeaders), honestly), { actions: ["refresh with a separate client"] }),
    controlRequests: ["refresh 0", "document", "refresh 0"],
  },
]);
