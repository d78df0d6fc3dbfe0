import { FROM_OWN_ISSUER, MAX_URL_LENGTH, filled, fromIssuer, oidcError } from "../deviations.js";
import type { Environment } from "../environment.js";
import { loginRows, type Deviation } from "../row.js";
import { CONFUSABLES, CWE_INEFFICIENT_EXPRESSION, DISCOVERY_VALIDATION, discovery, rfc } from "../sources.js";

const NO_ISSUER = { refused: oidcError("General", "issuer_invalid"), reaches: "nothing", control: FROM_OWN_ISSUER, deviationOf: fromIssuer } as const;

const MISMATCH = { source: DISCOVERY_VALIDATION, refused: oidcError("OpSupport", "issuer_mismatch"), reaches: "discovery", control: FROM_OWN_ISSUER } as const;

const REALM = ({ idp }: Environment): string => `${idp.origin}/realms/a`;

/** The sign-in starts from an issuer's URL, and the provider names this issuer. */
const named = (start: (environment: Environment) => string, issuer: (environment: Environment) => string): Deviation => ({
  ...fromIssuer(start),
  metadata: (environment) => ({ issuer: issuer(environment) }),
});

/** An issuer whose path fills its URL up to that many characters. */
const longIssuer =
  (length: number) =>
  ({ idp }: Environment): string =>
    filled(`${idp.origin}/realms/`, length, "a");

/** The provider's own document names this issuer. */
const documentNames = (issuer: (environment: Environment) => string): Deviation => ({
  ...FROM_OWN_ISSUER,
  document: (environment) => ({ issuer: issuer(environment) }),
});

/** An issuer that is known by its URL, and the issuer that its document names. */
export const ISSUERS = [
  ...loginRows(NO_ISSUER, [
    {
      id: "issuer-with-a-query",
      reason: "The issuer is not an HTTPS URL without query and fragment",
      source: rfc(8414, "2"),
      deviation: fromIssuer(({ idp }) => `${idp.origin}/?tenant=a`),
    },
    ["issuer-with-a-fragment", rfc(8414, "2"), ({ idp }) => `${idp.origin}/#a`],
    ["issuer-with-a-username", rfc(9110, "4.2.4"), ({ idp }) => `${idp.origin.replace("//", "//accounts.example.org@")}/`],
    ["issuer-unencrypted", rfc(8414, "2"), () => "http://idp.example/"],
    ["issuer-a-script", rfc(8414, "2"), () => "javascript:alert(1)"],
    ["issuer-relative", rfc(8414, "2"), () => "/"],
    ["issuer-empty", rfc(8414, "2"), () => "", ({ idp }) => idp.origin],
    ["issuer-with-120000-slashes", CWE_INEFFICIENT_EXPRESSION, ({ idp }) => filled(`${idp.origin}/`, 120_000)],
    {
      id: "issuer-one-character-too-long",
      source: CWE_INEFFICIENT_EXPRESSION,
      deviation: fromIssuer(longIssuer(MAX_URL_LENGTH + 1)),
      control: named(longIssuer(MAX_URL_LENGTH), longIssuer(MAX_URL_LENGTH)),
    },
  ]),
  ...loginRows(MISMATCH, [
    {
      id: "issuer-that-names-another",
      reason: /^The document of \S+ contains the issuer \S+$/,
      source: discovery("oidcc-client-test-discovery-issuer-mismatch", "ProviderConfigurationValidation"),
      // oidcc-client-test-discovery-openid-config is the control.
      deviation: documentNames(({ other }) => `${other.origin}/`),
    },
    {
      id: "issuer-document-names-another-path",
      source: discovery("fapi2-security-profile-final-client-test-discovery-issuer-mismatch", "ProviderConfigurationValidation"),
      deviation: documentNames(REALM),
      control: named(REALM, REALM),
    },
    [
      "issuer-whose-path-is-in-capitals",
      named(REALM, ({ idp }) => `${idp.origin}/realms/A`),
      // A slash at the end does not change the URL.
      named(
        ({ idp }) => `${idp.origin}/realms/A`,
        ({ idp }) => `${idp.origin}/realms/A/`,
      ),
    ],
    ["issuer-whose-path-is-cut-off", named(REALM, ({ idp }) => `${idp.origin}/realms`)],
    ["issuer-with-two-slashes", fromIssuer(({ idp }) => `${idp.origin}//`)],
    ["issuer-with-dots-in-its-path", named(({ idp }) => `${idp.origin}/realms/b/../a`, REALM), named(REALM, REALM)],
  ]),
  ...loginRows({ ...MISMATCH, deviationOf: documentNames }, [
    ["issuer-whose-document-names-a-host-in-capitals", ({ idp }) => `${idp.origin.toUpperCase()}/`],
    ["issuer-whose-document-names-another-port", ({ idp }) => `${idp.origin.replace(/\d+$/, "1")}/`],
    ["issuer-whose-document-names-another-scheme", ({ idp }) => `${idp.origin.replace("http", "https")}/`],
    {
      id: "issuer-document-names-a-homograph",
      source: CONFUSABLES,
      deviation: documentNames(({ idp }) => `${idp.origin.replace("idp", "idр")}/`),
      // A host name in another script is allowed in its ASCII form.
      control: fromIssuer(({ other }) => other.origin),
    },
  ]),
];
