import { member, oidcError } from "../deviations.js";
import type { Environment } from "../environment.js";
import { json, status } from "../responses.js";
import { loginRows, type Deviation, type Row } from "../row.js";
import { CONFUSABLES, DISCOVERY_DOCUMENT, rfc } from "../sources.js";

const FAULTY = { refused: oidcError("OpSupport", "metadata_invalid"), reaches: "discovery" } as const;
const UNCONFIRMED = { source: rfc(8414, "3.3"), refused: oidcError("OpSupport", "issuer_unconfirmed"), reaches: "discovery" } as const;

/** The homeserver names another token endpoint than the provider. */
const tokensAt = member("authMetadata", "token_endpoint");

/** The other origin belongs to the provider, which names it, and forwards requests to the provider. */
const PASSED_ON: Deviation = {
  endpoints: {
    token: ({ environment, ...request }) => environment.idp.handle(request),
    registration: ({ environment, ...request }) => environment.idp.handle(request),
    keys: ({ environment, ...request }) => environment.idp.handle(request),
  },
};

/** The provider uses two origins, and the caller has allowed both. */
const allowed = (endpoint: string, path: string): Deviation => ({
  ...member("metadata", endpoint)(({ other }) => `${other.origin}${path}`),
  other: PASSED_ON,
  login: ({ other }) => ({ allowedOrigins: [other.origin] }),
});

/** An honest provider whose issuer is on another host, and whose issuer's document confirms it. */
export const DELEGATED: Deviation = {
  metadata: ({ other }) => ({ issuer: `${other.origin}/` }),
  other: { endpoints: { document: ({ environment }) => ({ body: environment.idp.metadata }) } },
};

/** As `DELEGATED`, but one member of the issuer's document is different. */
const deniedBy = (of: string, value: (environment: Environment) => unknown): Deviation => ({
  ...DELEGATED,
  other: { endpoints: { document: ({ environment }) => ({ body: { ...environment.idp.metadata, [of]: value(environment) } }) } },
});

/** The homeserver names an endpoint of the other provider. */
const ofAnother = (endpoint: string, path: string, source: string, control?: Deviation): Row => ({
  ...FAULTY,
  id: `origin-${endpoint.replaceAll("_", "-")}-of-another`,
  source,
  ...(!control && { reason: new RegExp(`^${endpoint} is on \\S+, the authorization endpoint on \\S+$`) }),
  deviation: member("authMetadata", endpoint)(({ other }) => `${other.origin}${path}`),
  control: control ?? allowed(endpoint, path),
});

/** The issuer's own document names another endpoint than the homeserver. */
const saysAnother = (endpoint: string, value: (environment: Environment) => unknown, control: Deviation = DELEGATED): Row => ({
  ...UNCONFIRMED,
  id: `issuer-that-says-another-${endpoint.replaceAll("_", "-")}`,
  reason: new RegExp(endpoint),
  deviation: deniedBy(endpoint, value),
  control,
});

/**
 * The owners of the endpoints. A hostile homeserver might combine an honest authorization endpoint with
 * its own token endpoint, or name an issuer without that issuer's consent.
 */
export const ORIGINS = [
  ofAnother("token_endpoint", "/token", rfc(9700, "4.4.2")),
  ofAnother("authorization_endpoint", "/authorize", rfc(9700, "4.4.1"), {}),
  ofAnother("registration_endpoint", "/register", rfc(9700, "4.4")),
  ofAnother("revocation_endpoint", "/revoke", rfc(7009, "2")),
  ofAnother("device_authorization_endpoint", "/device", rfc(8628, "5.4")),
  ...loginRows({ ...FAULTY, source: rfc(6454, "5") }, [
    [
      "origin-token-endpoint-on-another-port",
      tokensAt(({ idp }) => `${idp.origin.replace(/\d+$/, "1")}/token`),
      { metadata: ({ idp }) => ({ token_endpoint: `${idp.origin}/a/../token` }) },
    ],
    [
      "origin-token-endpoint-on-a-subdomain",
      tokensAt(({ idp }) => `${idp.origin.replace("//", "//a.")}/token`),
      // Capitals do not change the host of a URL.
      { metadata: ({ idp }) => ({ token_endpoint: `${idp.origin.toUpperCase()}/token` }) },
    ],
    ["origin-token-endpoint-with-another-scheme", tokensAt(({ idp }) => `${idp.origin.replace("http", "https")}/token`)],
    { id: "origin-token-endpoint-homograph", source: CONFUSABLES, deviation: tokensAt(({ idp }) => `${idp.origin.replace("idp", "idр")}/token`) },
    {
      id: "origin-token-endpoint-not-allowed",
      source: rfc(9700, "4.4.2"),
      deviation: { ...tokensAt(({ homeserver }) => `${homeserver.origin}/token`), login: ({ other }) => ({ allowedOrigins: [other.origin] }) },
      control: { login: ({ other }) => ({ allowedOrigins: [other.origin] }) },
    },
    {
      id: "origin-with-an-allowed-prefix",
      source: rfc(6454, "6.2"),
      deviation: {
        ...allowed("token_endpoint", "/token"),
        login: ({ other }) => ({ allowedOrigins: [`${other.origin}.evil.example`, other.origin.slice(0, -1)] }),
      },
      control: allowed("token_endpoint", "/token"),
    },
  ]),
  saysAnother("token_endpoint", ({ idp }) => `${idp.origin}/oauth2/token`),
  saysAnother("authorization_endpoint", ({ idp }) => `${idp.origin}/oauth2/authorize`),
  saysAnother(
    "registration_endpoint",
    () => undefined,
    deniedBy("service_documentation", () => "https://docs.example/"),
  ),
  saysAnother(
    "revocation_endpoint",
    ({ idp }) => `${idp.origin}/oauth2/revoke`,
    deniedBy("response_modes_supported", () => ["query"]),
  ),
  saysAnother("device_authorization_endpoint", ({ idp }) => `${idp.origin}/oauth2/device`),
  ...loginRows(UNCONFIRMED, [
    {
      id: "issuer-document-without-these-endpoints",
      reason: /: authorization_endpoint, token_endpoint, /,
      source: rfc(9700, "4.4"),
      deviation: { authMetadata: ({ idp, other }) => ({ ...other.metadata, issuer: idp.metadata["issuer"] }) },
      control: { authMetadata: ({ other }) => other.metadata },
    },
    {
      id: "issuer-document-of-another-issuer",
      deviation: deniedBy("issuer", ({ idp }) => `${idp.origin}/`),
      refused: oidcError("OpSupport", "issuer_mismatch"),
      // A slash at the end does not change an origin's URL. Responses have the document's spelling.
      control: { ...DELEGATED, authMetadata: ({ other }) => ({ issuer: other.origin }) },
    },
    {
      id: "issuer-without-a-document",
      source: DISCOVERY_DOCUMENT,
      deviation: { ...DELEGATED, other: { endpoints: { document: status(404) } } },
      refused: oidcError("General", "unexpected_status"),
      // If the caller has allowed the endpoints' origin, the issuer need not confirm it.
      control: { ...DELEGATED, other: { endpoints: { document: status(404) } }, login: ({ idp }) => ({ allowedOrigins: [idp.origin] }) },
    },
    {
      id: "issuer-document-invalid",
      source: rfc(8414, "3.2"),
      deviation: { ...DELEGATED, other: { endpoints: { document: json({}) } } },
      refused: FAULTY.refused,
      control: DELEGATED,
    },
  ]),
];
