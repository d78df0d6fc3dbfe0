import { json, status } from "../responses.js";
import type { Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { DISCOVERY_DOCUMENT, rfc } from "../sources.js";
import type { Environment } from "../environment.js";

const FAULTY = { message: "OpSupport", code: "metadata_invalid" } as const;
const UNCONFIRMED = { message: "OpSupport", code: "issuer_unconfirmed" } as const;

/** The homeserver names another place for an endpoint than the provider has. */
const elsewhere = (member: string, place: (environment: Environment) => string): Deviation => ({
  authMetadata: (environment) => ({ [member]: place(environment) }),
});

/** The other origin passes on what it is asked: it belongs to the provider, who names it. */
const PASSED_ON: Deviation = {
  endpoints: {
    token: ({ environment, ...request }) => environment.idp.handle(request),
    registration: ({ environment, ...request }) => environment.idp.handle(request),
    keys: ({ environment, ...request }) => environment.idp.handle(request),
  },
};

/** The provider spreads over two origins, and the caller knows that. */
const allowed = (member: string, path: string): Deviation => ({
  metadata: ({ other }) => ({ [member]: `${other.origin}${path}` }),
  other: PASSED_ON,
  login: ({ other }) => ({ allowedOrigins: [other.origin] }),
});

/** An honest service whose issuer is another host, which says the same of it. */
const DELEGATED: Deviation = {
  metadata: ({ other }) => ({ issuer: `${other.origin}/` }),
  other: { endpoints: { document: ({ environment }) => ({ body: environment.idp.metadata }) } },
};

/** The same, but for a member of what the issuer says. */
const deniedBy = (member: string, value: (environment: Environment) => unknown): Deviation => ({
  ...DELEGATED,
  other: {
    endpoints: {
      document: ({ environment }) => ({
        body: { ...environment.idp.metadata, [member]: value(environment) },
      }),
    },
  },
});

/**
 * Whose endpoints are whose. A homeserver may pair an honest authorization endpoint with a token
 * endpoint of its own, or speak in the name of an issuer that knows nothing of it.
 */
export const ORIGINS = loginRows(
  { refused: FAULTY, reaches: "discovery", source: rfc(8414, "3.3") },
  [
    {
      id: "origin-token-endpoint-of-another",
      source: rfc(9700, "4.4.2"),
      deviation: elsewhere("token_endpoint", ({ other }) => `${other.origin}/token`),
      control: allowed("token_endpoint", "/token"),
    },
    {
      id: "origin-authorization-endpoint-of-another",
      source: rfc(9700, "4.4.1"),
      deviation: elsewhere("authorization_endpoint", ({ other }) => `${other.origin}/authorize`),
    },
    {
      id: "origin-registration-endpoint-of-another",
      source: rfc(9700, "4.4"),
      deviation: elsewhere("registration_endpoint", ({ other }) => `${other.origin}/register`),
      control: allowed("registration_endpoint", "/register"),
    },
    {
      id: "origin-revocation-endpoint-of-another",
      source: rfc(7009, "2"),
      deviation: elsewhere("revocation_endpoint", ({ other }) => `${other.origin}/revoke`),
      control: allowed("revocation_endpoint", "/revoke"),
    },
    {
      id: "origin-device-authorization-endpoint-of-another",
      source: rfc(8628, "5.4"),
      deviation: elsewhere(
        "device_authorization_endpoint",
        ({ other }) => `${other.origin}/device`,
      ),
      control: allowed("device_authorization_endpoint", "/device"),
    },
    {
      id: "origin-token-endpoint-on-another-port",
      source: rfc(6454, "5"),
      deviation: elsewhere(
        "token_endpoint",
        ({ idp }) => `${idp.origin.replace(/\d+$/, "1")}/token`,
      ),
      control: { metadata: ({ idp }) => ({ token_endpoint: `${idp.origin}/a/../token` }) },
    },
    {
      id: "origin-token-endpoint-on-a-host-below",
      source: rfc(6454, "5"),
      deviation: elsewhere(
        "token_endpoint",
        ({ idp }) => `${idp.origin.replace("//", "//a.")}/token`,
      ),
      // The host of a URL is the same in capitals.
      control: { metadata: ({ idp }) => ({ token_endpoint: `${idp.origin.toUpperCase()}/token` }) },
    },
    {
      id: "origin-token-endpoint-with-another-scheme",
      source: rfc(6454, "5"),
      deviation: elsewhere(
        "token_endpoint",
        ({ idp }) => `${idp.origin.replace("http", "https")}/token`,
      ),
    },
    {
      id: "origin-token-endpoint-that-looks-the-same",
      source:
        "Unicode UTS 39 section 4, https://www.unicode.org/reports/tr39/#Confusable_Detection",
      deviation: elsewhere(
        "token_endpoint",
        ({ idp }) => `${idp.origin.replace("idp", "idр")}/token`,
      ),
    },
    {
      id: "origin-token-endpoint-of-one-whom-nobody-allowed",
      source: rfc(9700, "4.4.2"),
      deviation: {
        ...elsewhere("token_endpoint", ({ homeserver }) => `${homeserver.origin}/token`),
        login: ({ other }) => ({ allowedOrigins: [other.origin] }),
      },
      control: { login: ({ other }) => ({ allowedOrigins: [other.origin] }) },
    },
    {
      id: "origin-that-only-begins-like-an-allowed-one",
      source: rfc(6454, "6.2"),
      deviation: {
        ...allowed("token_endpoint", "/token"),
        login: ({ other }) => ({
          allowedOrigins: [`${other.origin}.evil.example`, other.origin.slice(0, -1)],
        }),
      },
      control: allowed("token_endpoint", "/token"),
    },
    {
      id: "issuer-that-says-another-token-endpoint",
      reason: /token_endpoint/,
      deviation: deniedBy("token_endpoint", ({ idp }) => `${idp.origin}/oauth2/token`),
      refused: UNCONFIRMED,
      control: DELEGATED,
    },
    {
      id: "issuer-that-says-another-authorization-endpoint",
      reason: /authorization_endpoint/,
      deviation: deniedBy("authorization_endpoint", ({ idp }) => `${idp.origin}/oauth2/authorize`),
      refused: UNCONFIRMED,
      control: DELEGATED,
    },
    {
      id: "issuer-that-says-another-registration-endpoint",
      reason: /registration_endpoint/,
      deviation: deniedBy("registration_endpoint", () => undefined),
      refused: UNCONFIRMED,
      control: deniedBy("service_documentation", () => "https://docs.example/"),
    },
    {
      id: "issuer-that-says-another-revocation-endpoint",
      reason: /revocation_endpoint/,
      deviation: deniedBy("revocation_endpoint", ({ idp }) => `${idp.origin}/oauth2/revoke`),
      refused: UNCONFIRMED,
      control: deniedBy("response_modes_supported", () => ["query"]),
    },
    {
      id: "issuer-that-knows-nothing-of-these-endpoints",
      source: rfc(9700, "4.4"),
      deviation: {
        authMetadata: ({ idp, other }) => ({ ...other.metadata, issuer: idp.metadata["issuer"] }),
      },
      refused: UNCONFIRMED,
      control: { authMetadata: ({ other }) => other.metadata },
    },
    {
      id: "issuer-that-speaks-for-another-issuer",
      deviation: deniedBy("issuer", ({ idp }) => `${idp.origin}/`),
      refused: { message: "OpSupport", code: "issuer_mismatch" },
      // With a slash at its end and without it, an origin is the same URL.
      control: deniedBy("issuer", ({ other }) => other.origin),
    },
    {
      id: "issuer-without-a-document",
      source: DISCOVERY_DOCUMENT,
      deviation: { ...DELEGATED, other: { endpoints: { document: status(404) } } },
      refused: { message: "General", code: "unexpected_status" },
      // A caller that allows the endpoints' origin by name needs no confirmation by the issuer.
      control: {
        ...DELEGATED,
        other: { endpoints: { document: status(404) } },
        login: ({ idp }) => ({ allowedOrigins: [idp.origin] }),
      },
    },
    {
      id: "issuer-whose-document-is-faulty",
      source: rfc(8414, "3.2"),
      deviation: { ...DELEGATED, other: { endpoints: { document: json({}) } } },
      control: DELEGATED,
    },
  ],
);
