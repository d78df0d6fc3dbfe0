import { changed, json } from "../responses.js";
import type { Responder, Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, matrix, rfc } from "../sources.js";

const FAULTY = { message: "OpSupport", code: "metadata_invalid" } as const;

/** The homeserver's whole response. */
const responds = (respond: Responder): Deviation => ({ endpoints: { auth_metadata: respond } });

/** What a provider says of itself: RFC 8414, and what Matrix asks of it. */
export const METADATA = loginRows(
  { source: rfc(8414, "2"), refused: FAULTY, reaches: "discovery" },
  [
    { id: "metadata-without-issuer", deviation: { metadata: { issuer: undefined } } },
    {
      id: "metadata-without-authorization-endpoint",
      deviation: { metadata: { authorization_endpoint: undefined } },
      control: { metadata: { userinfo_endpoint: undefined } },
    },
    {
      id: "metadata-without-token-endpoint",
      deviation: { metadata: { token_endpoint: undefined } },
      control: { metadata: { userinfo_endpoint: undefined } },
    },
    {
      id: "metadata-without-revocation-endpoint",
      source: matrix("server metadata", "server-metadata-discovery"),
      deviation: { metadata: { revocation_endpoint: undefined } },
      control: { metadata: { userinfo_endpoint: undefined } },
    },
    {
      id: "metadata-issuer-empty",
      deviation: { metadata: { issuer: "" } },
      control: { metadata: { account_management_uri: "" } },
    },
    {
      id: "metadata-token-endpoint-null",
      deviation: { metadata: { token_endpoint: null } },
      control: { metadata: { account_management_uri: null } },
    },
    {
      id: "metadata-endpoint-a-list",
      deviation: { metadata: (_, { token_endpoint }) => ({ token_endpoint: [token_endpoint] }) },
      // oidcc-client-test-mtls-endpoint-aliases
      control: {
        metadata: (_, { token_endpoint }) => ({ mtls_endpoint_aliases: { token_endpoint } }),
      },
    },
    {
      id: "metadata-endpoint-a-number",
      deviation: { metadata: { authorization_endpoint: 443 } },
      control: { metadata: { unknown_endpoint: 443 } },
    },
    {
      id: "metadata-without-response-types",
      deviation: { metadata: { response_types_supported: undefined } },
      control: { metadata: { response_types_supported: ["code", "code id_token", "none"] } },
    },
    {
      id: "metadata-without-the-code-flow",
      deviation: { metadata: { response_types_supported: ["id_token", "code id_token"] } },
      control: { metadata: { response_types_supported: ["id_token", "code"] } },
    },
    {
      id: "metadata-response-types-a-text",
      deviation: { metadata: { response_types_supported: "code" } },
      control: { metadata: { response_types_supported: ["code"] } },
    },
    {
      id: "metadata-response-types-of-numbers",
      deviation: { metadata: { response_types_supported: ["code", 5] } },
      control: { metadata: { response_types_supported: ["code", "5"] } },
    },
    {
      id: "metadata-without-the-code-grant",
      deviation: { metadata: { grant_types_supported: ["implicit", "refresh_token"] } },
      control: { metadata: { grant_types_supported: ["refresh_token", "authorization_code"] } },
    },
    {
      id: "metadata-without-pkce",
      source: rfc(9700, "2.1.1"),
      deviation: { metadata: { code_challenge_methods_supported: undefined } },
      control: { metadata: { code_challenge_methods_supported: ["S256"] } },
    },
    {
      id: "metadata-with-plain-pkce-alone",
      source: rfc(7636, "7.2"),
      deviation: { metadata: { code_challenge_methods_supported: ["plain"] } },
      control: { metadata: { code_challenge_methods_supported: ["plain", "S256"] } },
    },
    {
      id: "metadata-with-s256-in-small-letters",
      source: rfc(7636, "4.3"),
      deviation: { metadata: { code_challenge_methods_supported: ["s256"] } },
      control: { metadata: { code_challenge_methods_supported: ["S256", "s256"] } },
    },
    {
      id: "metadata-algorithms-a-text",
      source:
        "OpenID Connect Discovery 3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata",
      deviation: { metadata: { id_token_signing_alg_values_supported: "RS256" } },
      control: { metadata: { id_token_signing_alg_values_supported: ["RS256"] } },
    },
    {
      id: "metadata-response-modes-an-object",
      deviation: { metadata: { response_modes_supported: { query: true } } },
      control: { metadata: { response_modes_supported: undefined } },
    },
    {
      id: "metadata-a-list",
      source: rfc(8414, "3.2"),
      deviation: responds(changed((body) => `[${body}]`)),
      control: responds(changed((body) => `\n${body}`)),
    },
    {
      id: "metadata-null",
      source: rfc(8414, "3.2"),
      deviation: responds(json(null)),
      control: { metadata: { op_policy_uri: null } },
    },
    {
      id: "metadata-a-text",
      source: rfc(8414, "3.2"),
      deviation: responds(changed((body) => JSON.stringify(body))),
    },
    {
      id: "metadata-of-a-prototype",
      source: OWASP_PROTOTYPE_POLLUTION,
      deviation: responds(changed((body) => `{"__proto__":${body}}`)),
      control: { metadata: { ["__proto__"]: { token_endpoint: "https://evil.example/" } } },
    },
    {
      id: "metadata-of-a-constructor",
      source: OWASP_PROTOTYPE_POLLUTION,
      deviation: responds(changed((body) => `{"constructor":{"prototype":${body}}}`)),
      control: { metadata: { constructor: { prototype: { polluted: true } }, hasOwnProperty: 1 } },
    },
    {
      id: "metadata-endpoint-twice-the-last-one-elsewhere",
      source: rfc(8259, "4"),
      deviation: responds(
        changed((body) => body.replace(/}$/, ',"token_endpoint":"https://evil.example/token"}')),
      ),
      control: responds(
        changed((body) => body.replace("{", '{"token_endpoint":"https://evil.example/token",')),
      ),
    },
  ],
);
