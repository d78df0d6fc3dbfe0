import {
  cutShort,
  html,
  inTurn,
  honestly,
  json,
  never,
  padded,
  redirect,
  status,
  text,
  unreadable,
} from "../answers.js";
import type { Answer, Bend, SessionRow } from "../bend.js";
import type { SessionSettings } from "../session-page.js";

const RFC7009 = "RFC 7009 section 2.2, https://www.rfc-editor.org/rfc/rfc7009#section-2.2";
const ERRORS = "RFC 7009 section 2.2.1, https://www.rfc-editor.org/rfc/rfc7009#section-2.2.1";
const MATRIX =
  "Matrix, token revocation, https://spec.matrix.org/v1.16/client-server-api/#token-revocation";
const MIX_UP = "RFC 9700 section 4.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.4";

const BOTH = ["revocation refresh 0", "revocation access 0"];
const FIRST = ["revocation refresh 0"];

const revocation = (answer: Answer, session: SessionSettings = {}): Bend => ({
  endpoints: { revocation: answer },
  session: { deeds: ["sign out"], ...session },
});

/** Forgotten all the same; and the person is told that the issuer may have the tokens still. */
const forgotten: Pick<SessionRow, "refused" | "leaves"> = {
  refused: "not taken back",
  leaves: "signed-out",
};

const honest: Pick<SessionRow, "twin" | "twinAsked"> = {
  twin: { session: { deeds: ["sign out"] } },
  twinAsked: BOTH,
};

/** Giving tokens back: the refresh token first, and in every case none is kept. */
export const REVOCATION: readonly SessionRow[] = [
  {
    id: "revocation-unavailable",
    source: ERRORS,
    bent: revocation(status(503, { "retry-after": "3600" })),
    ...forgotten,
    asked: FIRST,
    ...honest,
  },
  {
    id: "revocation-failure-of-the-server",
    source: RFC7009,
    bent: revocation(html(500)),
    ...forgotten,
    asked: FIRST,
    ...honest,
  },
  {
    id: "revocation-rate-limited",
    source: "RFC 6585 section 4, https://www.rfc-editor.org/rfc/rfc6585#section-4",
    bent: revocation(status(429, { "retry-after": "1" })),
    ...forgotten,
    asked: FIRST,
    ...honest,
  },
  {
    id: "revocation-out-of-reach",
    source: MATRIX,
    bent: revocation(cutShort),
    ...forgotten,
    asked: FIRST,
    ...honest,
  },
  {
    id: "revocation-out-of-reach-for-the-second-token",
    source: MATRIX,
    bent: revocation(inTurn(honestly, cutShort)),
    ...forgotten,
    asked: BOTH,
    ...honest,
  },
  {
    id: "revocation-never-answered",
    source: MATRIX,
    bent: revocation(never, { timeoutMs: 1500 }),
    ...forgotten,
    asked: FIRST,
    ...honest,
  },
  {
    id: "revocation-answer-that-no-page-may-read",
    source: "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol",
    bent: revocation(unreadable),
    ...forgotten,
    asked: FIRST,
    ...honest,
  },
  {
    id: "revocation-unsupported-token-type",
    source: ERRORS,
    bent: revocation(json({ error: "unsupported_token_type" }, 400)),
    ...forgotten,
    asked: BOTH,
    // Access tokens end with their refresh token, where they are not taken back by themselves.
    twin: revocation(inTurn(honestly, json({ error: "unsupported_token_type" }, 400))),
    twinAsked: BOTH,
  },
  {
    id: "revocation-unsupported-for-refresh-tokens-alone",
    source: ERRORS,
    bent: revocation(inTurn(json({ error: "unsupported_token_type" }, 400), honestly)),
    ...forgotten,
    asked: BOTH,
    ...honest,
  },
  {
    id: "revocation-refused-to-this-client",
    source: ERRORS,
    bent: revocation(json({ error: "invalid_client" }, 401)),
    ...forgotten,
    asked: BOTH,
    ...honest,
  },
  {
    id: "revocation-refused-for-the-access-token",
    source: ERRORS,
    bent: revocation(inTurn(honestly, json({ error: "invalid_client" }, 401))),
    ...forgotten,
    asked: BOTH,
    ...honest,
  },
  {
    id: "revocation-not-found",
    source: MATRIX,
    bent: revocation(status(404)),
    ...forgotten,
    asked: BOTH,
    ...honest,
  },
  {
    id: "revocation-redirect-to-another",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    bent: revocation(redirect(307, ({ other }) => `${other.origin}/revoke`)),
    ...forgotten,
    asked: BOTH,
    ...honest,
  },
  {
    id: "revocation-of-tokens-that-are-invalid-already",
    source: RFC7009,
    bent: revocation(json({ error: "invalid_token" }, 400)),
    ...forgotten,
    asked: BOTH,
    // It is not a failure: the answer is 200, whatever its body.
    twin: revocation(text("Nothing to do here.")),
    twinAsked: BOTH,
  },
  {
    id: "revocation-answer-of-ten-megabytes",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: revocation(padded(10 << 20)),
    ...forgotten,
    asked: BOTH,
    twin: revocation(html()),
    twinAsked: BOTH,
  },
  {
    id: "revocation-after-a-refresh-unavailable",
    source: MATRIX,
    bent: revocation(status(503), { deeds: ["refresh", "sign out"] }),
    ...forgotten,
    asked: ["refresh 0", "revocation refresh 1"],
    twin: { session: { deeds: ["refresh", "sign out"] } },
    twinAsked: ["refresh 0", "revocation refresh 1", "revocation access 1"],
  },
  {
    id: "revocation-a-second-time",
    source: MATRIX,
    bent: { session: { deeds: ["sign out", "sign out"] } },
    ...forgotten,
    asked: BOTH,
    ...honest,
  },
  {
    id: "refresh-after-signing-out",
    source: MATRIX,
    bent: { session: { deeds: ["sign out", "refresh"] } },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    asked: BOTH,
    twin: { session: { deeds: ["refresh"] } },
    twinAsked: ["refresh 0"],
  },
  {
    id: "access-token-after-signing-out-in-vain",
    source: MATRIX,
    bent: revocation(status(503), { deeds: ["sign out", "access token"] }),
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    asked: FIRST,
    twin: { session: { deeds: ["access token"] } },
    twinAsked: [],
  },
  {
    id: "revocation-where-the-document-names-another-since",
    source: MIX_UP,
    bent: {
      ...revocation(status(503)),
      document: ({ other }) => ({ revocation_endpoint: `${other.origin}/revoke` }),
    },
    ...forgotten,
    asked: FIRST,
    twin: {
      document: ({ other }) => ({ revocation_endpoint: `${other.origin}/revoke` }),
      session: { deeds: ["sign out"] },
    },
    twinAsked: BOTH,
  },
  {
    id: "revocation-where-the-document-alone-says-where-and-names-another-s",
    source: MIX_UP,
    bent: {
      document: ({ other }) => ({ revocation_endpoint: `${other.origin}/revoke` }),
      session: { deeds: ["sign out"], withoutEndpoints: true },
    },
    ...forgotten,
    asked: ["document"],
    twin: { session: { deeds: ["sign out"], withoutEndpoints: true } },
    twinAsked: ["document", ...BOTH],
  },
  {
    id: "revocation-where-the-document-alone-says-where-and-names-plain-http",
    source: "RFC 7009 section 2, https://www.rfc-editor.org/rfc/rfc7009#section-2",
    bent: {
      document: { revocation_endpoint: "http://idp.example/revoke" },
      session: { deeds: ["sign out"], withoutEndpoints: true },
    },
    ...forgotten,
    asked: ["document"],
    twin: { session: { deeds: ["sign out"], withoutEndpoints: true } },
    twinAsked: ["document", ...BOTH],
  },
  {
    id: "revocation-by-hand-to-plain-http",
    source: "RFC 7009 section 2, https://www.rfc-editor.org/rfc/rfc7009#section-2",
    bent: {
      session: {
        deeds: ["revoke"],
        endpoints: { revocation_endpoint: "http://idp.example/revoke" },
      },
    },
    refused: { message: "RevokeTokenFailed", code: "metadata_invalid" },
    leaves: "signed-in",
    asked: [],
    twin: { session: { deeds: ["revoke"] } },
    twinAsked: BOTH,
  },
  {
    id: "revocation-by-hand-to-no-address",
    source: "RFC 7009 section 2, https://www.rfc-editor.org/rfc/rfc7009#section-2",
    bent: { session: { deeds: ["revoke"], endpoints: { revocation_endpoint: "/revoke" } } },
    refused: { message: "RevokeTokenFailed", code: "metadata_invalid" },
    leaves: "signed-in",
    asked: [],
    twin: { session: { deeds: ["revoke"] } },
    twinAsked: BOTH,
  },
  {
    id: "revocation-by-hand-refused-with-what-it-was-sent",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: revocation(
      ({ body }) => ({ status: 400, body: { error: body, error_description: body } }),
      { deeds: ["revoke"] },
    ),
    refused: { message: "RevokeTokenFailed", code: "token_request_refused" },
    leaves: "signed-in",
    asked: BOTH,
    twin: { session: { deeds: ["revoke"] } },
  },
  {
    id: "revocation-by-hand-unavailable",
    source: ERRORS,
    bent: revocation(status(503), { deeds: ["revoke"] }),
    refused: { message: "RevokeTokenFailed", code: "server_error" },
    leaves: "signed-in",
    asked: FIRST,
    twin: { session: { deeds: ["revoke"] } },
  },
];
