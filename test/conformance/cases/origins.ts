import { json, status } from "../answers.js";
import type { Bend, Row } from "../bend.js";
import type { World } from "../world.js";

const FAULTY = { message: "OpSupport", code: "metadata_invalid" } as const;
const UNCONFIRMED = { message: "OpSupport", code: "issuer_unconfirmed" } as const;

/** The homeserver names another place for an endpoint than the provider has. */
const elsewhere = (member: string, place: (world: World) => string): Bend => ({
  authMetadata: (world) => ({ [member]: place(world) }),
});

/** The other origin passes on what it is asked: it belongs to the provider, who names it. */
const PASSED_ON: Bend = {
  endpoints: {
    token: ({ world, ...asked }) => world.idp.handle(asked),
    registration: ({ world, ...asked }) => world.idp.handle(asked),
    keys: ({ world, ...asked }) => world.idp.handle(asked),
  },
};

/** The provider spreads over two origins, and the caller knows that. */
const allowed = (member: string, path: string): Bend => ({
  metadata: ({ other }) => ({ [member]: `${other.origin}${path}` }),
  other: PASSED_ON,
  login: ({ other }) => ({ allowedOrigins: [other.origin] }),
});

/** An honest service whose issuer is another host, which says the same of it. */
const DELEGATED: Bend = {
  metadata: ({ other }) => ({ issuer: `${other.origin}/` }),
  other: { endpoints: { document: ({ world }) => ({ body: world.idp.metadata }) } },
};

/** The same, but for a member of what the issuer says. */
const deniedBy = (member: string, value: (world: World) => unknown): Bend => ({
  ...DELEGATED,
  other: {
    endpoints: {
      document: ({ world }) => ({ body: { ...world.idp.metadata, [member]: value(world) } }),
    },
  },
});

/**
 * Whose endpoints are whose. A homeserver may pair an honest authorization endpoint with a token
 * endpoint of its own, or speak in the name of an issuer that knows nothing of it.
 */
export const ORIGINS: readonly Row[] = [
  {
    id: "origin-token-endpoint-of-another",
    source: "RFC 9700 section 4.4.2, https://www.rfc-editor.org/rfc/rfc9700#section-4.4.2",
    bent: elsewhere("token_endpoint", ({ other }) => `${other.origin}/token`),
    refused: FAULTY,
    reaches: "discovery",
    twin: allowed("token_endpoint", "/token"),
  },
  {
    id: "origin-authorization-endpoint-of-another",
    source: "RFC 9700 section 4.4.1, https://www.rfc-editor.org/rfc/rfc9700#section-4.4.1",
    bent: elsewhere("authorization_endpoint", ({ other }) => `${other.origin}/authorize`),
    refused: FAULTY,
    reaches: "discovery",
    twin: {},
  },
  {
    id: "origin-registration-endpoint-of-another",
    source: "RFC 9700 section 4.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.4",
    bent: elsewhere("registration_endpoint", ({ other }) => `${other.origin}/register`),
    refused: FAULTY,
    reaches: "discovery",
    twin: allowed("registration_endpoint", "/register"),
  },
  {
    id: "origin-revocation-endpoint-of-another",
    source: "RFC 7009 section 2, https://www.rfc-editor.org/rfc/rfc7009#section-2",
    bent: elsewhere("revocation_endpoint", ({ other }) => `${other.origin}/revoke`),
    refused: FAULTY,
    reaches: "discovery",
    twin: allowed("revocation_endpoint", "/revoke"),
  },
  {
    id: "origin-device-authorization-endpoint-of-another",
    source: "RFC 8628 section 5.4, https://www.rfc-editor.org/rfc/rfc8628#section-5.4",
    bent: elsewhere("device_authorization_endpoint", ({ other }) => `${other.origin}/device`),
    refused: FAULTY,
    reaches: "discovery",
    twin: allowed("device_authorization_endpoint", "/device"),
  },
  {
    id: "origin-token-endpoint-on-another-port",
    source: "RFC 6454 section 5, https://www.rfc-editor.org/rfc/rfc6454#section-5",
    bent: elsewhere("token_endpoint", ({ idp }) => `${idp.origin.replace(/\d+$/, "1")}/token`),
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: ({ idp }) => ({ token_endpoint: `${idp.origin}/a/../token` }) },
  },
  {
    id: "origin-token-endpoint-on-a-host-below",
    source: "RFC 6454 section 5, https://www.rfc-editor.org/rfc/rfc6454#section-5",
    bent: elsewhere("token_endpoint", ({ idp }) => `${idp.origin.replace("//", "//a.")}/token`),
    refused: FAULTY,
    reaches: "discovery",
    // The host of an address is the same in capitals.
    twin: { metadata: ({ idp }) => ({ token_endpoint: `${idp.origin.toUpperCase()}/token` }) },
  },
  {
    id: "origin-token-endpoint-with-another-scheme",
    source: "RFC 6454 section 5, https://www.rfc-editor.org/rfc/rfc6454#section-5",
    bent: elsewhere("token_endpoint", ({ idp }) => `${idp.origin.replace("http", "https")}/token`),
    refused: FAULTY,
    reaches: "discovery",
    twin: {},
  },
  {
    id: "origin-token-endpoint-that-looks-the-same",
    source: "Unicode UTS 39 section 4, https://www.unicode.org/reports/tr39/#Confusable_Detection",
    bent: elsewhere("token_endpoint", ({ idp }) => `${idp.origin.replace("idp", "idр")}/token`),
    refused: FAULTY,
    reaches: "discovery",
    twin: {},
  },
  {
    id: "origin-token-endpoint-of-one-whom-nobody-allowed",
    source: "RFC 9700 section 4.4.2, https://www.rfc-editor.org/rfc/rfc9700#section-4.4.2",
    bent: {
      ...elsewhere("token_endpoint", ({ homeserver }) => `${homeserver.origin}/token`),
      login: ({ other }) => ({ allowedOrigins: [other.origin] }),
    },
    refused: FAULTY,
    reaches: "discovery",
    twin: { login: ({ other }) => ({ allowedOrigins: [other.origin] }) },
  },
  {
    id: "origin-that-only-begins-like-an-allowed-one",
    source: "RFC 6454 section 6.2, https://www.rfc-editor.org/rfc/rfc6454#section-6.2",
    bent: {
      ...allowed("token_endpoint", "/token"),
      login: ({ other }) => ({
        allowedOrigins: [`${other.origin}.evil.example`, other.origin.slice(0, -1)],
      }),
    },
    refused: FAULTY,
    reaches: "discovery",
    twin: allowed("token_endpoint", "/token"),
  },
  {
    id: "issuer-that-says-another-token-endpoint",
    source: "RFC 8414 section 3.3, https://www.rfc-editor.org/rfc/rfc8414#section-3.3",
    bent: deniedBy("token_endpoint", ({ idp }) => `${idp.origin}/oauth2/token`),
    refused: UNCONFIRMED,
    reaches: "discovery",
    twin: DELEGATED,
  },
  {
    id: "issuer-that-says-another-authorization-endpoint",
    source: "RFC 8414 section 3.3, https://www.rfc-editor.org/rfc/rfc8414#section-3.3",
    bent: deniedBy("authorization_endpoint", ({ idp }) => `${idp.origin}/oauth2/authorize`),
    refused: UNCONFIRMED,
    reaches: "discovery",
    twin: DELEGATED,
  },
  {
    id: "issuer-that-says-another-registration-endpoint",
    source: "RFC 8414 section 3.3, https://www.rfc-editor.org/rfc/rfc8414#section-3.3",
    bent: deniedBy("registration_endpoint", () => undefined),
    refused: UNCONFIRMED,
    reaches: "discovery",
    twin: deniedBy("service_documentation", () => "https://docs.example/"),
  },
  {
    id: "issuer-that-says-another-revocation-endpoint",
    source: "RFC 8414 section 3.3, https://www.rfc-editor.org/rfc/rfc8414#section-3.3",
    bent: deniedBy("revocation_endpoint", ({ idp }) => `${idp.origin}/oauth2/revoke`),
    refused: UNCONFIRMED,
    reaches: "discovery",
    twin: deniedBy("response_modes_supported", () => ["query"]),
  },
  {
    id: "issuer-that-knows-nothing-of-these-endpoints",
    source: "RFC 9700 section 4.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.4",
    bent: {
      authMetadata: ({ idp, other }) => ({ ...other.metadata, issuer: idp.metadata["issuer"] }),
    },
    refused: UNCONFIRMED,
    reaches: "discovery",
    twin: { authMetadata: ({ other }) => other.metadata },
  },
  {
    id: "issuer-that-speaks-for-another-issuer",
    source: "RFC 8414 section 3.3, https://www.rfc-editor.org/rfc/rfc8414#section-3.3",
    bent: deniedBy("issuer", ({ idp }) => `${idp.origin}/`),
    refused: { message: "OpSupport", code: "issuer_mismatch" },
    reaches: "discovery",
    // With a slash at its end and without it, an origin is the same address.
    twin: deniedBy("issuer", ({ other }) => other.origin),
  },
  {
    id: "issuer-without-a-document",
    source:
      "OpenID Connect Discovery 4, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig",
    bent: { ...DELEGATED, other: { endpoints: { document: status(404) } } },
    refused: { message: "General", code: "unexpected_status" },
    reaches: "discovery",
    // A caller that allows the endpoints' origin by name needs no confirmation by the issuer.
    twin: {
      ...DELEGATED,
      other: { endpoints: { document: status(404) } },
      login: ({ idp }) => ({ allowedOrigins: [idp.origin] }),
    },
  },
  {
    id: "issuer-whose-document-is-faulty",
    source: "RFC 8414 section 3.2, https://www.rfc-editor.org/rfc/rfc8414#section-3.2",
    bent: { ...DELEGATED, other: { endpoints: { document: json({}) } } },
    refused: FAULTY,
    reaches: "discovery",
    twin: DELEGATED,
  },
];
