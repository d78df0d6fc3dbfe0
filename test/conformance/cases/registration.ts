import { endpoint, member, oidcError, part } from "../deviations.js";
import { changed, html, json, status, text, withStatus } from "../responses.js";
import { loginRows, type Deviation } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, matrix, rfc } from "../sources.js";

const NOT_SUPPORTED = { refused: oidcError("DynamicRegistrationNotSupported", "registration_not_supported"), reaches: "discovery" } as const;
const REFUSED = { source: rfc(7591, "3.2.2"), refused: oidcError("DynamicRegistrationFailed", "registration_refused"), reaches: "registration" } as const;
const UNEXPECTED = { ...REFUSED, refused: oidcError("DynamicRegistrationFailed", "unexpected_status") };
const INVALID = { source: rfc(7591, "3.2.1"), refused: oidcError("DynamicRegistrationFailed", "registration_invalid"), reaches: "registration" } as const;

const KNOWN_CLIENT = { clientId: "known-to-all" };

const grants = member("metadata", "grant_types_supported");
const responds = endpoint("registration");

const refuses = (error: unknown, httpStatus = 400): Deviation => responds(json({ error, error_description: "<b>No.</b>" }, httpStatus));

const alsoRedirectsTo =
  (clientUri?: string) =>
  (uri: string): Deviation => ({ login: { otherRedirectUris: [uri], ...(clientUri && { clientUri }) } });

const REDIRECT_URI = {
  source: matrix("redirect URI validation", "redirect-uri-validation"),
  refused: oidcError("Misconfigured", "settings_invalid"),
  reaches: "discovery",
} as const;

/** Providers that do not support registration, reject it, or send invalid responses: RFC 7591. */
export const REGISTRATION = [
  ...loginRows(NOT_SUPPORTED, [
    {
      id: "registration-no-endpoint",
      reason: "The provider has no registration endpoint",
      source: rfc(8414, "2"),
      deviation: { metadata: { registration_endpoint: undefined } },
      // The provider may know the app already.
      control: { metadata: { registration_endpoint: undefined }, login: KNOWN_CLIENT },
    },
    {
      id: "registration-without-the-refresh-grant",
      reason: "The provider lacks a grant type of authorization_code, refresh_token",
      source: matrix("server metadata", "server-metadata-discovery"),
      deviation: grants(["authorization_code"]),
      control: grants(["refresh_token", "authorization_code", "implicit"]),
    },
    [
      "registration-without-listed-grants",
      rfc(8414, "2"),
      grants(undefined),
      // The list's default has code and implicit grants, but no refresh.
      { ...grants(undefined), login: KNOWN_CLIENT },
    ],
  ]),
  ...loginRows({ ...REDIRECT_URI, reason: / uses HTTP on a host other than localhost, 127\.0\.0\.1, and \[::1\]$/, deviationOf: alsoRedirectsTo() }, [
    ["registration-redirect-uri-on-another-loopback-host", "http://app.localhost:8080/callback", "http://localhost:8080/callback"],
    ["registration-redirect-uri-on-another-loopback-number", "http://127.0.0.2:8080/callback", "http://[::1]:8080/callback"],
  ]),
  ...loginRows(
    {
      ...REDIRECT_URI,
      reason: / has a scheme that does not start with the reversed host of clientUri, example\.app$/,
      deviationOf: alsoRedirectsTo("https://app.example/"),
    },
    [
      ["registration-redirect-uri-of-another-domain", "com.example.app:/callback", "example.app:/callback"],
      ["registration-redirect-uri-that-only-begins-like-the-domain", "example.application:/callback", "example.app.callback:/callback"],
      {
        id: "registration-redirect-uri-with-an-authority",
        reason: / has \/\/ after its scheme$/,
        deviation: alsoRedirectsTo("https://app.example/")("example.app://callback"),
        control: alsoRedirectsTo("https://app.example/")("example.app:callback"),
      },
    ],
  ),
  ...loginRows(REFUSED, [
    {
      id: "registration-invalid-redirect-uri",
      reason: "invalid_redirect_uri: <b>No.</b>",
      deviation: refuses("invalid_redirect_uri"),
      control: { redirectUris: "without port" },
    },
    ["registration-invalid-redirect-uri-as-forbidden", refuses("invalid_redirect_uri", 403), { redirectUris: "exact" }],
    ["registration-invalid-client-metadata", refuses("invalid_client_metadata"), { registration: { client_name: "Another name than requested" } }],
    ["registration-unapproved-software-statement", refuses("unapproved_software_statement")],
    {
      id: "registration-temporarily-unavailable-with-400",
      source: rfc(6749, "4.1.2.1"),
      deviation: refuses("temporarily_unavailable"),
      refused: oidcError("DynamicRegistrationFailed", "server_error"),
    },
    { id: "registration-needs-a-token", source: rfc(7591, "3"), deviation: refuses("invalid_token", 401) },
    {
      id: "registration-server-error-with-an-oauth-error",
      source: rfc(9110, "15.6.1"),
      deviation: refuses("invalid_client_metadata", 500),
      refused: oidcError("DynamicRegistrationFailed", "server_error"),
    },
  ]),
  ...loginRows(UNEXPECTED, [
    ["registration-error-not-a-string", refuses({ code: 7 })],
    ["registration-not-allowed", responds(status(405))],
  ]),
  ...loginRows({ ...INVALID, deviationOf: part("registration") }, [
    {
      id: "registration-without-client-id",
      reason: "The response contains no client_id",
      source: "oidcc-client-test-dynamic-registration, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
      deviation: { registration: { client_id: undefined } },
      control: { registration: { client_id_issued_at: undefined } },
    },
    ["registration-client-id-empty", { client_id: "" }],
    { id: "registration-client-id-a-number", deviation: { registration: { client_id: 42 } }, control: { login: { clientId: "42" } } },
    ["registration-client-id-null", { client_id: null }, { client_secret: null }],
    [
      "registration-client-id-a-list",
      (_, { client_id }) => ({ client_id: [client_id] }),
      { client_secret: "not-for-a-public-client", client_secret_expires_at: 0 },
    ],
  ]),
  // Without JSON, it is not the provider's response, which is lost.
  ...loginRows({ ...INVALID, refused: oidcError("DynamicRegistrationFailed", "response_not_json") }, [
    ["registration-as-a-web-page", responds(html())],
    // Some providers respond with 200.
    ["registration-nothing", responds(text("", 201)), responds(withStatus(200))],
    { id: "registration-no-content", source: rfc(9110, "15.3.5"), deviation: responds(status(204)) },
    {
      id: "registration-truncated-json",
      source: rfc(8259, "2"),
      deviation: responds(changed((body) => body.slice(0, -1))),
      control: responds(changed((body) => `${body}\n`)),
    },
  ]),
  ...loginRows(INVALID, [
    {
      id: "registration-client-id-in-the-prototype",
      source: OWASP_PROTOTYPE_POLLUTION,
      deviation: responds(changed((body) => `{"__proto__":${body}}`)),
      control: { registration: { ["__proto__"]: { client_id: "a" }, constructor: { name: "a" } } },
    },
    ["registration-in-a-list", responds(changed((body) => `[${body}]`)), responds(changed((body) => ` ${body} `))],
    {
      id: "registration-error-with-200",
      source: REFUSED.source,
      deviation: responds(json({ error: "invalid_client_metadata" })),
      control: responds(withStatus(200)),
    },
  ]),
];
