import { honestly, html, inSequence, json, status } from "../responses.js";
import type { Responder, Deviation, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { matrix, rfc } from "../sources.js";

const RFC6749 = rfc(6749, "5.2");
const MATRIX = matrix("token refresh flow", "token-refresh-flow");

const refreshResponse = (respond: Responder): Deviation => ({ endpoints: { refresh: respond } });

/** An error response as in RFC 6749. */
const refuses = (error: unknown, httpStatus = 400): Deviation => refreshResponse(json({ error, error_description: "No." }, httpStatus));

/** The issuer's error code, or just its HTTP status, ends the session immediately. */
const ended = (cause: "token_request_refused" | "unexpected_status"): Pick<SessionRow, "refused" | "leaves" | "requests"> => ({
  refused: { message: "SessionEnded", code: "session_ended", cause },
  leaves: "signed-out",
  requests: ["refresh 0"],
});

/**
 * A response that does not declare the refresh token invalid: the user stays signed in. If it may be a proxy's,
 * the library checks in the issuer's document whether the endpoint has moved.
 */
const survived = (code: "token_request_refused" | "unexpected_status"): Pick<SessionRow, "refused" | "leaves" | "requests"> => ({
  refused: { message: "RefreshTokenFailed", code },
  leaves: "signed-in",
  requests: code === "unexpected_status" ? ["refresh 0", "document"] : ["refresh 0"],
});

/** The same error code with a status that may pass: the user stays signed in. */
const transient = (error: string): Pick<SessionRow, "control" | "controlRequests"> => ({
  control: refreshResponse(inSequence(json({ error }, 503), honestly)),
  controlRequests: ["refresh 0", "refresh 0"],
});

/** A token endpoint that rejects a refresh: some responses end the session, others do not. */
export const REFRESH_REFUSALS = sessionRows({ source: RFC6749 }, [
  { id: "refresh-invalid-grant", deviation: refuses("invalid_grant"), ...ended("token_request_refused"), ...transient("invalid_grant") },
  { id: "refresh-invalid-grant-with-200", deviation: refuses("invalid_grant", 200), ...ended("token_request_refused"), control: {} },
  { id: "refresh-invalid-grant-with-a-server-error", deviation: refuses("invalid_grant", 500), ...survived("token_request_refused"), control: {} },
  { id: "refresh-invalid-client", deviation: refuses("invalid_client", 401), ...ended("token_request_refused"), ...transient("invalid_client") },
  {
    id: "refresh-invalid-client-with-a-challenge",
    deviation: refreshResponse(json({ error: "invalid_client" }, 401, { "www-authenticate": 'Basic realm="idp"' })),
    ...ended("token_request_refused"),
    control: {},
    controlRequests: ["refresh 0"],
  },
  { id: "refresh-unauthorized-client", deviation: refuses("unauthorized_client"), ...ended("token_request_refused"), ...transient("unauthorized_client") },
  { id: "refresh-unsupported-grant-type", deviation: refuses("unsupported_grant_type"), ...survived("token_request_refused"), control: {} },
  { id: "refresh-invalid-scope", deviation: refuses("invalid_scope"), ...survived("token_request_refused"), control: {} },
  { id: "refresh-invalid-request", deviation: refuses("invalid_request"), ...survived("token_request_refused"), control: {} },
  { id: "refresh-unknown-error", deviation: refuses("session_limit_exceeded", 403), ...survived("token_request_refused"), control: {} },
  { id: "refresh-error-proto", deviation: refuses("__proto__"), ...survived("token_request_refused"), control: {} },
  { id: "refresh-error-not-a-string", deviation: refuses({ code: "invalid_grant" }), ...survived("unexpected_status"), control: {} },
  {
    id: "refresh-400-malformed",
    source: MATRIX,
    deviation: refreshResponse(status(400)),
    ...survived("unexpected_status"),
    control: refreshResponse(inSequence(status(500), honestly)),
  },
  { id: "refresh-401-malformed", source: MATRIX, deviation: refreshResponse(status(401)), ...survived("unexpected_status"), control: {} },
  {
    id: "refresh-403-html",
    source: MATRIX,
    deviation: refreshResponse(html(403)),
    ...survived("unexpected_status"),
    control: refreshResponse(inSequence(html(502), honestly)),
  },
  { id: "refresh-not-found", source: MATRIX, deviation: refreshResponse(status(404)), ...survived("unexpected_status"), control: {} },
  {
    id: "refresh-rejected-with-a-matrix-errcode",
    source: MATRIX,
    deviation: refreshResponse(json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: true }, 403)),
    ...survived("unexpected_status"),
    control: {},
  },
  {
    id: "refresh-rejection-echoes-the-request",
    source: rfc(9700, "4.2.4"),
    deviation: refreshResponse(({ body }) => ({ status: 400, body: { error: body, error_description: body, error_uri: body } })),
    ...survived("token_request_refused"),
    control: {},
  },
  {
    id: "refresh-rejection-echoes-the-token-in-its-code",
    source: rfc(9700, "4.2.4"),
    deviation: refreshResponse(({ body }) => {
      const error = new URLSearchParams(body).get("refresh_token");
      return { status: 400, body: { error } };
    }),
    ...survived("token_request_refused"),
    control: {},
  },
  {
    id: "refresh-rejected-after-a-retry",
    source: MATRIX,
    deviation: refreshResponse(inSequence(status(503), status(429), json({ error: "invalid_grant" }, 400))),
    ...ended("token_request_refused"),
    requests: ["refresh 0", "refresh 0", "refresh 0"],
    control: refreshResponse(inSequence(status(503), status(429), honestly)),
    controlRequests: ["refresh 0", "refresh 0", "refresh 0"],
  },
  {
    id: "refresh-of-a-rejected-session",
    source: MATRIX,
    deviation: { ...refreshResponse(inSequence(json({ error: "invalid_grant" }, 400), honestly)), session: { actions: ["refresh", "refresh"] } },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    requests: ["refresh 0"],
    control: { session: { actions: ["refresh", "refresh"] } },
    controlRequests: ["refresh 0", "refresh 1"],
  },
  {
    id: "access-token-of-a-rejected-session",
    source: MATRIX,
    deviation: { ...refreshResponse(json({ error: "invalid_grant" }, 400)), session: { actions: ["refresh", "access token"] } },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    requests: ["refresh 0"],
    control: { session: { actions: ["refresh", "access token"] } },
    controlRequests: ["refresh 0"],
  },
  {
    id: "access-token-expired-then-refresh-rejected",
    source: MATRIX,
    deviation: { ...refreshResponse(json({ error: "invalid_grant" }, 400)), session: { actions: ["access token"], expired: true } },
    ...ended("token_request_refused"),
    control: { session: { actions: ["access token"] } },
    controlRequests: [],
  },
  {
    id: "refresh-with-a-fixed-client-rejected",
    source: MATRIX,
    deviation: { ...refuses("invalid_grant"), session: { actions: ["refresh with a separate client"] } },
    ...ended("token_request_refused"),
    // The session gets no message about a separate client's requests.
    leaves: "signed-in",
    control: { session: { actions: ["refresh with a separate client"] } },
    controlRequests: ["refresh 0"],
  },
  {
    id: "refresh-with-a-fixed-client-rejected-permanently",
    source: rfc(9700, "4.14.2"),
    deviation: {
      ...refreshResponse(inSequence(json({ error: "invalid_grant" }, 400), honestly)),
      session: { actions: ["refresh with a separate client", "refresh with a separate client"] },
    },
    ...ended("token_request_refused"),
    leaves: "signed-in",
    control: { session: { actions: ["refresh with a separate client", "refresh with a separate client"] } },
    controlRequests: ["refresh 0", "refresh 1"],
  },
]);
