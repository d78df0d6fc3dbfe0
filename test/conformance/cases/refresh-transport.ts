import {
  endless,
  honestly,
  inTurn,
  late,
  padded,
  redirect,
  stalled,
  withHeaders,
} from "../answers.js";
import type { Answer, Bend, SessionRow } from "../bend.js";

const REDIRECT = "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12";
const OWASP =
  "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/";

const refreshAnswer = (answer: Answer, session: Bend["session"] = {}): Bend => ({
  endpoints: { refresh: answer },
  session,
});

const toldAtOnce = (
  code: "unexpected_redirect" | "response_too_large",
): Pick<SessionRow, "refused" | "leaves" | "asked"> => ({
  refused: { message: "RefreshTokenFailed", code },
  leaves: "signed-in",
  asked: ["refresh 0"],
});

const redirected = (status: number): SessionRow => ({
  id: `refresh-redirect-${status}`,
  source: REDIRECT,
  bent: refreshAnswer(redirect(status, ({ other }) => `${other.origin}/token`)),
  ...toldAtOnce("unexpected_redirect"),
  twin: refreshAnswer(
    inTurn(
      redirect(status, ({ other }) => `${other.origin}/token`),
      honestly,
    ),
    { deeds: ["refresh", "refresh"] },
  ),
  twinAsked: ["refresh 0", "refresh 0"],
});

/** The way to a token endpoint and back, where a refresh token goes it. */
export const REFRESH_TRANSPORT: readonly SessionRow[] = [
  ...[301, 302, 303, 307, 308].map(redirected),
  {
    id: "refresh-redirect-to-itself",
    source: REDIRECT,
    bent: refreshAnswer(
      inTurn(
        redirect(307, ({ idp }) => `${idp.origin}/token`),
        honestly,
      ),
    ),
    ...toldAtOnce("unexpected_redirect"),
    twin: {},
  },
  {
    id: "refresh-answer-of-ten-megabytes",
    source: OWASP,
    bent: refreshAnswer(padded(10 << 20)),
    ...toldAtOnce("response_too_large"),
    twin: refreshAnswer(padded(1 << 19)),
  },
  {
    id: "refresh-answer-without-end",
    source: OWASP,
    bent: refreshAnswer(endless, { timeoutMs: 1500 }),
    refused: { message: "RefreshTokenFailed", code: "timeout" },
    leaves: "signed-in",
    asked: Array<string>(5).fill("refresh 0"),
    twin: refreshAnswer(late),
  },
  {
    id: "refresh-answer-that-stalls",
    source: OWASP,
    bent: refreshAnswer(stalled, { timeoutMs: 1500 }),
    refused: { message: "RefreshTokenFailed", code: "timeout" },
    leaves: "signed-in",
    asked: Array<string>(5).fill("refresh 0"),
    twin: refreshAnswer(late),
  },
  {
    id: "refresh-answer-that-a-cache-may-keep",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: {
      ...refreshAnswer(
        inTurn(
          withHeaders({ "cache-control": "public, max-age=600" }),
          redirect(302, ({ other }) => `${other.origin}/token`),
        ),
      ),
      session: { deeds: ["refresh", "refresh"] },
    },
    ...toldAtOnce("unexpected_redirect"),
    asked: ["refresh 0", "refresh 1"],
    twin: refreshAnswer(withHeaders({ "cache-control": "public, max-age=600" }), {
      deeds: ["refresh", "refresh"],
    }),
    twinAsked: ["refresh 0", "refresh 1"],
  },
];
