import { check, checkEqual } from "../check.js";
import { cutInBody, cutInHeaders, honestly, html, inSequence, json, never, status, unreadable } from "../responses.js";
import type { Responder, Deviation, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { FETCH_CORS, matrix, rfc } from "../sources.js";

const MATRIX = matrix("token refresh flow", "token-refresh-flow");
const RFC9110 = rfc(9110, "10.2.3");
const RATE_LIMITING = matrix("rate limiting", "rate-limiting");
const TIMERS = "HTML, timers, https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers";

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

const limitedFor =
  (seconds: number): Responder =>
  () => ({ status: 429, headers: { "retry-after": new Date(Date.now() + seconds * 1000).toUTCString() } });

type Passing = readonly [id: string, source: string, code: Because, respond: Responder, atFirst?: Responder | undefined, also?: SessionRow["also"]];

/** It fails five times. The control fails only at first, by default with the same response. */
const passing = (...rows: readonly Passing[]): SessionRow[] =>
  rows.map(([id, source, code, respond, atFirst = respond, also]) => ({
    ...{ id, source, also, deviation: refreshResponse(respond) },
    ...inVain(code),
    ...onlyAtFirst(atFirst, code),
  }));

const waitsThrice =
  (ms: number): SessionRow["also"] =>
  ({ waits }) =>
    checkEqual(waits.slice(0, 3), [ms, ms, ms], "Its wait");

const LIMITED = json({ error: "slow_down" }, 429);
const unavailable = (httpStatus: number, error = "server_error"): Responder => json({ error }, httpStatus);

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
  ...passing(
    ["refresh-502", MATRIX, "server_error", html(502), undefined, usualPauses],
    ["refresh-service-unavailable", MATRIX, "server_error", unavailable(503, "temporarily_unavailable"), undefined, usualPauses],
    ["refresh-temporarily-unavailable-with-400", rfc(6749, "4.1.2.1"), "server_error", unavailable(400, "temporarily_unavailable"), unavailable(401)],
    ["refresh-server-error-with-an-oauth-error", MATRIX, "server_error", unavailable(500)],
    ["refresh-server-error-echoes-the-request", rfc(9700, "4.2.4"), "server_error", ({ body }) => ({ status: 500, body: { error: body } })],
    ["refresh-connection-cut", MATRIX, "network_error", cutInHeaders, undefined, usualPauses],
    ["refresh-response-lost", MATRIX, "network_error", inSequence(lost(cutInHeaders), cutInHeaders), lost(cutInHeaders)],
    ["refresh-response-lost-in-a-gateway", MATRIX, "server_error", inSequence(lost(html(504)), html(504)), lost(html(504))],
  ),
  {
    id: "refresh-response-lost-with-reuse-detection",
    source: rfc(9700, "4.14.2"),
    deviation: refreshResponse(inSequence(lost(cutInHeaders), json({ error: "invalid_grant" }, 400))),
    refused: { message: "SessionEnded", code: "session_ended", cause: "token_request_refused" },
    leaves: "signed-out",
    requests: ["refresh 0", "document", "refresh 0"],
    ...onlyAtFirst(lost(cutInHeaders), "network_error"),
  },
  ...passing(["refresh-response-cut-off", rfc(9112, "8"), "network_error", cutInBody]),
  {
    id: "refresh-without-response",
    deviation: refreshResponse(never, { timeoutMs: 1500 }),
    ...inVain("timeout"),
    control: refreshResponse(inSequence(never, honestly), { timeoutMs: 20_000 }),
    controlRequests: ["refresh 0", "document", "refresh 0"],
  },
  ...passing(
    ["refresh-response-without-cors", FETCH_CORS, "network_error", unreadable],
    ["refresh-rate-limited", rfc(6585, "4"), "rate_limited", LIMITED, status(429), usualPauses],
    ["refresh-rate-limit-with-an-oauth-error", rfc(6585, "4"), "rate_limited", json({ error: "invalid_grant" }, 429)],
    ["refresh-rate-limit-in-seconds", RFC9110, "rate_limited", limited("7"), undefined, waitsThrice(7000)],
    [
      "refresh-rate-limit-as-a-date",
      RFC9110,
      "rate_limited",
      limitedFor(40),
      limitedFor(2),
      ({ waits }) => check(waits.length === 4 && waits.every((ms) => ms > 30_000), `It waits ${String(waits)} ms`),
    ],
    ["refresh-rate-limit-date-in-the-past", RFC9110, "rate_limited", limited("Thu, 01 Jan 1970 00:00:00 GMT"), undefined, usualPauses],
    ["refresh-rate-limit-of-zero", RFC9110, "rate_limited", limited("0"), undefined, usualPauses],
    ["refresh-rate-limit-negative", RFC9110, "rate_limited", limited("-7"), undefined, usualPauses],
    ["refresh-rate-limit-malformed", RFC9110, "rate_limited", limited("soon"), undefined, usualPauses],
  ),
  ...[
    ["refresh-rate-limit-of-a-day", RFC9110, "86400"],
    ["refresh-rate-limit-exceeds-timers", TIMERS, "2147484"],
    ["refresh-rate-limit-20-digits", RFC9110, "99999999999999999999"],
  ].map(([id = "", source = "", retryAfter = ""]) => ({
    ...{ id, source, deviation: refreshResponse(limited(retryAfter)) },
    ...inVain("rate_limited"),
    ...reportedAtOnce(86_400_000),
    ...onlyAtFirst(limited("1")),
  })),
  ...passing(
    ["refresh-rate-limit-500-digits", RFC9110, "rate_limited", limited("9".repeat(500)), undefined, usualPauses],
    [
      "refresh-rate-limit-with-a-matrix-errcode",
      RATE_LIMITING,
      "rate_limited",
      json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 9000 }, 429, { "access-control-expose-headers": "" }),
      json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1 }, 429),
      waitsThrice(9000),
    ],
    [
      "refresh-rate-limit-not-a-number",
      RATE_LIMITING,
      "rate_limited",
      json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: "9 s" }, 429),
      json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: null }, 429),
      usualPauses,
    ],
  ),
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
    deviation: refreshResponse(status(503), { actions: ["access token"], expired: true }),
    ...inVain("server_error"),
    control: refreshResponse(inSequence(status(503), honestly), { actions: ["access token"], expired: true }),
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
