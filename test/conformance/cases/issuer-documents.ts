import {
  honestly,
  html,
  inTurn,
  late,
  never,
  padded,
  redirect,
  status,
  unreadable,
  withStatus,
} from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";
import type { Provider } from "../provider.js";
import type { World } from "../world.js";

const MISMATCH = { message: "OpSupport", code: "issuer_mismatch" } as const;
const FAULTY = { message: "OpSupport", code: "metadata_invalid" } as const;

const general = (code: Row["refused"]["code"]): Row["refused"] => ({ message: "General", code });

/** The login starts from an issuer's address. */
const from = (issuer: (world: World) => string): Bend => ({
  login: (world) => ({ issuer: issuer(world) }),
});

const OWN = from(({ idp }) => `${idp.origin}/`);

const slow = (document: Answer): Bend => ({
  endpoints: { document },
  login: ({ idp }) => ({ issuer: idp.origin, timeoutMs: 1500 }),
});

const documentOf = ({ origin }: Provider): string => `${origin}/.well-known/openid-configuration`;

/** The way to an issuer's document and keys, and what they are. */
export const ISSUER_DOCUMENTS: readonly Row[] = [
  {
    id: "issuer-whose-document-names-nobody",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: { ...OWN, document: { issuer: undefined } },
    refused: FAULTY,
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-without-document",
    source:
      "OpenID Connect Discovery 4, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig",
    bent: { ...OWN, endpoints: { document: status(404) } },
    refused: general("unexpected_status"),
    reaches: "discovery",
    twin: { ...OWN, endpoints: { document: withStatus(200) } },
  },
  {
    id: "issuer-whose-server-fails",
    source:
      "OpenID Connect Discovery 4, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig",
    bent: { ...OWN, endpoints: { document: status(503) } },
    refused: general("server_error"),
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-whose-document-is-a-web-page",
    source:
      "OpenID Connect Discovery 4, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig",
    bent: { ...OWN, endpoints: { document: html() } },
    refused: general("response_not_json"),
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-whose-document-is-of-ten-megabytes",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: { ...OWN, endpoints: { document: padded(10 << 20) } },
    refused: general("response_too_large"),
    reaches: "discovery",
    twin: { ...OWN, endpoints: { document: padded(1 << 19) } },
  },
  {
    id: "issuer-whose-document-never-comes",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: slow(never),
    refused: general("timeout"),
    reaches: "discovery",
    twin: { ...OWN, endpoints: { document: late } },
  },
  {
    id: "issuer-whose-document-no-page-may-read",
    source: "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol",
    bent: { ...OWN, endpoints: { document: unreadable } },
    refused: general("network_error"),
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-that-redirects-to-the-document-of-another",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: { ...OWN, endpoints: { document: redirect(302, ({ other }) => documentOf(other)) } },
    refused: MISMATCH,
    reaches: "discovery",
    twin: {
      ...OWN,
      endpoints: {
        document: inTurn(
          redirect(302, ({ idp }) => documentOf(idp)),
          honestly,
        ),
      },
    },
  },
  {
    id: "issuer-whose-keys-are-a-web-page",
    source:
      "oidcc-client-test-discovery-jwks-uri-keys, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata",
    bent: { ...OWN, endpoints: { keys: html() } },
    refused: general("response_not_json"),
    reaches: "discovery",
    twin: { ...OWN, metadata: { jwks_uri: undefined } },
  },
  {
    id: "issuer-whose-keys-are-no-list",
    source: "RFC 7517 section 5.1, https://www.rfc-editor.org/rfc/rfc7517#section-5.1",
    bent: { ...OWN, keys: () => "none" },
    refused: general("keys_unavailable"),
    reaches: "discovery",
    twin: { ...OWN, keys: (keys) => [...keys] },
  },
  {
    id: "issuer-whose-endpoints-are-on-two-origins",
    source: "RFC 9700 section 4.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.4",
    bent: { ...OWN, document: ({ other }) => ({ token_endpoint: `${other.origin}/token` }) },
    refused: FAULTY,
    reaches: "discovery",
    // All of them on another origin than the issuer's: its own document may say so.
    twin: {
      ...from(({ other }) => `${other.origin}/`),
      metadata: ({ other }) => ({ issuer: `${other.origin}/` }),
      other: { endpoints: { document: ({ world }) => ({ body: world.idp.metadata }) } },
    },
  },
];
