import type { Bend, Row } from "../bend.js";
import type { World } from "../world.js";

const NO_ISSUER = { message: "General", code: "issuer_invalid" } as const;
const MISMATCH = { message: "OpSupport", code: "issuer_mismatch" } as const;

/** The login starts from an issuer's address. */
const from = (issuer: (world: World) => string): Bend => ({
  login: (world) => ({ issuer: issuer(world) }),
});

const OWN = from(({ idp }) => `${idp.origin}/`);

/** An issuer that is known by its address, and the issuer that its document names. */
export const ISSUERS: readonly Row[] = [
  {
    id: "issuer-with-a-query",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: from(({ idp }) => `${idp.origin}/?tenant=a`),
    refused: NO_ISSUER,
    reaches: "nothing",
    twin: from(({ idp }) => `${idp.origin}/`),
  },
  {
    id: "issuer-with-a-fragment",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: from(({ idp }) => `${idp.origin}/#a`),
    refused: NO_ISSUER,
    reaches: "nothing",
    twin: from(({ idp }) => `${idp.origin}/`),
  },
  {
    id: "issuer-with-a-name-in-it",
    source: "RFC 9110 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9110#section-4.2.4",
    bent: from(({ idp }) => `${idp.origin.replace("//", "//accounts.example.org@")}/`),
    refused: NO_ISSUER,
    reaches: "nothing",
    twin: from(({ idp }) => `${idp.origin}/`),
  },
  {
    id: "issuer-unencrypted",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: from(() => "http://idp.example/"),
    refused: NO_ISSUER,
    reaches: "nothing",
    twin: from(({ idp }) => `${idp.origin}/`),
  },
  {
    id: "issuer-a-script",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: from(() => "javascript:alert(1)"),
    refused: NO_ISSUER,
    reaches: "nothing",
    twin: from(({ idp }) => `${idp.origin}/`),
  },
  {
    id: "issuer-relative",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: from(() => "/"),
    refused: NO_ISSUER,
    reaches: "nothing",
    twin: from(({ idp }) => `${idp.origin}/`),
  },
  {
    id: "issuer-empty",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: from(() => ""),
    refused: NO_ISSUER,
    reaches: "nothing",
    twin: from(({ idp }) => idp.origin),
  },
  {
    id: "issuer-that-names-another",
    source:
      "oidcc-client-test-discovery-issuer-mismatch, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: { ...OWN, document: ({ other }) => ({ issuer: `${other.origin}/` }) },
    refused: MISMATCH,
    reaches: "discovery",
    // oidcc-client-test-discovery-openid-config
    twin: OWN,
  },
  {
    id: "issuer-that-names-a-path-of-its-own",
    source:
      "fapi2-security-profile-final-client-test-discovery-issuer-mismatch, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: { ...OWN, document: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }) },
    refused: MISMATCH,
    reaches: "discovery",
    twin: {
      ...from(({ idp }) => `${idp.origin}/realms/a`),
      metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }),
    },
  },
  {
    id: "issuer-whose-path-is-in-capitals",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: {
      ...from(({ idp }) => `${idp.origin}/realms/a`),
      metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/A` }),
    },
    refused: MISMATCH,
    reaches: "discovery",
    // A slash at the end makes no other address.
    twin: {
      ...from(({ idp }) => `${idp.origin}/realms/A`),
      metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/A/` }),
    },
  },
  {
    id: "issuer-whose-path-is-cut-off",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: {
      ...from(({ idp }) => `${idp.origin}/realms/a`),
      metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms` }),
    },
    refused: MISMATCH,
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-with-two-slashes",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: from(({ idp }) => `${idp.origin}//`),
    refused: MISMATCH,
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-with-dots-in-its-path",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: {
      ...from(({ idp }) => `${idp.origin}/realms/b/../a`),
      metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }),
    },
    refused: MISMATCH,
    reaches: "discovery",
    twin: {
      ...from(({ idp }) => `${idp.origin}/realms/a`),
      metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }),
    },
  },
  {
    id: "issuer-whose-document-names-a-host-in-capitals",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: { ...OWN, document: ({ idp }) => ({ issuer: `${idp.origin.toUpperCase()}/` }) },
    refused: MISMATCH,
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-whose-document-names-another-port",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: { ...OWN, document: ({ idp }) => ({ issuer: `${idp.origin.replace(/\d+$/, "1")}/` }) },
    refused: MISMATCH,
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-whose-document-names-another-scheme",
    source:
      "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
    bent: {
      ...OWN,
      document: ({ idp }) => ({ issuer: `${idp.origin.replace("http", "https")}/` }),
    },
    refused: MISMATCH,
    reaches: "discovery",
    twin: OWN,
  },
  {
    id: "issuer-whose-document-names-a-host-that-looks-the-same",
    source: "Unicode UTS 39 section 4, https://www.unicode.org/reports/tr39/#Confusable_Detection",
    bent: { ...OWN, document: ({ idp }) => ({ issuer: `${idp.origin.replace("idp", "idр")}/` }) },
    refused: MISMATCH,
    reaches: "discovery",
    // A host in another script is as good as any, in the form that the network knows.
    twin: from(({ other }) => other.origin),
  },
];
