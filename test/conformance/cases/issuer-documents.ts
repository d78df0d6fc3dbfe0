import {
  honestly,
  html,
  inSequence,
  late,
  never,
  padded,
  redirect,
  status,
  unreadable,
  withStatus,
} from "../responses.js";
import type { Responder, Deviation, Row } from "../row.js";
import { loginRows } from "../row.js";
import {
  DISCOVERY_DOCUMENT,
  DISCOVERY_VALIDATION,
  FETCH_CORS,
  OWASP_RESOURCE_CONSUMPTION,
  rfc,
} from "../sources.js";
import type { Provider } from "../provider.js";
import type { Environment } from "../environment.js";

const MISMATCH = { message: "OpSupport", code: "issuer_mismatch" } as const;
const FAULTY = { message: "OpSupport", code: "metadata_invalid" } as const;

const general = (code: Row["refused"]["code"]): Row["refused"] => ({ message: "General", code });

/** The login starts from an issuer's URL. */
const from = (issuer: (environment: Environment) => string): Deviation => ({
  login: (environment) => ({ issuer: issuer(environment) }),
});

const OWN = from(({ idp }) => `${idp.origin}/`);

const slow = (document: Responder): Deviation => ({
  endpoints: { document },
  login: ({ idp }) => ({ issuer: idp.origin, timeoutMs: 1500 }),
});

const documentOf = ({ origin }: Provider): string => `${origin}/.well-known/openid-configuration`;

/** The way to an issuer's document and keys, and what they are. */
export const ISSUER_DOCUMENTS = loginRows({ reaches: "discovery" }, [
  {
    id: "issuer-whose-document-names-nobody",
    source: DISCOVERY_VALIDATION,
    deviation: { ...OWN, document: { issuer: undefined } },
    refused: FAULTY,
    control: OWN,
  },
  {
    id: "issuer-without-document",
    source: DISCOVERY_DOCUMENT,
    deviation: { ...OWN, endpoints: { document: status(404) } },
    refused: general("unexpected_status"),
    control: { ...OWN, endpoints: { document: withStatus(200) } },
  },
  {
    id: "issuer-whose-server-fails",
    source: DISCOVERY_DOCUMENT,
    deviation: { ...OWN, endpoints: { document: status(503) } },
    refused: general("server_error"),
    control: OWN,
  },
  {
    id: "issuer-whose-document-is-a-web-page",
    source: DISCOVERY_DOCUMENT,
    deviation: { ...OWN, endpoints: { document: html() } },
    refused: general("response_not_json"),
    control: OWN,
  },
  {
    id: "issuer-whose-document-is-of-ten-megabytes",
    source: OWASP_RESOURCE_CONSUMPTION,
    deviation: { ...OWN, endpoints: { document: padded(10 << 20) } },
    refused: general("response_too_large"),
    control: { ...OWN, endpoints: { document: padded(1 << 19) } },
  },
  {
    id: "issuer-whose-document-never-comes",
    source: OWASP_RESOURCE_CONSUMPTION,
    deviation: slow(never),
    refused: general("timeout"),
    control: { ...OWN, endpoints: { document: late } },
  },
  {
    id: "issuer-whose-document-no-page-may-read",
    source: FETCH_CORS,
    deviation: { ...OWN, endpoints: { document: unreadable } },
    refused: general("network_error"),
    control: OWN,
  },
  {
    id: "issuer-that-redirects-to-the-document-of-another",
    source: DISCOVERY_VALIDATION,
    deviation: { ...OWN, endpoints: { document: redirect(302, ({ other }) => documentOf(other)) } },
    refused: MISMATCH,
    control: {
      ...OWN,
      endpoints: {
        document: inSequence(
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
    deviation: { ...OWN, endpoints: { keys: html() } },
    refused: general("response_not_json"),
    control: { ...OWN, metadata: { jwks_uri: undefined } },
  },
  {
    id: "issuer-whose-keys-are-no-list",
    reason: /^\S+ is no key set$/,
    source: rfc(7517, "5.1"),
    deviation: { ...OWN, keys: () => "none" },
    refused: general("keys_unavailable"),
    control: { ...OWN, keys: (keys) => [...keys] },
  },
  {
    id: "issuer-whose-endpoints-are-on-two-origins",
    source: rfc(9700, "4.4"),
    deviation: { ...OWN, document: ({ other }) => ({ token_endpoint: `${other.origin}/token` }) },
    refused: FAULTY,
    // All of them on another origin than the issuer's: its own document may say so.
    control: {
      ...from(({ other }) => `${other.origin}/`),
      metadata: ({ other }) => ({ issuer: `${other.origin}/` }),
      other: { endpoints: { document: ({ environment }) => ({ body: environment.idp.metadata }) } },
    },
  },
]);
