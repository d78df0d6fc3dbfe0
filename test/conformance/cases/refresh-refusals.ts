import { html, json, status } from "../answers.js";
import type { Answer, Bend, SessionRow } from "../bend.js";

const refreshAnswer = (answer: Answer): Bend => ({ endpoints: { refresh: answer } });

/** A refusal in the words of RFC 6749. */
const refuses = (error: unknown, httpStatus = 400): Bend =>
  refreshAnswer(json({ error, error_description: "No." }, httpStatus));

const ended = (
  because: "token_request_refused" | "unexpected_status",
): Pick<SessionRow, "refused" | "leaves" | "asked"> => ({
  refused: { message: "SessionEnded", code: "session_ended", because },
  leaves: "signed-out",
  asked: ["refresh 0"],
});

/** A token endpoint that refuses a refresh: the session is over, and nothing is tried again. */
export const REFRESH_REFUSALS: readonly SessionRow[] = [
  {
    id: "refresh-invalid-grant",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("invalid_grant"),
    ...ended("token_request_refused"),
    twin: {},
    twinAsked: ["refresh 0"],
  },
  {
    id: "refresh-invalid-client",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refuses("invalid_client", 401),
    ...ended("token_request_refused"),
    twin: {},
  },
  {
    id: "refresh-not-found",
    source:
      "Matrix, refreshing, https://spec.matrix.org/v1.16/client-server-api/#token-refresh-flow",
    bent: refreshAnswer(status(404)),
    ...ended("unexpected_status"),
    twin: {},
  },
  {
    id: "refresh-refused-as-a-web-page",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: refreshAnswer(html(403)),
    ...ended("unexpected_status"),
    twin: {},
  },
];
