import { honestly, html, inTurn, json, status } from "../answers.js";
import type { Answer, Bend, SessionRow } from "../bend.js";

const RFC6749 = "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2";
const MATRIX =
  "Matrix, token refresh flow, https://spec.matrix.org/v1.16/client-server-api/#token-refresh-flow";

const refreshAnswer = (answer: Answer): Bend => ({ endpoints: { refresh: answer } });

/** A refusal in the words of RFC 6749. */
const refuses = (error: unknown, httpStatus = 400): Bend =>
  refreshAnswer(json({ error, error_description: "No." }, httpStatus));

/** The issuer's error code, or just its HTTP status, ends the session at once. */
const ended = (
  because: "token_request_refused" | "unexpected_status",
): Pick<SessionRow, "refused" | "leaves" | "asked"> => ({
  refused: { message: "SessionEnded", code: "session_ended", because },
  leaves: "signed-out",
  asked: ["refresh 0"],
});

/** A failure in the same words that passes: nothing has ended. */
const passing = (error: string): Pick<SessionRow, "twin" | "twinAsked"> => ({
  twin: refreshAnswer(inTurn(json({ error }, 503), honestly)),
  twinAsked: ["refresh 0", "refresh 0"],
});

/** A token endpoint that refuses a refresh: the session is over, and nothing is tried again. */
export const REFRESH_REFUSALS: readonly SessionRow[] = [
  {
    id: "refresh-invalid-grant",
    source: RFC6749,
    bent: refuses("invalid_grant"),
    ...ended("token_request_refused"),
    ...passing("invalid_grant"),
  },
  {
    id: "refresh-invalid-client",
    source: RFC6749,
    bent: refuses("invalid_client", 401),
    ...ended("token_request_refused"),
    ...passing("invalid_client"),
  },
  {
    id: "refresh-invalid-client-with-a-challenge",
    source: RFC6749,
    bent: refreshAnswer(
      json({ error: "invalid_client" }, 401, { "www-authenticate": 'Basic realm="idp"' }),
    ),
    ...ended("token_request_refused"),
    twin: {},
    twinAsked: ["refresh 0"],
  },
  {
    id: "refresh-unauthorized-client",
    source: RFC6749,
    bent: refuses("unauthorized_client"),
    ...ended("token_request_refused"),
    ...passing("unauthorized_client"),
  },
  {
    id: "refresh-unsupported-grant-type",
    source: RFC6749,
    bent: refuses("unsupported_grant_type"),
    ...ended("token_request_refused"),
    twin: {},
  },
  {
    id: "refresh-invalid-scope",
    source: RFC6749,
    bent: refuses("invalid_scope"),
    ...ended("token_request_refused"),
    twin: {},
  },
  {
    id: "refresh-invalid-request",
    source: RFC6749,
    bent: refuses("invalid_request"),
    ...ended("token_request_refused"),
    twin: {},
  },
  {
    id: "refresh-error-of-nobody-s-list",
    source: RFC6749,
    bent: refuses("session_limit_exceeded", 403),
    ...ended("token_request_refused"),
    twin: {},
  },
  {
    id: "refresh-error-named-like-a-prototype",
    source: RFC6749,
    bent: refuses("__proto__"),
    ...ended("token_request_refused"),
    twin: {},
  },
  {
    id: "refresh-error-that-is-no-text",
    source: RFC6749,
    bent: refuses({ code: "invalid_grant" }),
    ...ended("unexpected_status"),
    twin: {},
  },
  {
    id: "refresh-bad-request-of-no-shape",
    source: MATRIX,
    bent: refreshAnswer(status(400)),
    ...ended("unexpected_status"),
    twin: refreshAnswer(inTurn(status(500), honestly)),
  },
  {
    id: "refresh-unauthorized-of-no-shape",
    source: MATRIX,
    bent: refreshAnswer(status(401)),
    ...ended("unexpected_status"),
    twin: {},
  },
  {
    id: "refresh-forbidden-as-a-web-page",
    source: MATRIX,
    bent: refreshAnswer(html(403)),
    ...ended("unexpected_status"),
    twin: refreshAnswer(inTurn(html(502), honestly)),
  },
  {
    id: "refresh-not-found",
    source: MATRIX,
    bent: refreshAnswer(status(404)),
    ...ended("unexpected_status"),
    twin: {},
  },
  {
    id: "refresh-refused-in-the-words-of-matrix",
    source: MATRIX,
    bent: refreshAnswer(json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: true }, 403)),
    ...ended("unexpected_status"),
    twin: {},
  },
  {
    id: "refresh-refusal-that-repeats-what-it-was-sent",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: refreshAnswer(({ body }) => ({
      status: 400,
      body: { error: body, error_description: body, error_uri: body },
    })),
    ...ended("token_request_refused"),
    twin: {},
  },
  {
    id: "refresh-refusal-that-repeats-the-token-in-its-code",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: refreshAnswer(({ body }) => {
      const error = new URLSearchParams(body).get("refresh_token");
      return { status: 400, body: { error } };
    }),
    ...ended("token_request_refused"),
    twin: {},
  },
  {
    id: "refresh-refused-after-it-was-tried-again",
    source: MATRIX,
    bent: refreshAnswer(inTurn(status(503), status(429), json({ error: "invalid_grant" }, 400))),
    ...ended("token_request_refused"),
    asked: ["refresh 0", "refresh 0", "refresh 0"],
    twin: refreshAnswer(inTurn(status(503), status(429), honestly)),
    twinAsked: ["refresh 0", "refresh 0", "refresh 0"],
  },
  {
    id: "refresh-of-a-session-that-was-refused",
    source: MATRIX,
    bent: {
      ...refreshAnswer(inTurn(json({ error: "invalid_grant" }, 400), honestly)),
      session: { deeds: ["refresh", "refresh"] },
    },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    asked: ["refresh 0"],
    twin: { session: { deeds: ["refresh", "refresh"] } },
    twinAsked: ["refresh 0", "refresh 1"],
  },
  {
    id: "access-token-of-a-session-that-was-refused",
    source: MATRIX,
    bent: {
      ...refreshAnswer(json({ error: "invalid_grant" }, 400)),
      session: { deeds: ["refresh", "access token"] },
    },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    asked: ["refresh 0"],
    twin: { session: { deeds: ["refresh", "access token"] } },
    twinAsked: ["refresh 0"],
  },
  {
    id: "access-token-that-ended-refused",
    source: MATRIX,
    bent: {
      ...refreshAnswer(json({ error: "invalid_grant" }, 400)),
      tokens: { expires_in: 0 },
      session: { deeds: ["access token"] },
    },
    ...ended("token_request_refused"),
    twin: { session: { deeds: ["access token"] } },
    twinAsked: [],
  },
  {
    id: "refresh-by-a-client-of-its-own-refused",
    source: MATRIX,
    bent: {
      ...refuses("invalid_grant"),
      session: { deeds: ["refresh by a client of its own"] },
    },
    ...ended("token_request_refused"),
    // The session does not hear of what another client does.
    leaves: "signed-in",
    twin: { session: { deeds: ["refresh by a client of its own"] } },
    twinAsked: ["refresh 0"],
  },
  {
    id: "refresh-by-a-client-of-its-own-refused-for-good",
    source: "RFC 9700 section 4.14.2, https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2",
    bent: {
      ...refreshAnswer(inTurn(json({ error: "invalid_grant" }, 400), honestly)),
      session: {
        deeds: ["refresh by a client of its own", "refresh by a client of its own"],
      },
    },
    ...ended("token_request_refused"),
    leaves: "signed-in",
    twin: {
      session: {
        deeds: ["refresh by a client of its own", "refresh by a client of its own"],
      },
    },
    twinAsked: ["refresh 0", "refresh 1"],
  },
];
