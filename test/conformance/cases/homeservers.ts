import {
  changed,
  endless,
  honestly,
  html,
  inSequence,
  json,
  late,
  never,
  padded,
  redirect,
  status,
  unreadable,
} from "../responses.js";
import type { Responder, Deviation, Row } from "../row.js";
import { loginRows } from "../row.js";
import {
  FETCH_CORS,
  OWASP_PROTOTYPE_POLLUTION,
  OWASP_RESOURCE_CONSUMPTION,
  matrix,
  msc,
} from "../sources.js";

const general = (code: Row["refused"]["code"]): Row["refused"] => ({ message: "General", code });

const metadata = (respond: Responder, login: Deviation["login"] = {}): Deviation => ({
  endpoints: { auth_metadata: respond },
  login,
});

/** How a homeserver says that it does not know an endpoint. */
const UNRECOGNIZED = json({ errcode: "M_UNRECOGNIZED", error: "Unrecognized request" }, 404);

/** What a homeserver says of itself and of its provider, and the way to it. */
export const HOMESERVERS = loginRows(
  {
    source: matrix("well-known URIs", "well-known-uris"),
    refused: general("well_known_invalid"),
    reaches: "discovery",
  },
  [
    {
      id: "homeserver-base-a-script",
      deviation: { wellKnown: { "m.homeserver": { base_url: "javascript:alert(1)" } } },
      control: {
        wellKnown: ({ homeserver }) => ({ "m.homeserver": { base_url: `${homeserver.origin}/` } }),
      },
    },
    {
      id: "homeserver-base-unencrypted",
      deviation: { wellKnown: { "m.homeserver": { base_url: "http://matrix.example/" } } },
    },
    {
      id: "homeserver-base-relative",
      deviation: { wellKnown: { "m.homeserver": { base_url: "/" } } },
    },
    {
      id: "homeserver-base-with-a-name-in-it",
      deviation: {
        wellKnown: ({ homeserver }) => ({
          "m.homeserver": { base_url: homeserver.origin.replace("//", "//matrix.org@") },
        }),
      },
    },
    {
      id: "homeserver-base-missing",
      deviation: { wellKnown: { "m.homeserver": {} } },
      // Without a file the server itself is the homeserver.
      control: { endpoints: { "well-known": status(404) } },
    },
    {
      id: "homeserver-base-a-list",
      deviation: { wellKnown: (_, honest) => ({ "m.homeserver": [honest["m.homeserver"]] }) },
      control: { wellKnown: { "org.example.custom": [1] } },
    },
    {
      id: "homeserver-base-of-a-prototype",
      source: OWASP_PROTOTYPE_POLLUTION,
      deviation: { endpoints: { "well-known": changed((body) => `{"__proto__":${body}}`) } },
      control: {
        wellKnown: { ["__proto__"]: { "m.homeserver": { base_url: "https://evil.example" } } },
      },
    },
    {
      id: "homeserver-identity-server-a-script",
      deviation: { wellKnown: { "m.identity_server": { base_url: "javascript:alert(1)" } } },
      control: { wellKnown: { "m.identity_server": { base_url: "https://vector.im" } } },
    },
    { id: "homeserver-file-a-web-page", deviation: { endpoints: { "well-known": html() } } },
    {
      id: "homeserver-file-out-of-order",
      deviation: { endpoints: { "well-known": status(500) } },
      refused: general("server_error"),
    },
    {
      id: "homeserver-file-redirected-for-ever",
      source: msc(4402),
      deviation: {
        endpoints: {
          "well-known": redirect(
            302,
            ({ homeserver }) => `${homeserver.origin}/.well-known/matrix/client`,
          ),
        },
      },
      refused: general("network_error"),
      control: {
        endpoints: {
          "well-known": inSequence(
            redirect(302, ({ homeserver }) => `${homeserver.origin}/.well-known/matrix/client`),
            honestly,
          ),
        },
      },
    },
    {
      id: "homeserver-without-a-provider",
      source: matrix("server metadata", "server-metadata-discovery"),
      deviation: { endpoints: { auth_metadata: UNRECOGNIZED } },
      refused: { message: "NotSupported", code: "oidc_not_supported" },
      control: {
        endpoints: {
          auth_metadata: UNRECOGNIZED,
          "unstable auth_metadata": ({ environment }) => ({ body: environment.idp.metadata }),
        },
      },
    },
    {
      id: "homeserver-metadata-a-web-page",
      source: matrix("server metadata", "server-metadata-discovery"),
      deviation: { endpoints: { auth_metadata: html() } },
      refused: { message: "NotSupported", code: "oidc_not_supported" },
      control: {
        endpoints: {
          auth_metadata: html(),
          auth_issuer: ({ environment }) => ({ body: { issuer: environment.idp.origin } }),
        },
      },
    },
    {
      id: "homeserver-metadata-out-of-order",
      source: matrix("server metadata", "server-metadata-discovery"),
      deviation: metadata(status(500)),
      refused: general("server_error"),
      control: metadata(inSequence(status(500), honestly)),
    },
    {
      id: "homeserver-metadata-rate-limit",
      source: matrix("rate limiting", "rate-limiting"),
      deviation: metadata(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 900 }, 429)),
      refused: general("rate_limited"),
      retryAfterMs: 900,
    },
    {
      id: "homeserver-metadata-of-ten-megabytes",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: metadata(padded(10 << 20)),
      refused: general("response_too_large"),
      control: metadata(padded(1 << 19)),
    },
    {
      id: "homeserver-metadata-without-end",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: metadata(endless, { timeoutMs: 1500 }),
      refused: general("timeout"),
      control: metadata(late),
    },
    {
      id: "homeserver-metadata-that-never-comes",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: metadata(never, { timeoutMs: 1500 }),
      refused: general("timeout"),
      control: metadata(late),
    },
    {
      id: "homeserver-metadata-that-no-page-may-read",
      source: FETCH_CORS,
      deviation: metadata(unreadable),
      refused: general("network_error"),
    },
    {
      id: "homeserver-names-a-script-for-its-issuer",
      source: msc(2965),
      deviation: {
        endpoints: {
          auth_metadata: UNRECOGNIZED,
          auth_issuer: json({ issuer: "javascript:alert(1)" }),
        },
      },
      refused: general("issuer_invalid"),
      control: {
        endpoints: {
          auth_metadata: UNRECOGNIZED,
          auth_issuer: ({ environment }) => ({
            body: { issuer: environment.idp.metadata["issuer"] },
          }),
        },
      },
    },
    {
      id: "homeserver-names-an-issuer-that-says-it-is-another",
      source: msc(2965),
      deviation: {
        endpoints: {
          auth_metadata: UNRECOGNIZED,
          auth_issuer: ({ environment }) => ({ body: { issuer: environment.idp.origin } }),
        },
        document: ({ other }) => ({ issuer: `${other.origin}/` }),
      },
      refused: { message: "OpSupport", code: "issuer_mismatch" },
      control: {
        endpoints: { auth_metadata: UNRECOGNIZED },
        wellKnown: ({ idp }) => ({ "m.authentication": { issuer: `${idp.origin}/` } }),
      },
    },
  ],
);
