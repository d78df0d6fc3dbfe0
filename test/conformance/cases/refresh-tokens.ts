import { honestly, inSequence, json, status } from "../responses.js";
import type { Responder, Deviation, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { DISCOVERY_VALIDATION, matrix, rfc } from "../sources.js";

const ROTATION = rfc(9700, "4.14.2");
const MATRIX = matrix("token refresh flow", "token-refresh-flow");
const MIX_UP = rfc(9700, "4.4");

const refreshResponse = (...responders: [Responder, ...Responder[]]): Pick<Deviation, "endpoints"> => ({ endpoints: { refresh: inSequence(...responders) } });
const twice = { actions: ["refresh", "refresh"] } as const;
const refusal = json({ error: "invalid_grant" }, 400);

const ended: Pick<SessionRow, "refused" | "leaves"> = {
  refused: { message: "SessionEnded", code: "session_ended", cause: "token_request_refused" },
  leaves: "signed-out",
};

/** The issuer's document now names another provider's endpoints. */
const moved: Pick<Deviation, "document" | "authMetadata"> = {
  document: ({ other }) => ({
    authorization_endpoint: `${other.origin}/authorize`,
    token_endpoint: `${other.origin}/token`,
    revocation_endpoint: `${other.origin}/revoke`,
    registration_endpoint: undefined,
    device_authorization_endpoint: undefined,
  }),
};

/** The refresh token of each request, the number of requests, and their servers. */
export const REFRESH_TOKENS = sessionRows({ source: MIX_UP, ...ended }, [
  {
    id: "refresh-token-rotated-then-rejected",
    source: ROTATION,
    // The old token must not be tried again.
    deviation: { ...refreshResponse(honestly, refusal), session: twice },
    requests: ["refresh 0", "refresh 1"],
    control: { session: twice },
    controlRequests: ["refresh 0", "refresh 1"],
  },
  {
    id: "refresh-token-rotated-then-unreachable",
    source: ROTATION,
    deviation: { ...refreshResponse(honestly, status(503)), session: twice },
    refused: { message: "RefreshTokenFailed", code: "server_error" },
    leaves: "signed-in",
    requests: ["refresh 0", ...Array<string>(5).fill("refresh 1")],
    control: { ...refreshResponse(honestly, status(503), honestly), session: twice },
    controlRequests: ["refresh 0", "refresh 1", "refresh 1"],
  },
  {
    id: "refresh-token-kept-then-rejected",
    source: rfc(6749, "6"),
    deviation: { ...refreshResponse(honestly, refusal), refreshed: { refresh_token: undefined }, session: twice },
    requests: ["refresh 0", "refresh 0"],
    control: { refreshed: { refresh_token: undefined }, session: twice },
    controlRequests: ["refresh 0", "refresh 0"],
  },
  {
    id: "refresh-token-repeated-then-rejected",
    source: rfc(6749, "6"),
    deviation: { ...refreshResponse(honestly, refusal), refreshed: ({ idp }) => ({ refresh_token: idp.refreshTokens[0] }), session: twice },
    requests: ["refresh 0", "refresh 0"],
    control: { refreshed: ({ idp }) => ({ refresh_token: idp.refreshTokens[0] }), session: twice },
    controlRequests: ["refresh 0", "refresh 0"],
  },
  {
    id: "refresh-token-rotated-across-a-reload-then-rejected",
    source: ROTATION,
    deviation: { ...refreshResponse(honestly, refusal), session: { actions: ["refresh", "reload", "refresh"] } },
    requests: ["refresh 0", "refresh 1"],
    control: { session: { actions: ["refresh", "reload", "refresh"] } },
    controlRequests: ["refresh 0", "refresh 1"],
  },
  {
    id: "refresh-token-unknown",
    source: MATRIX,
    deviation: { metadata: { grant_types_supported: ["authorization_code"] }, login: { clientId: "client-known" }, tokens: { refresh_token: undefined } },
    refused: { message: "RefreshTokenFailed", code: "refresh_not_possible" },
    leaves: "signed-in",
    requests: [],
    control: {
      metadata: { grant_types_supported: ["authorization_code"] },
      login: { clientId: "client-known" },
      tokens: { refresh_token: undefined },
      session: { actions: ["access token"] },
    },
    controlRequests: [],
  },
  {
    id: "refresh-issuer-document-changed-origin",
    deviation: { ...moved, ...refreshResponse(status(404)) },
    refused: { message: "RefreshTokenFailed", code: "unexpected_status" },
    leaves: "signed-in",
    requests: ["refresh 0", "document"],
    control: { ...moved },
    controlRequests: ["refresh 0"],
  },
  {
    id: "refresh-after-a-reload-issuer-document-changed",
    deviation: { ...moved, ...refreshResponse(refusal), session: { actions: ["reload", "refresh"] } },
    requests: ["refresh 0"],
    control: { ...moved, session: { actions: ["reload", "refresh"] } },
    controlRequests: ["refresh 0"],
  },
  {
    id: "refresh-with-a-fixed-client-issuer-document-changed",
    deviation: { ...moved, ...refreshResponse(refusal), session: { actions: ["refresh with a separate client"] } },
    leaves: "signed-in",
    requests: ["refresh 0"],
    control: { ...moved, session: { actions: ["refresh with a separate client"] } },
    controlRequests: ["refresh 0"],
  },
  {
    id: "refresh-endpoint-only-in-the-document-of-another-origin",
    deviation: { document: ({ other }) => ({ token_endpoint: `${other.origin}/token` }), session: { withoutEndpoints: true } },
    refused: { message: "OpSupport", code: "metadata_invalid" },
    leaves: "signed-in",
    requests: ["document"],
    control: { session: { withoutEndpoints: true, actions: ["refresh", "refresh"] } },
    controlRequests: ["document", "refresh 0", "refresh 1"],
  },
  {
    id: "refresh-endpoint-only-in-the-document-of-another-issuer",
    source: DISCOVERY_VALIDATION,
    deviation: { document: ({ other }) => ({ issuer: `${other.origin}/` }), session: { withoutEndpoints: true } },
    refused: { message: "OpSupport", code: "issuer_mismatch" },
    leaves: "signed-in",
    requests: ["document"],
    control: { session: { withoutEndpoints: true } },
    controlRequests: ["document", "refresh 0"],
  },
  {
    id: "refresh-endpoint-only-in-the-document-over-http",
    source: rfc(6749, "3.2"),
    deviation: { document: { token_endpoint: "http://idp.example/token" }, session: { withoutEndpoints: true } },
    refused: { message: "OpSupport", code: "metadata_invalid" },
    leaves: "signed-in",
    requests: ["document"],
    control: { session: { withoutEndpoints: true } },
    controlRequests: ["document", "refresh 0"],
  },
  {
    id: "refresh-endpoint-only-in-a-missing-document",
    source: rfc(8414, "3.2"),
    deviation: { endpoints: { document: status(404) }, session: { withoutEndpoints: true } },
    refused: { message: "General", code: "unexpected_status" },
    leaves: "signed-in",
    requests: ["document"],
    control: { endpoints: { document: inSequence(status(503), honestly) }, session: { withoutEndpoints: true } },
    controlRequests: ["document", "document", "refresh 0"],
  },
  {
    id: "refresh-with-a-fixed-client-endpoint-of-another-origin",
    deviation: {
      document: ({ other }) => ({ token_endpoint: `${other.origin}/token` }),
      session: { withoutEndpoints: true, actions: ["refresh with a separate client"] },
    },
    refused: { message: "OpSupport", code: "metadata_invalid" },
    leaves: "signed-in",
    requests: ["document"],
    control: { session: { withoutEndpoints: true, actions: ["refresh with a separate client"] } },
    controlRequests: ["document", "refresh 0"],
  },
]);
