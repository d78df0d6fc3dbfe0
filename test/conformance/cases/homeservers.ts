import assert from "node:assert/strict";
import {
  changed,
  endless,
  honestly,
  html,
  inTurn,
  json,
  late,
  never,
  padded,
  redirect,
  status,
  unreadable,
} from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";

const general = (code: Row["refused"]["code"]): Row["refused"] => ({ message: "General", code });

const metadata = (answer: Answer, login: Bend["login"] = {}): Bend => ({
  endpoints: { auth_metadata: answer },
  login,
});

/** How a homeserver says that it does not know an endpoint. */
const UNRECOGNIZED = json({ errcode: "M_UNRECOGNIZED", error: "Unrecognized request" }, 404);

/** What a homeserver says of itself and of its provider, and the way to it. */
export const HOMESERVERS: readonly Row[] = [
  {
    id: "homeserver-base-a-script",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: { wellKnown: { "m.homeserver": { base_url: "javascript:alert(1)" } } },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    twin: {
      wellKnown: ({ homeserver }) => ({ "m.homeserver": { base_url: `${homeserver.origin}/` } }),
    },
  },
  {
    id: "homeserver-base-unencrypted",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: { wellKnown: { "m.homeserver": { base_url: "http://matrix.example/" } } },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    twin: {},
  },
  {
    id: "homeserver-base-relative",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: { wellKnown: { "m.homeserver": { base_url: "/" } } },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    twin: {},
  },
  {
    id: "homeserver-base-with-a-name-in-it",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: {
      wellKnown: ({ homeserver }) => ({
        "m.homeserver": { base_url: homeserver.origin.replace("//", "//matrix.org@") },
      }),
    },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    twin: {},
  },
  {
    id: "homeserver-base-missing",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: { wellKnown: { "m.homeserver": {} } },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    // Without a file the server itself is the homeserver.
    twin: { endpoints: { "well-known": status(404) } },
  },
  {
    id: "homeserver-base-a-list",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: { wellKnown: (_, honest) => ({ "m.homeserver": [honest["m.homeserver"]] }) },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    twin: { wellKnown: { "org.example.custom": [1] } },
  },
  {
    id: "homeserver-base-of-a-prototype",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: { endpoints: { "well-known": changed((body) => `{"__proto__":${body}}`) } },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    twin: {
      wellKnown: { ["__proto__"]: { "m.homeserver": { base_url: "https://evil.example" } } },
    },
  },
  {
    id: "homeserver-identity-server-a-script",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: { wellKnown: { "m.identity_server": { base_url: "javascript:alert(1)" } } },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    twin: { wellKnown: { "m.identity_server": { base_url: "https://vector.im" } } },
  },
  {
    id: "homeserver-file-a-web-page",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: { endpoints: { "well-known": html() } },
    refused: general("well_known_invalid"),
    reaches: "discovery",
    twin: {},
  },
  {
    id: "homeserver-file-out-of-order",
    source:
      "Matrix, well-known URIs, https://spec.matrix.org/v1.16/client-server-api/#well-known-uris",
    bent: { endpoints: { "well-known": status(500) } },
    refused: general("server_error"),
    reaches: "discovery",
    twin: {},
  },
  {
    id: "homeserver-file-redirected-for-ever",
    source: "Matrix, MSC4402, https://github.com/matrix-org/matrix-spec-proposals/pull/4402",
    bent: {
      endpoints: {
        "well-known": redirect(
          302,
          ({ homeserver }) => `${homeserver.origin}/.well-known/matrix/client`,
        ),
      },
    },
    refused: general("network_error"),
    reaches: "discovery",
    twin: {
      endpoints: {
        "well-known": inTurn(
          redirect(302, ({ homeserver }) => `${homeserver.origin}/.well-known/matrix/client`),
          honestly,
        ),
      },
    },
  },
  {
    id: "homeserver-without-a-provider",
    source:
      "Matrix, server metadata, https://spec.matrix.org/v1.16/client-server-api/#server-metadata-discovery",
    bent: { endpoints: { auth_metadata: UNRECOGNIZED } },
    refused: { message: "NotSupported", code: "oidc_not_supported" },
    reaches: "discovery",
    twin: {
      endpoints: {
        auth_metadata: UNRECOGNIZED,
        "unstable auth_metadata": ({ world }) => ({ body: world.idp.metadata }),
      },
    },
  },
  {
    id: "homeserver-metadata-a-web-page",
    source:
      "Matrix, server metadata, https://spec.matrix.org/v1.16/client-server-api/#server-metadata-discovery",
    bent: { endpoints: { auth_metadata: html() } },
    refused: { message: "NotSupported", code: "oidc_not_supported" },
    reaches: "discovery",
    twin: {
      endpoints: {
        auth_metadata: html(),
        auth_issuer: ({ world }) => ({ body: { issuer: world.idp.origin } }),
      },
    },
  },
  {
    id: "homeserver-metadata-out-of-order",
    source:
      "Matrix, server metadata, https://spec.matrix.org/v1.16/client-server-api/#server-metadata-discovery",
    bent: metadata(status(500)),
    refused: general("server_error"),
    reaches: "discovery",
    twin: metadata(inTurn(status(500), honestly)),
  },
  {
    id: "homeserver-metadata-rate-limit",
    source: "Matrix, rate limiting, https://spec.matrix.org/v1.16/client-server-api/#rate-limiting",
    bent: metadata(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 900 }, 429)),
    refused: general("rate_limited"),
    reaches: "discovery",
    also: ({ retryAfterMs }) => assert.equal(retryAfterMs, 900),
    twin: {},
  },
  {
    id: "homeserver-metadata-of-ten-megabytes",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: metadata(padded(10 << 20)),
    refused: general("response_too_large"),
    reaches: "discovery",
    twin: metadata(padded(1 << 19)),
  },
  {
    id: "homeserver-metadata-without-end",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: metadata(endless, { timeoutMs: 1500 }),
    refused: general("timeout"),
    reaches: "discovery",
    twin: metadata(late),
  },
  {
    id: "homeserver-metadata-that-never-comes",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: metadata(never, { timeoutMs: 1500 }),
    refused: general("timeout"),
    reaches: "discovery",
    twin: metadata(late),
  },
  {
    id: "homeserver-metadata-that-no-page-may-read",
    source: "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol",
    bent: metadata(unreadable),
    refused: general("network_error"),
    reaches: "discovery",
    twin: {},
  },
  {
    id: "homeserver-names-a-script-for-its-issuer",
    source: "Matrix, MSC2965, https://github.com/matrix-org/matrix-spec-proposals/pull/2965",
    bent: {
      endpoints: {
        auth_metadata: UNRECOGNIZED,
        auth_issuer: json({ issuer: "javascript:alert(1)" }),
      },
    },
    refused: general("issuer_invalid"),
    reaches: "discovery",
    twin: {
      endpoints: {
        auth_metadata: UNRECOGNIZED,
        auth_issuer: ({ world }) => ({ body: { issuer: world.idp.metadata["issuer"] } }),
      },
    },
  },
  {
    id: "homeserver-names-an-issuer-that-says-it-is-another",
    source: "Matrix, MSC2965, https://github.com/matrix-org/matrix-spec-proposals/pull/2965",
    bent: {
      endpoints: {
        auth_metadata: UNRECOGNIZED,
        auth_issuer: ({ world }) => ({ body: { issuer: world.idp.origin } }),
      },
      document: ({ other }) => ({ issuer: `${other.origin}/` }),
    },
    refused: { message: "OpSupport", code: "issuer_mismatch" },
    reaches: "discovery",
    twin: {
      endpoints: { auth_metadata: UNRECOGNIZED },
      wellKnown: ({ idp }) => ({ "m.authentication": { issuer: `${idp.origin}/` } }),
    },
  },
];
