import assert from "node:assert/strict";
import {
  cutOff,
  cutShort,
  honestly,
  html,
  inTurn,
  json,
  never,
  status,
  unreadable,
} from "../answers.js";
import type { Answer, Bend, SessionRow } from "../bend.js";

const MATRIX =
  "Matrix, token refresh flow, https://spec.matrix.org/v1.16/client-server-api/#token-refresh-flow";
const RFC9110 = "RFC 9110 section 10.2.3, https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3";

const refreshAnswer = (answer: Answer, session: Bend["session"] = {}): Bend => ({
  endpoints: { refresh: answer },
  session,
});

type Because = "network_error" | "timeout" | "rate_limited" | "server_error";

/** It is tried five times, with the same token, and the person stays signed in. */
const inVain = (code: Because): Pick<SessionRow, "refused" | "leaves" | "asked"> => ({
  refused: { message: "RefreshTokenFailed", code },
  leaves: "signed-in",
  asked: Array<string>(5).fill("refresh 0"),
});

/** It fails once. */
const onlyAtFirst = (answer: Answer): Pick<SessionRow, "twin" | "twinAsked"> => ({
  twin: refreshAnswer(inTurn(answer, honestly)),
  twinAsked: ["refresh 0", "refresh 0"],
});

const fiveTimes = (answer: Answer): [Answer, ...Answer[]] => [
  answer,
  answer,
  answer,
  answer,
  answer,
];

/** The tokens were issued, but nobody received them. */
const lost =
  (instead: Answer): Answer =>
  async (request) => {
    await request.honest();
    return instead(request);
  };

/** The pauses between five attempts are of these seconds, give or take a fifth. */
const pauses =
  (...seconds: readonly number[]): SessionRow["also"] =>
  ({ waits }) => {
    assert.equal(waits.length, seconds.length, String(waits));
    for (const [nth, wanted] of seconds.entries()) {
      const ms = waits[nth] ?? NaN;
      assert.ok(ms >= wanted * 800 && ms <= wanted * 1200, `${ms} ms, not ${wanted} s`);
    }
  };

const usualPauses = pauses(1, 2, 4, 8);

/** What no issuer may ask for is told, and not waited for. */
const toldAtOnce = (atLeastMs: number): Pick<SessionRow, "asked" | "also"> => ({
  asked: ["refresh 0"],
  also: ({ outcome, waits }) => {
    assert.deepEqual(waits, []);
    assert.ok(!outcome.ok && (outcome.retryAfterMs ?? 0) >= atLeastMs);
  },
});

const limited = (retryAfter: string): Answer =>
  json({ error: "slow_down" }, 429, { "retry-after": retryAfter });

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();

/** No tokens for now: the refresh token is kept, and tried again. */
export const REFRESH_FAILURES: readonly SessionRow[] = [
  {
    id: "refresh-failure-of-the-server",
    source: MATRIX,
    bent: refreshAnswer(status(500)),
    ...inVain("server_error"),
    also: usualPauses,
    // Five failures are reported; the next call gets tokens.
    twin: refreshAnswer(inTurn(...fiveTimes(status(500)), honestly), {
      deeds: ["refresh", "refresh"],
    }),
    twinAsked: Array<string>(6).fill("refresh 0"),
  },
  {
    id: "refresh-failure-of-a-gateway",
    source: MATRIX,
    bent: refreshAnswer(html(502)),
    ...inVain("server_error"),
    also: usualPauses,
    ...onlyAtFirst(html(502)),
  },
  {
    id: "refresh-service-unavailable",
    source: MATRIX,
    bent: refreshAnswer(json({ error: "temporarily_unavailable" }, 503)),
    ...inVain("server_error"),
    also: usualPauses,
    ...onlyAtFirst(json({ error: "temporarily_unavailable" }, 503)),
  },
  {
    id: "refresh-failure-that-looks-like-a-refusal",
    source: MATRIX,
    bent: refreshAnswer(json({ error: "invalid_grant" }, 500)),
    ...inVain("server_error"),
    ...onlyAtFirst(json({ error: "invalid_grant" }, 500)),
  },
  {
    id: "refresh-failure-that-repeats-what-it-was-sent",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: refreshAnswer(({ body }) => ({ status: 500, body: { error: body } })),
    ...inVain("server_error"),
    ...onlyAtFirst(({ body }) => ({ status: 500, body: { error: body } })),
  },
  {
    id: "refresh-connection-cut",
    source: MATRIX,
    bent: refreshAnswer(cutShort),
    ...inVain("network_error"),
    also: usualPauses,
    ...onlyAtFirst(cutShort),
  },
  {
    id: "refresh-answer-lost",
    source: MATRIX,
    bent: refreshAnswer(inTurn(lost(cutShort), cutShort)),
    ...inVain("network_error"),
    ...onlyAtFirst(lost(cutShort)),
  },
  {
    id: "refresh-answer-lost-in-a-gateway",
    source: MATRIX,
    bent: refreshAnswer(inTurn(lost(html(504)), html(504))),
    ...inVain("server_error"),
    ...onlyAtFirst(lost(html(504))),
  },
  {
    id: "refresh-answer-lost-where-that-counts-as-theft",
    source: "RFC 9700 section 4.14.2, https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2",
    bent: refreshAnswer(inTurn(lost(cutShort), json({ error: "invalid_grant" }, 400))),
    refused: {
      message: "SessionEnded",
      code: "session_ended",
      because: "token_request_refused",
    },
    leaves: "signed-out",
    asked: ["refresh 0", "refresh 0"],
    ...onlyAtFirst(lost(cutShort)),
  },
  {
    id: "refresh-answer-cut-off",
    source: "RFC 9112 section 8, https://www.rfc-editor.org/rfc/rfc9112#section-8",
    bent: refreshAnswer(cutOff),
    ...inVain("network_error"),
    ...onlyAtFirst(cutOff),
  },
  {
    id: "refresh-never-answered",
    source: MATRIX,
    bent: refreshAnswer(never, { timeoutMs: 1500 }),
    ...inVain("timeout"),
    twin: refreshAnswer(inTurn(never, honestly), { timeoutMs: 1500 }),
    twinAsked: ["refresh 0", "refresh 0"],
  },
  {
    id: "refresh-answer-that-no-page-may-read",
    source: "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol",
    bent: refreshAnswer(unreadable),
    ...inVain("network_error"),
    ...onlyAtFirst(unreadable),
  },
  {
    id: "refresh-rate-limited",
    source: "RFC 6585 section 4, https://www.rfc-editor.org/rfc/rfc6585#section-4",
    bent: refreshAnswer(json({ error: "slow_down" }, 429)),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(status(429)),
  },
  {
    id: "refresh-rate-limit-that-looks-like-a-refusal",
    source: "RFC 6585 section 4, https://www.rfc-editor.org/rfc/rfc6585#section-4",
    bent: refreshAnswer(json({ error: "invalid_grant" }, 429)),
    ...inVain("rate_limited"),
    ...onlyAtFirst(json({ error: "invalid_grant" }, 429)),
  },
  {
    id: "refresh-rate-limit-in-seconds",
    source: RFC9110,
    bent: refreshAnswer(limited("7")),
    ...inVain("rate_limited"),
    also: ({ waits }) => assert.deepEqual([...waits.slice(0, 3)], [7000, 7000, 7000]),
    ...onlyAtFirst(limited("7")),
  },
  {
    id: "refresh-rate-limit-as-a-date",
    source: RFC9110,
    bent: refreshAnswer(() => ({ status: 429, headers: { "retry-after": inSeconds(40) } })),
    ...inVain("rate_limited"),
    also: ({ waits }) => assert.ok(waits.length === 4 && waits.every((ms) => ms > 30_000)),
    ...onlyAtFirst(() => ({ status: 429, headers: { "retry-after": inSeconds(2) } })),
  },
  {
    id: "refresh-rate-limit-as-a-date-long-gone",
    source: RFC9110,
    bent: refreshAnswer(limited("Thu, 01 Jan 1970 00:00:00 GMT")),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("Thu, 01 Jan 1970 00:00:00 GMT")),
  },
  {
    id: "refresh-rate-limit-of-nothing",
    source: RFC9110,
    bent: refreshAnswer(limited("0")),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("0")),
  },
  {
    id: "refresh-rate-limit-below-nothing",
    source: RFC9110,
    bent: refreshAnswer(limited("-7")),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("-7")),
  },
  {
    id: "refresh-rate-limit-of-no-shape",
    source: RFC9110,
    bent: refreshAnswer(limited("soon")),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("soon")),
  },
  {
    id: "refresh-rate-limit-of-a-day",
    source: RFC9110,
    bent: refreshAnswer(limited("86400")),
    ...inVain("rate_limited"),
    ...toldAtOnce(86_400_000),
    ...onlyAtFirst(limited("1")),
  },
  {
    id: "refresh-rate-limit-beyond-what-a-timer-takes",
    source:
      "HTML, timers, https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers",
    bent: refreshAnswer(limited("2147484")),
    ...inVain("rate_limited"),
    ...toldAtOnce(2 ** 31),
    ...onlyAtFirst(limited("1")),
  },
  {
    id: "refresh-rate-limit-of-twenty-digits",
    source: RFC9110,
    bent: refreshAnswer(limited("99999999999999999999")),
    ...inVain("rate_limited"),
    ...toldAtOnce(1e22),
    ...onlyAtFirst(limited("1")),
  },
  {
    id: "refresh-rate-limit-of-five-hundred-digits",
    source: RFC9110,
    bent: refreshAnswer(limited("9".repeat(500))),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(limited("9".repeat(500))),
  },
  {
    id: "refresh-rate-limit-in-the-words-of-matrix",
    source: "Matrix, rate limiting, https://spec.matrix.org/v1.16/client-server-api/#rate-limiting",
    bent: refreshAnswer(
      json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 9000 }, 429, {
        "access-control-expose-headers": "",
      }),
    ),
    ...inVain("rate_limited"),
    also: ({ waits }) => assert.deepEqual([...waits.slice(0, 3)], [9000, 9000, 9000]),
    ...onlyAtFirst(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1 }, 429)),
  },
  {
    id: "refresh-rate-limit-that-is-no-number",
    source: "Matrix, rate limiting, https://spec.matrix.org/v1.16/client-server-api/#rate-limiting",
    bent: refreshAnswer(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: "9000" }, 429)),
    ...inVain("rate_limited"),
    also: usualPauses,
    ...onlyAtFirst(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: null }, 429)),
  },
  {
    id: "refresh-unavailable-with-a-time",
    source: RFC9110,
    bent: refreshAnswer(status(503, { "retry-after": "20" })),
    ...inVain("server_error"),
    also: ({ waits }) => assert.deepEqual([...waits], [20_000, 20_000, 20_000, 20_000]),
    ...onlyAtFirst(status(503, { "retry-after": "1" })),
  },
  {
    id: "refresh-of-an-old-access-token-fails",
    source: MATRIX,
    bent: {
      ...refreshAnswer(status(503), { deeds: ["access token"] }),
      tokens: { expires_in: 0 },
    },
    ...inVain("server_error"),
    twin: {
      ...refreshAnswer(inTurn(status(503), honestly), { deeds: ["access token"] }),
      tokens: { expires_in: 0 },
    },
    twinAsked: ["refresh 0", "refresh 0"],
  },
  {
    id: "refresh-by-a-client-of-its-own-fails",
    source: MATRIX,
    bent: refreshAnswer(status(503), { deeds: ["refresh by a client of its own"] }),
    ...inVain("server_error"),
    twin: refreshAnswer(inTurn(lost(cutShort), honestly), {
      deeds: ["refresh by a client of its own"],
    }),
    twinAsked: ["refresh 0", "refresh 0"],
  },
];
