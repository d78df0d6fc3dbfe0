import { MAX_URL_LENGTH, filled, member, oidcError } from "../deviations.js";
import { loginRows } from "../row.js";
import { CWE_INEFFICIENT_EXPRESSION, rfc } from "../sources.js";

const FAULTY = { source: rfc(8414, "2"), refused: oidcError("OpSupport", "metadata_invalid"), reaches: "discovery" } as const;

const SCRIPT = rfc(9700, "4.11.2");
const UNENCRYPTED = rfc(9700, "2.6");
const USER_INFORMATION = rfc(9110, "4.2.4");

const authorizationEndpoint = member("metadata", "authorization_endpoint");
const tokenEndpoint = member("metadata", "token_endpoint");
const issuer = member("metadata", "issuer");

/**
 * The URLs in a provider's metadata. The browser opens some of them; others are sent secrets.
 */
export const ENDPOINT_URLS = [
  ...loginRows({ ...FAULTY, source: SCRIPT, deviationOf: authorizationEndpoint }, [
    ["url-authorization-a-script", "javascript:alert(document.domain)//", ({ idp }) => `${idp.origin}/authorize?tenant=a`],
    ["url-authorization-a-script-in-disguise", " java\nscript:alert(1)"],
    ["url-authorization-data", "data:text/html,<script>alert(1)</script>"],
    ["url-authorization-a-blob", ({ idp }) => `blob:${idp.origin}/2c7b`],
    ["url-authorization-a-file", "file:///etc/passwd"],
    ["url-authorization-an-app", "intent://scan/#Intent;scheme=zxing;end"],
  ]),
  // On loopback, HTTP is allowed.
  ...loginRows({ ...FAULTY, source: UNENCRYPTED, deviationOf: authorizationEndpoint }, [
    ["url-authorization-unencrypted", "http://idp.example/authorize"],
    ["url-authorization-like-this-machine", ({ port }) => `http://localhost.evil.example:${port}/authorize`],
  ]),
  ...loginRows({ ...FAULTY, deviationOf: authorizationEndpoint }, [
    [
      "url-authorization-relative",
      "/authorize",
      // The endpoint's own query parameters stay, but they do not replace the library's.
      ({ idp }) => `${idp.origin}/authorize?state=theirs&client_id=theirs&scope=theirs`,
    ],
    ["url-authorization-without-scheme", ({ idp }) => idp.origin.replace("http:", "")],
  ]),
  ...loginRows({ ...FAULTY, source: CWE_INEFFICIENT_EXPRESSION, deviationOf: authorizationEndpoint }, [
    [
      "url-authorization-one-character-too-long",
      ({ idp }) => filled(`${idp.origin}/authorize?tenant=`, MAX_URL_LENGTH + 1, "a"),
      ({ idp }) => filled(`${idp.origin}/authorize?tenant=`, MAX_URL_LENGTH, "a"),
    ],
  ]),
  ...loginRows({ ...FAULTY, source: rfc(6749, "3.1"), deviationOf: authorizationEndpoint }, [
    ["url-authorization-with-a-fragment", ({ idp }) => `${idp.origin}/authorize#/login`, ({ idp }) => `${idp.origin}/authorize?a=%23b`],
  ]),
  ...loginRows({ ...FAULTY, source: USER_INFORMATION, deviationOf: authorizationEndpoint }, [
    ["url-authorization-with-a-username", ({ idp }) => idp.origin.replace("//", "//accounts.example.org@")],
  ]),
  ...loginRows(FAULTY, [
    { id: "url-token-unencrypted", source: UNENCRYPTED, deviation: tokenEndpoint("http://idp.example/token") },
    ["url-token-a-web-socket", tokenEndpoint(({ idp }) => idp.origin.replace("http", "ws"))],
    ["url-token-relative", tokenEndpoint("token")],
    { id: "url-token-with-credentials", source: USER_INFORMATION, deviation: tokenEndpoint(({ idp }) => `${idp.origin.replace("//", "//a:b@")}/token`) },
    {
      id: "url-token-with-a-fragment",
      reason: "token_endpoint has a fragment",
      source: rfc(6749, "3.2"),
      deviation: tokenEndpoint(({ idp }) => `${idp.origin}/token#`),
      control: tokenEndpoint(({ idp }) => `${idp.origin}/token?v=2`),
    },
    { id: "url-revocation-unencrypted", source: rfc(7009, "2"), deviation: member("metadata", "revocation_endpoint")("http://idp.example/revoke") },
    {
      id: "url-registration-a-script",
      source: SCRIPT,
      deviation: member("metadata", "registration_endpoint")("javascript:alert(1)"),
      control: { metadata: { registration_endpoint: "" }, login: { clientId: "known-to-all" } },
    },
    {
      id: "url-device-authorization-data",
      source: rfc(8628, "3.1"),
      deviation: { metadata: { device_authorization_endpoint: "data:," } },
      // No sign-in needs this URL, so it is ignored.
      control: { metadata: { account_management_uri: "javascript:alert(1)" } },
    },
  ]),
  ...loginRows({ ...FAULTY, deviationOf: member("metadata", "jwks_uri") }, [
    ["url-keys-unencrypted", "http://idp.example/keys", ({ idp }) => `${idp.origin}/keys`],
    ["url-keys-of-the-document-itself", 'data:application/json,{"keys":[]}', null],
  ]),
  ...loginRows({ ...FAULTY, deviationOf: issuer }, [
    ["url-issuer-with-a-query", ({ idp }) => `${idp.origin}/?tenant=a`, ({ idp }) => `${idp.origin}/tenant/a`],
    { id: "url-issuer-with-an-empty-query", reason: "issuer has a query or fragment", deviation: issuer(({ idp }) => `${idp.origin}/?`) },
    ["url-issuer-with-a-fragment", ({ idp }) => `${idp.origin}/#`],
    ["url-issuer-unencrypted", "http://idp.example/"],
    ["url-issuer-not-a-url", "idp.example"],
    ["url-issuer-with-a-username", ({ idp }) => idp.origin.replace("//", "//accounts.example.org@")],
  ]),
];
