import type { Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { DISCOVERY_VALIDATION, rfc } from "../sources.js";
import type { Environment } from "../environment.js";

const NO_ISSUER = { message: "General", code: "issuer_invalid" } as const;
const MISMATCH = { message: "OpSupport", code: "issuer_mismatch" } as const;

/** The login starts from an issuer's URL. */
const from = (issuer: (environment: Environment) => string): Deviation => ({
  login: (environment) => ({ issuer: issuer(environment) }),
});

const OWN = from(({ idp }) => `${idp.origin}/`);

/** An issuer that is known by its URL, and the issuer that its document names. */
export const ISSUERS = loginRows(
  { source: DISCOVERY_VALIDATION, refused: MISMATCH, reaches: "discovery" },
  [
    {
      id: "issuer-with-a-query",
      reason: "An issuer is an https URL without query and fragment",
      source: rfc(8414, "2"),
      deviation: from(({ idp }) => `${idp.origin}/?tenant=a`),
      refused: NO_ISSUER,
      reaches: "nothing",
      control: from(({ idp }) => `${idp.origin}/`),
    },
    {
      id: "issuer-with-a-fragment",
      source: rfc(8414, "2"),
      deviation: from(({ idp }) => `${idp.origin}/#a`),
      refused: NO_ISSUER,
      reaches: "nothing",
      control: from(({ idp }) => `${idp.origin}/`),
    },
    {
      id: "issuer-with-a-name-in-it",
      source: rfc(9110, "4.2.4"),
      deviation: from(({ idp }) => `${idp.origin.replace("//", "//accounts.example.org@")}/`),
      refused: NO_ISSUER,
      reaches: "nothing",
      control: from(({ idp }) => `${idp.origin}/`),
    },
    {
      id: "issuer-unencrypted",
      source: rfc(8414, "2"),
      deviation: from(() => "http://idp.example/"),
      refused: NO_ISSUER,
      reaches: "nothing",
      control: from(({ idp }) => `${idp.origin}/`),
    },
    {
      id: "issuer-a-script",
      source: rfc(8414, "2"),
      deviation: from(() => "javascript:alert(1)"),
      refused: NO_ISSUER,
      reaches: "nothing",
      control: from(({ idp }) => `${idp.origin}/`),
    },
    {
      id: "issuer-relative",
      source: rfc(8414, "2"),
      deviation: from(() => "/"),
      refused: NO_ISSUER,
      reaches: "nothing",
      control: from(({ idp }) => `${idp.origin}/`),
    },
    {
      id: "issuer-empty",
      source: rfc(8414, "2"),
      deviation: from(() => ""),
      refused: NO_ISSUER,
      reaches: "nothing",
      control: from(({ idp }) => idp.origin),
    },
    {
      id: "issuer-that-names-another",
      reason: /^The document of \S+ names the issuer \S+$/,
      source:
        "oidcc-client-test-discovery-issuer-mismatch, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
      deviation: { ...OWN, document: ({ other }) => ({ issuer: `${other.origin}/` }) },
      // oidcc-client-test-discovery-openid-config
      control: OWN,
    },
    {
      id: "issuer-that-names-a-path-of-its-own",
      source:
        "fapi2-security-profile-final-client-test-discovery-issuer-mismatch, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation",
      deviation: { ...OWN, document: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }) },
      control: {
        ...from(({ idp }) => `${idp.origin}/realms/a`),
        metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }),
      },
    },
    {
      id: "issuer-whose-path-is-in-capitals",
      deviation: {
        ...from(({ idp }) => `${idp.origin}/realms/a`),
        metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/A` }),
      },
      // A slash at the end makes no other URL.
      control: {
        ...from(({ idp }) => `${idp.origin}/realms/A`),
        metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/A/` }),
      },
    },
    {
      id: "issuer-whose-path-is-cut-off",
      deviation: {
        ...from(({ idp }) => `${idp.origin}/realms/a`),
        metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms` }),
      },
      control: OWN,
    },
    {
      id: "issuer-with-two-slashes",
      deviation: from(({ idp }) => `${idp.origin}//`),
      control: OWN,
    },
    {
      id: "issuer-with-dots-in-its-path",
      deviation: {
        ...from(({ idp }) => `${idp.origin}/realms/b/../a`),
        metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }),
      },
      control: {
        ...from(({ idp }) => `${idp.origin}/realms/a`),
        metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }),
      },
    },
    {
      id: "issuer-whose-document-names-a-host-in-capitals",
      deviation: { ...OWN, document: ({ idp }) => ({ issuer: `${idp.origin.toUpperCase()}/` }) },
      control: OWN,
    },
    {
      id: "issuer-whose-document-names-another-port",
      deviation: {
        ...OWN,
        document: ({ idp }) => ({ issuer: `${idp.origin.replace(/\d+$/, "1")}/` }),
      },
      control: OWN,
    },
    {
      id: "issuer-whose-document-names-another-scheme",
      deviation: {
        ...OWN,
        document: ({ idp }) => ({ issuer: `${idp.origin.replace("http", "https")}/` }),
      },
      control: OWN,
    },
    {
      id: "issuer-whose-document-names-a-host-that-looks-the-same",
      source:
        "Unicode UTS 39 section 4, https://www.unicode.org/reports/tr39/#Confusable_Detection",
      deviation: {
        ...OWN,
        document: ({ idp }) => ({ issuer: `${idp.origin.replace("idp", "idр")}/` }),
      },
      // A host in another script is as good as any, in the form that the network knows.
      control: from(({ other }) => other.origin),
    },
  ],
);
