import { endpoint, member, oidcError, part } from "../deviations.js";
import { changed, json } from "../responses.js";
import { loginRows } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, discovery, matrix, rfc } from "../sources.js";

const FAULTY = { source: rfc(8414, "2"), refused: oidcError("OpSupport", "metadata_invalid"), reaches: "discovery" } as const;

const responseTypes = member("metadata", "response_types_supported");
const pkce = member("metadata", "code_challenge_methods_supported");

/** The homeserver's whole response. */
const responds = endpoint("auth_metadata");

/** A provider's metadata: RFC 8414, and the requirements of Matrix. */
export const METADATA = [
  ...loginRows({ ...FAULTY, deviationOf: part("metadata") }, [
    ["metadata-without-issuer", { issuer: undefined }],
    ["metadata-issuer-empty", { issuer: "" }, { account_management_uri: "" }],
    ["metadata-without-authorization-endpoint", { authorization_endpoint: undefined }, { userinfo_endpoint: undefined }],
    ["metadata-without-token-endpoint", { token_endpoint: undefined }],
    ["metadata-token-endpoint-null", { token_endpoint: null }, { account_management_uri: null }],
    [
      "metadata-endpoint-a-list",
      (_, { token_endpoint }) => ({ token_endpoint: [token_endpoint] }),
      // oidcc-client-test-mtls-endpoint-aliases
      (_, { token_endpoint }) => ({ mtls_endpoint_aliases: { token_endpoint } }),
    ],
    ["metadata-endpoint-a-number", { authorization_endpoint: 443 }, { unknown_endpoint: 443 }],
    {
      id: "metadata-without-revocation-endpoint",
      source: matrix("server metadata", "server-metadata-discovery"),
      deviation: { metadata: { revocation_endpoint: undefined } },
    },
    ["metadata-without-any-grant", { grant_types_supported: [] }],
    [
      "metadata-without-the-code-grant",
      { grant_types_supported: ["implicit", "refresh_token"] },
      { grant_types_supported: ["refresh_token", "authorization_code"] },
    ],
    ["metadata-grants-a-string", { grant_types_supported: "authorization_code refresh_token" }],
    ["metadata-response-modes-an-object", { response_modes_supported: { query: true } }, { response_modes_supported: undefined }],
    {
      id: "metadata-algorithms-a-string",
      source: discovery("3", "ProviderMetadata"),
      deviation: { metadata: { id_token_signing_alg_values_supported: "RS256" } },
      control: { metadata: { id_token_signing_alg_values_supported: ["RS256"] } },
    },
  ]),
  ...loginRows({ ...FAULTY, deviationOf: responseTypes }, [
    ["metadata-without-response-types", undefined, ["code", "code id_token", "none"]],
    ["metadata-without-the-code-flow", ["id_token", "code id_token"], ["id_token", "code"]],
    ["metadata-response-types-a-string", "code", ["code"]],
    ["metadata-response-types-of-numbers", ["code", 5], ["code", "5"]],
  ]),
  ...loginRows({ refused: FAULTY.refused, reaches: FAULTY.reaches, deviationOf: pkce }, [
    ["metadata-pkce-a-string", rfc(8414, "2"), "S256", ["S256"]],
    ["metadata-without-pkce", rfc(9700, "2.1.1"), undefined, ["S256"]],
    ["metadata-with-plain-pkce-alone", rfc(7636, "7.2"), ["plain"], ["plain", "S256"]],
    ["metadata-with-s256-in-lowercase", rfc(7636, "4.3"), ["s256"], ["S256", "s256"]],
  ]),
  ...loginRows({ ...FAULTY, source: rfc(8414, "3.2") }, [
    {
      id: "metadata-a-list",
      reason: "The metadata is not a JSON object",
      deviation: responds(changed((body) => `[${body}]`)),
      control: responds(changed((body) => `\n${body}`)),
    },
    ["metadata-null", responds(json(null)), { metadata: { op_policy_uri: null } }],
    ["metadata-a-string", responds(changed((body) => JSON.stringify(body)))],
    {
      id: "metadata-duplicate-endpoint-last-one-elsewhere",
      source: rfc(8259, "4"),
      deviation: responds(changed((body) => body.replace(/}$/, ',"token_endpoint":"https://evil.example/token"}'))),
      control: responds(changed((body) => body.replace("{", '{"token_endpoint":"https://evil.example/token",'))),
    },
  ]),
  ...loginRows({ ...FAULTY, source: OWASP_PROTOTYPE_POLLUTION }, [
    [
      "metadata-of-a-prototype",
      responds(changed((body) => `{"__proto__":${body}}`)),
      { metadata: { ["__proto__"]: { token_endpoint: "https://evil.example/" } } },
    ],
    [
      "metadata-of-a-constructor",
      responds(changed((body) => `{"constructor":{"prototype":${body}}}`)),
      { metadata: { constructor: { prototype: { polluted: true } }, hasOwnProperty: 1 } },
    ],
  ]),
];
