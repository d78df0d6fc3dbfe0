import { changed, json } from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";

const FAULTY = { message: "OpSupport", code: "metadata_invalid" } as const;

/** The homeserver's whole answer. */
const answers = (answer: Answer): Bend => ({ endpoints: { auth_metadata: answer } });

/** What a provider says of itself: RFC 8414, and what Matrix asks of it. */
export const METADATA: readonly Row[] = [
  {
    id: "metadata-without-issuer",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { issuer: undefined } },
    refused: FAULTY,
    reaches: "discovery",
    twin: {},
  },
  {
    id: "metadata-without-authorization-endpoint",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { authorization_endpoint: undefined } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { userinfo_endpoint: undefined } },
  },
  {
    id: "metadata-without-token-endpoint",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { token_endpoint: undefined } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { userinfo_endpoint: undefined } },
  },
  {
    id: "metadata-without-revocation-endpoint",
    source:
      "Matrix, server metadata, https://spec.matrix.org/v1.16/client-server-api/#server-metadata-discovery",
    bent: { metadata: { revocation_endpoint: undefined } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { userinfo_endpoint: undefined } },
  },
  {
    id: "metadata-issuer-empty",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { issuer: "" } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { account_management_uri: "" } },
  },
  {
    id: "metadata-token-endpoint-null",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { token_endpoint: null } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { account_management_uri: null } },
  },
  {
    id: "metadata-endpoint-a-list",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: (_, { token_endpoint }) => ({ token_endpoint: [token_endpoint] }) },
    refused: FAULTY,
    reaches: "discovery",
    // oidcc-client-test-mtls-endpoint-aliases
    twin: { metadata: (_, { token_endpoint }) => ({ mtls_endpoint_aliases: { token_endpoint } }) },
  },
  {
    id: "metadata-endpoint-a-number",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { authorization_endpoint: 443 } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { unknown_endpoint: 443 } },
  },
  {
    id: "metadata-without-response-types",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { response_types_supported: undefined } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { response_types_supported: ["code", "code id_token", "none"] } },
  },
  {
    id: "metadata-without-the-code-flow",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { response_types_supported: ["id_token", "code id_token"] } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { response_types_supported: ["id_token", "code"] } },
  },
  {
    id: "metadata-response-types-a-text",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { response_types_supported: "code" } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { response_types_supported: ["code"] } },
  },
  {
    id: "metadata-response-types-of-numbers",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { response_types_supported: ["code", 5] } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { response_types_supported: ["code", "5"] } },
  },
  {
    id: "metadata-without-the-code-grant",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { grant_types_supported: ["implicit", "refresh_token"] } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { grant_types_supported: ["refresh_token", "authorization_code"] } },
  },
  {
    id: "metadata-without-pkce",
    source: "RFC 9700 section 2.1.1, https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1",
    bent: { metadata: { code_challenge_methods_supported: undefined } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { code_challenge_methods_supported: ["S256"] } },
  },
  {
    id: "metadata-with-plain-pkce-alone",
    source: "RFC 7636 section 7.2, https://www.rfc-editor.org/rfc/rfc7636#section-7.2",
    bent: { metadata: { code_challenge_methods_supported: ["plain"] } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { code_challenge_methods_supported: ["plain", "S256"] } },
  },
  {
    id: "metadata-with-s256-in-small-letters",
    source: "RFC 7636 section 4.3, https://www.rfc-editor.org/rfc/rfc7636#section-4.3",
    bent: { metadata: { code_challenge_methods_supported: ["s256"] } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { code_challenge_methods_supported: ["S256", "s256"] } },
  },
  {
    id: "metadata-algorithms-a-text",
    source:
      "OpenID Connect Discovery 3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata",
    bent: { metadata: { id_token_signing_alg_values_supported: "RS256" } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { id_token_signing_alg_values_supported: ["RS256"] } },
  },
  {
    id: "metadata-response-modes-an-object",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { response_modes_supported: { query: true } } },
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { response_modes_supported: undefined } },
  },
  {
    id: "metadata-a-list",
    source: "RFC 8414 section 3.2, https://www.rfc-editor.org/rfc/rfc8414#section-3.2",
    bent: answers(changed((body) => `[${body}]`)),
    refused: FAULTY,
    reaches: "discovery",
    twin: answers(changed((body) => `\n${body}`)),
  },
  {
    id: "metadata-null",
    source: "RFC 8414 section 3.2, https://www.rfc-editor.org/rfc/rfc8414#section-3.2",
    bent: answers(json(null)),
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { op_policy_uri: null } },
  },
  {
    id: "metadata-a-text",
    source: "RFC 8414 section 3.2, https://www.rfc-editor.org/rfc/rfc8414#section-3.2",
    bent: answers(changed((body) => JSON.stringify(body))),
    refused: FAULTY,
    reaches: "discovery",
    twin: {},
  },
  {
    id: "metadata-of-a-prototype",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: answers(changed((body) => `{"__proto__":${body}}`)),
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { ["__proto__"]: { token_endpoint: "https://evil.example/" } } },
  },
  {
    id: "metadata-of-a-constructor",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: answers(changed((body) => `{"constructor":{"prototype":${body}}}`)),
    refused: FAULTY,
    reaches: "discovery",
    twin: { metadata: { constructor: { prototype: { polluted: true } }, hasOwnProperty: 1 } },
  },
  {
    id: "metadata-endpoint-twice-the-last-one-elsewhere",
    source: "RFC 8259 section 4, https://www.rfc-editor.org/rfc/rfc8259#section-4",
    bent: answers(
      changed((body) => body.replace(/}$/, ',"token_endpoint":"https://evil.example/token"}')),
    ),
    refused: FAULTY,
    reaches: "discovery",
    twin: answers(
      changed((body) => body.replace("{", '{"token_endpoint":"https://evil.example/token",')),
    ),
  },
];
