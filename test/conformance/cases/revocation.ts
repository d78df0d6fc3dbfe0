import { cutInHeaders, html, inSequence, honestly, json, never, redirect, status, text, unreadable } from "../responses.js";
import type { Responder, Deviation, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { FETCH_CORS, matrix, rfc } from "../sources.js";
import type { SessionSettings } from "../session-steps.js";

const RFC7009 = rfc(7009, "2.2");
const ERRORS = rfc(7009, "2.2.1");
const MATRIX = matrix("token revocation", "token-revocation");
const MIX_UP = rfc(9700, "4.4");

const BOTH = ["revocation refresh 0", "revocation access 0"];

/** The endpoint might have moved, which the issuer's document tells. */
const BOTH_AND_DOCUMENT = [...BOTH, "document"];

/** Without a response, the browser might not have sent the request. */
const AGAIN_AND_DOCUMENT = ["refresh", "refresh", "access", "access"].map((token) => `revocation ${token} 0`).concat("document");

const revocation = (respond: Responder, session: SessionSettings = {}): Deviation => ({
  endpoints: { revocation: respond },
  session: { actions: ["sign out"], ...session },
});

/** The session is forgotten even so, and `signOut()` reports that the tokens may still be valid. */
const forgotten: Pick<SessionRow, "refused" | "leaves"> = { refused: "not taken back", leaves: "signed-out" };

const honest: Pick<SessionRow, "control" | "controlRequests"> = { control: { session: { actions: ["sign out"] } }, controlRequests: BOTH };

/** Both tokens are revoked with two requests at the same time, and none is kept in any case. */
export const REVOCATION = sessionRows({ source: MATRIX, ...forgotten, ...honest }, [
  { id: "revocation-unavailable", source: ERRORS, deviation: revocation(status(503, { "retry-after": "3600" })), requests: BOTH },
  { id: "revocation-500", source: RFC7009, deviation: revocation(html(500)), requests: BOTH },
  { id: "revocation-rate-limited", source: rfc(6585, "4"), deviation: revocation(status(429, { "retry-after": "1" })), requests: BOTH },
  { id: "revocation-unreachable", deviation: revocation(cutInHeaders), requests: AGAIN_AND_DOCUMENT },
  {
    id: "revocation-of-the-second-token-unreachable",
    deviation: revocation(inSequence(honestly, cutInHeaders)),
    requests: ["revocation refresh 0", "revocation access 0", "revocation access 0", "document"],
  },
  { id: "revocation-without-response", deviation: revocation(never, { timeoutMs: 1500 }), requests: BOTH_AND_DOCUMENT },
  { id: "revocation-response-without-cors", source: FETCH_CORS, deviation: revocation(unreadable), requests: AGAIN_AND_DOCUMENT },
  {
    id: "revocation-unsupported-token-type",
    source: ERRORS,
    deviation: revocation(json({ error: "unsupported_token_type" }, 400)),
    requests: BOTH,
    // An access token that cannot be revoked ends with its refresh token.
    control: revocation(inSequence(honestly, json({ error: "unsupported_token_type" }, 400))),
    controlRequests: BOTH,
  },
  {
    id: "revocation-unsupported-only-for-refresh-tokens",
    source: ERRORS,
    deviation: revocation(inSequence(json({ error: "unsupported_token_type" }, 400), honestly)),
    requests: BOTH,
  },
  ...["not_invalid_token", "invalid_token_type"].map((error) => ({
    id: `revocation-refused-with-${error.replaceAll("_", "-")}`,
    source: ERRORS,
    deviation: revocation(json({ error }, 400)),
    requests: BOTH,
  })),
  { id: "revocation-rejected-for-this-client", source: ERRORS, deviation: revocation(json({ error: "invalid_client" }, 401)), requests: BOTH },
  {
    id: "revocation-rejected-for-the-access-token",
    source: ERRORS,
    deviation: revocation(inSequence(honestly, json({ error: "invalid_client" }, 401))),
    requests: BOTH,
  },
  { id: "revocation-not-found", deviation: revocation(status(404)), requests: BOTH_AND_DOCUMENT },
  {
    id: "revocation-redirect-to-another",
    source: rfc(9700, "4.12"),
    deviation: revocation(redirect(307, ({ other }) => `${other.origin}/revoke`)),
    requests: BOTH_AND_DOCUMENT,
  },
  {
    id: "revocation-rejected-as-invalid-request",
    source: RFC7009,
    deviation: revocation(json({ error: "invalid_request" }, 400)),
    requests: BOTH,
    // An invalid token is not an error: the response is 200, with any body.
    control: revocation(text("Nothing to do here.")),
    controlRequests: BOTH,
  },
  // Some issuers revoke both tokens with the first request, and reject the second.
  ...["invalid_grant", "invalid_token"].map((error) => ({
    id: `revocation-of-one-token-that-ends-the-other-${error.replace("_", "-")}`,
    source: RFC7009,
    deviation: revocation(json({ error: "unauthorized_client" }, 400)),
    requests: BOTH,
    control: revocation(inSequence(text(""), json({ error }, 400))),
    controlRequests: BOTH,
  })),
  {
    id: "revocation-after-a-refresh-unavailable",
    deviation: revocation(status(503), { actions: ["refresh", "sign out"] }),
    requests: ["refresh 0", "revocation refresh 1", "revocation access 1"],
    control: { session: { actions: ["refresh", "sign out"] } },
    controlRequests: ["refresh 0", "revocation refresh 1", "revocation access 1"],
  },
  { id: "revocation-a-second-time", deviation: { session: { actions: ["sign out", "sign out"] } }, requests: BOTH },
  {
    id: "refresh-after-signing-out",
    deviation: { session: { actions: ["sign out", "refresh"] } },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    requests: BOTH,
    control: { session: { actions: ["refresh"] } },
    controlRequests: ["refresh 0"],
  },
  {
    id: "access-token-after-a-failed-sign-out",
    deviation: revocation(status(503), { actions: ["sign out", "access token"] }),
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    requests: BOTH,
    control: { session: { actions: ["access token"] } },
    controlRequests: [],
  },
  {
    id: "revocation-issuer-document-changed",
    source: MIX_UP,
    deviation: { ...revocation(status(503)), document: ({ other }) => ({ revocation_endpoint: `${other.origin}/revoke` }) },
    requests: BOTH,
    control: { document: ({ other }) => ({ revocation_endpoint: `${other.origin}/revoke` }), session: { actions: ["sign out"] } },
    controlRequests: BOTH,
  },
  {
    id: "revocation-endpoint-only-in-the-document-of-another-origin",
    source: MIX_UP,
    deviation: { document: ({ other }) => ({ revocation_endpoint: `${other.origin}/revoke` }), session: { actions: ["sign out"], withoutEndpoints: true } },
    requests: ["document"],
    control: { session: { actions: ["sign out"], withoutEndpoints: true } },
    controlRequests: ["document", ...BOTH],
  },
  {
    id: "revocation-endpoint-only-in-the-document-over-http",
    source: rfc(7009, "2"),
    deviation: { document: { revocation_endpoint: "http://idp.example/revoke" }, session: { actions: ["sign out"], withoutEndpoints: true } },
    requests: ["document"],
    control: { session: { actions: ["sign out"], withoutEndpoints: true } },
    controlRequests: ["document", ...BOTH],
  },
  {
    id: "manual-revocation-over-http",
    source: rfc(7009, "2"),
    deviation: { session: { actions: ["revoke"], endpoints: { revocation_endpoint: "http://idp.example/revoke" } } },
    refused: { message: "RevokeTokenFailed", code: "metadata_invalid" },
    leaves: "signed-in",
    requests: [],
    control: { session: { actions: ["revoke"] } },
    controlRequests: BOTH,
  },
  {
    id: "manual-revocation-invalid-url",
    source: rfc(7009, "2"),
    deviation: { session: { actions: ["revoke"], endpoints: { revocation_endpoint: "/revoke" } } },
    refused: { message: "RevokeTokenFailed", code: "metadata_invalid" },
    leaves: "signed-in",
    requests: [],
    control: { session: { actions: ["revoke"] } },
    controlRequests: BOTH,
  },
  {
    id: "manual-revocation-rejection-echoes-the-request",
    source: rfc(9700, "4.2.4"),
    deviation: revocation(({ body }) => ({ status: 400, body: { error: body, error_description: body } }), { actions: ["revoke"] }),
    refused: { message: "RevokeTokenFailed", code: "token_request_refused" },
    leaves: "signed-in",
    requests: BOTH,
    control: { session: { actions: ["revoke"] } },
  },
  {
    id: "manual-revocation-unavailable",
    source: ERRORS,
    deviation: revocation(status(503), { actions: ["revoke"] }),
    refused: { message: "RevokeTokenFailed", code: "server_error" },
    leaves: "signed-in",
    requests: BOTH,
    control: { session: { actions: ["revoke"] } },
  },
]);
