import { honestly, inTurn, json, status } from "../answers.js";
import type { Answer, Bend, SessionRow } from "../bend.js";

const ROTATION = "RFC 9700 section 4.14.2, https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2";
const MATRIX =
  "Matrix, token refresh flow, https://spec.matrix.org/v1.16/client-server-api/#token-refresh-flow";
const MIX_UP = "RFC 9700 section 4.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.4";

const refreshAnswer = (...answers: [Answer, ...Answer[]]): Pick<Bend, "endpoints"> => ({
  endpoints: { refresh: inTurn(...answers) },
});
const twice = { deeds: ["refresh", "refresh"] } as const;
const refusal = json({ error: "invalid_grant" }, 400);

const ended: Pick<SessionRow, "refused" | "leaves"> = {
  refused: { message: "SessionEnded", code: "session_ended", because: "token_request_refused" },
  leaves: "signed-out",
};

/** An issuer whose document has come to name another's endpoints. */
const moved: Pick<Bend, "document" | "authMetadata"> = {
  document: ({ other }) => ({
    authorization_endpoint: `${other.origin}/authorize`,
    token_endpoint: `${other.origin}/token`,
    revocation_endpoint: `${other.origin}/revoke`,
    registration_endpoint: undefined,
    device_authorization_endpoint: undefined,
  }),
};

/** Which refresh token is sent, how often, and to whom. */
export const REFRESH_TOKENS: readonly SessionRow[] = [
  {
    id: "refresh-token-replaced-and-then-refused",
    source: ROTATION,
    // The old one is not tried in its place.
    bent: { ...refreshAnswer(honestly, refusal), session: twice },
    ...ended,
    asked: ["refresh 0", "refresh 1"],
    twin: { session: twice },
    twinAsked: ["refresh 0", "refresh 1"],
  },
  {
    id: "refresh-token-replaced-and-then-out-of-reach",
    source: ROTATION,
    bent: { ...refreshAnswer(honestly, status(503)), session: twice },
    refused: { message: "RefreshTokenFailed", code: "server_error" },
    leaves: "signed-in",
    asked: ["refresh 0", ...Array<string>(5).fill("refresh 1")],
    twin: { ...refreshAnswer(honestly, status(503), honestly), session: twice },
    twinAsked: ["refresh 0", "refresh 1", "refresh 1"],
  },
  {
    id: "refresh-token-kept-and-then-refused",
    source: "RFC 6749 section 6, https://www.rfc-editor.org/rfc/rfc6749#section-6",
    bent: {
      ...refreshAnswer(honestly, refusal),
      refreshed: { refresh_token: undefined },
      session: twice,
    },
    ...ended,
    asked: ["refresh 0", "refresh 0"],
    twin: { refreshed: { refresh_token: undefined }, session: twice },
    twinAsked: ["refresh 0", "refresh 0"],
  },
  {
    id: "refresh-token-repeated-and-then-refused",
    source: "RFC 6749 section 6, https://www.rfc-editor.org/rfc/rfc6749#section-6",
    bent: {
      ...refreshAnswer(honestly, refusal),
      refreshed: ({ idp }) => ({ refresh_token: idp.refreshTokens[0] }),
      session: twice,
    },
    ...ended,
    asked: ["refresh 0", "refresh 0"],
    twin: {
      refreshed: ({ idp }) => ({ refresh_token: idp.refreshTokens[0] }),
      session: twice,
    },
    twinAsked: ["refresh 0", "refresh 0"],
  },
  {
    id: "refresh-token-replaced-over-a-reload-and-then-refused",
    source: ROTATION,
    bent: {
      ...refreshAnswer(honestly, refusal),
      session: { deeds: ["refresh", "reload", "refresh"] },
    },
    ...ended,
    asked: ["refresh 0", "refresh 1"],
    twin: { session: { deeds: ["refresh", "reload", "refresh"] } },
    twinAsked: ["refresh 0", "refresh 1"],
  },
  {
    id: "refresh-token-that-never-was",
    source: MATRIX,
    bent: {
      metadata: { grant_types_supported: ["authorization_code"] },
      login: { clientId: "client-known" },
      tokens: { refresh_token: undefined },
    },
    refused: {
      message: "SessionEnded",
      code: "session_ended",
      because: "token_request_refused",
    },
    leaves: "signed-out",
    asked: [],
    twin: {
      metadata: { grant_types_supported: ["authorization_code"] },
      login: { clientId: "client-known" },
      tokens: { refresh_token: undefined },
      session: { deeds: ["access token"] },
    },
    twinAsked: [],
  },
  {
    id: "refresh-where-the-issuer-s-document-names-another-since",
    source: MIX_UP,
    bent: { ...moved, ...refreshAnswer(status(404)) },
    refused: { message: "SessionEnded", code: "session_ended", because: "unexpected_status" },
    leaves: "signed-out",
    asked: ["refresh 0"],
    twin: { ...moved },
    twinAsked: ["refresh 0"],
  },
  {
    id: "refresh-after-a-reload-where-the-document-names-another-since",
    source: MIX_UP,
    bent: {
      ...moved,
      ...refreshAnswer(refusal),
      session: { deeds: ["reload", "refresh"] },
    },
    ...ended,
    asked: ["refresh 0"],
    twin: { ...moved, session: { deeds: ["reload", "refresh"] } },
    twinAsked: ["refresh 0"],
  },
  {
    id: "refresh-by-a-client-of-its-own-where-the-document-names-another-since",
    source: MIX_UP,
    bent: {
      ...moved,
      ...refreshAnswer(refusal),
      session: { deeds: ["refresh by a client of its own"] },
    },
    ...ended,
    leaves: "signed-in",
    asked: ["refresh 0"],
    twin: { ...moved, session: { deeds: ["refresh by a client of its own"] } },
    twinAsked: ["refresh 0"],
  },
  {
    id: "refresh-where-the-document-alone-says-where-and-pairs-another-s-endpoint",
    source: MIX_UP,
    bent: {
      document: ({ other }) => ({ token_endpoint: `${other.origin}/token` }),
      session: { withoutEndpoints: true },
    },
    refused: { message: "OpSupport", code: "metadata_invalid" },
    leaves: "signed-in",
    asked: ["document"],
    twin: { session: { withoutEndpoints: true, deeds: ["refresh", "refresh"] } },
    twinAsked: ["document", "refresh 0", "refresh 1"],
  },
  {
    id: "refresh-where-the-document-alone-says-where-and-speaks-for-another",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: {
      document: ({ other }) => ({ issuer: `${other.origin}/` }),
      session: { withoutEndpoints: true },
    },
    refused: { message: "OpSupport", code: "issuer_mismatch" },
    leaves: "signed-in",
    asked: ["document"],
    twin: { session: { withoutEndpoints: true } },
    twinAsked: ["document", "refresh 0"],
  },
  {
    id: "refresh-where-the-document-alone-says-where-and-names-plain-http",
    source: "RFC 6749 section 3.2, https://www.rfc-editor.org/rfc/rfc6749#section-3.2",
    bent: {
      document: { token_endpoint: "http://idp.example/token" },
      session: { withoutEndpoints: true },
    },
    refused: { message: "OpSupport", code: "metadata_invalid" },
    leaves: "signed-in",
    asked: ["document"],
    twin: { session: { withoutEndpoints: true } },
    twinAsked: ["document", "refresh 0"],
  },
  {
    id: "refresh-where-the-document-alone-says-where-and-is-gone",
    source: "RFC 8414 section 3.2, https://www.rfc-editor.org/rfc/rfc8414#section-3.2",
    bent: {
      endpoints: { document: status(404) },
      session: { withoutEndpoints: true },
    },
    refused: { message: "General", code: "unexpected_status" },
    leaves: "signed-in",
    asked: ["document"],
    twin: {
      endpoints: { document: inTurn(status(503), honestly) },
      session: { withoutEndpoints: true },
    },
    twinAsked: ["document", "document", "refresh 0"],
  },
  {
    id: "refresh-by-a-client-of-its-own-where-the-document-pairs-another-s-endpoint",
    source: MIX_UP,
    bent: {
      document: ({ other }) => ({ token_endpoint: `${other.origin}/token` }),
      session: { withoutEndpoints: true, deeds: ["refresh by a client of its own"] },
    },
    refused: { message: "OpSupport", code: "metadata_invalid" },
    leaves: "signed-in",
    asked: ["document"],
    twin: { session: { withoutEndpoints: true, deeds: ["refresh by a client of its own"] } },
    twinAsked: ["document", "refresh 0"],
  },
];
