import { FROM_OWN_ISSUER, fromIssuer, oidcError } from "../deviations.js";
import type { Provider } from "../provider.js";
import { honestly, html, inSequence, redirect } from "../responses.js";
import { loginRows } from "../row.js";
import { DISCOVERY_DOCUMENT, DISCOVERY_VALIDATION, discovery, rfc } from "../sources.js";

const FAULTY = oidcError("OpSupport", "metadata_invalid");

const documentOf = ({ origin }: Provider): string => `${origin}/.well-known/openid-configuration`;

/** An issuer's document and keys. */
export const ISSUER_DOCUMENTS = loginRows({ reaches: "discovery", control: FROM_OWN_ISSUER }, [
  { id: "issuer-document-without-issuer", source: DISCOVERY_VALIDATION, deviation: { ...FROM_OWN_ISSUER, document: { issuer: undefined } }, refused: FAULTY },
  {
    id: "issuer-document-is-html",
    source: DISCOVERY_DOCUMENT,
    deviation: { ...FROM_OWN_ISSUER, endpoints: { document: html() } },
    refused: oidcError("General", "response_not_json"),
  },
  {
    id: "issuer-document-redirects-to-another-issuer",
    source: DISCOVERY_VALIDATION,
    deviation: { ...FROM_OWN_ISSUER, endpoints: { document: redirect(302, ({ other }) => documentOf(other)) } },
    refused: oidcError("OpSupport", "issuer_mismatch"),
    control: {
      ...FROM_OWN_ISSUER,
      endpoints: {
        document: inSequence(
          redirect(302, ({ idp }) => documentOf(idp)),
          honestly,
        ),
      },
    },
  },
  {
    id: "issuer-keys-are-html",
    source: discovery("oidcc-client-test-discovery-jwks-uri-keys", "ProviderMetadata"),
    deviation: { ...FROM_OWN_ISSUER, endpoints: { keys: html() } },
    refused: oidcError("General", "response_not_json"),
    control: { ...FROM_OWN_ISSUER, metadata: { jwks_uri: undefined } },
  },
  {
    id: "issuer-keys-not-an-array",
    reason: /^\S+ is not a key set$/,
    source: rfc(7517, "5.1"),
    deviation: { ...FROM_OWN_ISSUER, keys: () => "none" },
    refused: oidcError("General", "keys_unavailable"),
    control: { ...FROM_OWN_ISSUER, keys: (keys) => [...keys] },
  },
  {
    id: "issuer-whose-endpoints-are-on-two-origins",
    source: rfc(9700, "4.4"),
    deviation: { ...FROM_OWN_ISSUER, document: ({ other }) => ({ token_endpoint: `${other.origin}/token` }) },
    refused: FAULTY,
    // The issuer's own document may name endpoints that are all on another origin.
    control: {
      ...fromIssuer(({ other }) => `${other.origin}/`),
      metadata: ({ other }) => ({ issuer: `${other.origin}/` }),
      other: { endpoints: { document: ({ environment }) => ({ body: environment.idp.metadata }) } },
    },
  },
]);
