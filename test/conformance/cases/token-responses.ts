import { endpoint, member, oidcError, part } from "../deviations.js";
import { changed, honestly, html, inSequence, json, status, text, withHeaders } from "../responses.js";
import { loginRows, type Deviation, type Responder } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, OWASP_RESOURCE_CONSUMPTION, matrix, rfc } from "../sources.js";

const INVALID = { source: rfc(6749, "5.1"), refused: oidcError("InvalidBearerTokenResponse", "token_response_invalid"), reaches: "token" } as const;
const LOST = { ...INVALID, refused: oidcError("CodeExchangeFailed", "network_error") };
const NO_API = { ...INVALID, refused: oidcError("InvalidBearerTokenResponse", "scope_not_granted") };

const tokens = part("tokens");
const tokenResponse = endpoint("token");

/** The first response is lost, and the sign-in is completed again. */
const onlyAtFirst = (respond: Responder): Deviation => tokenResponse(inSequence(respond, honestly), { tries: 2 });

const LIFETIME = { ...INVALID, source: rfc(6749, "A.14"), deviationOf: member("tokens", "expires_in") };

/** Changes the scope that was requested. */
const scope = (change: (scope: string) => unknown): Deviation => tokens((_, honest) => ({ scope: change(String(honest["scope"])) }));

/** A provider without a refresh grant is used with a fixed client ID, since registration needs that grant. */
const WITHOUT_REFRESH: Deviation = {
  login: { clientId: "known-to-all" },
  metadata: { grant_types_supported: ["authorization_code"] },
  tokens: { refresh_token: undefined },
};

/** A deep tree of lists. */
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

const utf16 = (text: string): Uint8Array => new Uint8Array(Uint16Array.from([...text], (letter) => letter.charCodeAt(0)).buffer);

/** The body of a token response that was given with HTTP 200: RFC 6749, section 5.1. */
export const TOKEN_RESPONSES = [
  ...loginRows({ ...INVALID, deviationOf: tokens }, [
    ["tokens-without-access-token", { access_token: undefined }, { unknown: "member" }],
    { id: "tokens-access-token-empty", source: rfc(6749, "A.12"), deviation: tokens({ access_token: "" }) },
    ["tokens-access-token-a-list", (_, { access_token }) => ({ access_token: [access_token] }), { extra: ["a"] }],
    ["tokens-access-token-null", { access_token: null }, { extra: null }],
    ["tokens-access-token-a-number", { access_token: 12345 }],
    {
      id: "tokens-access-token-that-no-header-can-contain",
      reason: "access_token is invalid",
      source: rfc(6750, "2.1"),
      deviation: tokens({ access_token: "token\r\nX-Injected: 1" }),
    },
    {
      id: "tokens-without-refresh-token",
      reason: "refresh_token is missing",
      source: matrix("refreshing a token", "refresh-token-grant"),
      deviation: tokens({ refresh_token: undefined }),
      control: WITHOUT_REFRESH,
    },
    {
      id: "tokens-without-refresh-token-without-listed-grants",
      source: matrix("refreshing a token", "refresh-token-grant"),
      deviation: { ...WITHOUT_REFRESH, metadata: { grant_types_supported: undefined } },
      control: WITHOUT_REFRESH,
    },
    { id: "tokens-refresh-token-an-object", deviation: { ...WITHOUT_REFRESH, tokens: { refresh_token: { token: "a" } } }, control: WITHOUT_REFRESH },
    {
      id: "tokens-of-another-type",
      reason: /token_type/,
      source: rfc(6749, "7.1"),
      deviation: tokens({ token_type: "mac" }),
      // fapi2-security-profile-final-client-test-token-type-case-insensitivity
      control: tokens({ token_type: "bEaReR" }),
    },
    { id: "tokens-bound-to-an-unknown-key", reason: "token_type is not bearer", source: rfc(9449, "5"), deviation: tokens({ token_type: "DPoP" }) },
    ["tokens-without-type", { token_type: undefined }, { token_type: "BEARER" }],
    { id: "tokens-type-with-a-suffix", source: rfc(6749, "A.13"), deviation: tokens({ token_type: "Bearer\r\nX-Injected: 1" }) },
  ]),
  ...loginRows(LIFETIME, [
    {
      id: "tokens-lifetime-as-words",
      reason: "expires_in is not a number of seconds",
      deviation: tokens({ expires_in: "soon" }),
      // Many providers send the number as a string.
      control: tokens({ expires_in: "300" }),
    },
    ["tokens-lifetime-negative", -1, 0],
    ["tokens-lifetime-negative-string", "-300", 299.5],
    ["tokens-lifetime-of-words-with-a-number", "300 seconds", "0"],
    ["tokens-lifetime-with-a-space", " 60"],
    ["tokens-lifetime-with-a-unit", "60 s"],
    ["tokens-lifetime-with-an-exponent", "1e3", "1000"],
    ["tokens-lifetime-of-four-hundred-digits", "9".repeat(400)],
    // fapi2-security-profile-final-client-test-token-endpoint-response-without-expires_in
    ["tokens-lifetime-a-boolean", true, undefined],
    ["tokens-lifetime-a-list", [300], null],
    {
      id: "tokens-infinite-lifetime",
      source: rfc(8259, "6"),
      deviation: tokenResponse(changed((body) => body.replace('"expires_in":300', '"expires_in":1e999'))),
      control: tokens({ expires_in: 100 * 365 * 86_400 }),
    },
  ]),
  ...loginRows({ ...INVALID, source: rfc(6749, "3.3") }, [
    {
      id: "tokens-scope-a-number",
      deviation: tokens({ scope: 1 }),
      // It may be omitted if everything that was requested is granted.
      control: tokens({ scope: undefined }),
    },
    ["tokens-scope-a-list", scope((asked) => asked.split(" ")), scope((asked) => asked.split(" ").reverse().join(" "))],
  ]),
  ...loginRows({ ...NO_API, source: matrix("scope", "scope") }, [
    [
      "tokens-scope-without-the-client-server-api",
      scope((asked) => asked.replace("urn:matrix:client:api:* ", "")),
      scope((asked) => `${asked} urn:synapse:admin:*`),
    ],
    [
      "tokens-scope-like-the-client-server-api",
      tokens({ scope: "openid urn:matrix:client:api:*:read urn:matrix:client:api x-urn:matrix:client:api:*" }),
      // The names from before Matrix 1.15.
      scope((asked) => asked.replaceAll("urn:matrix:", "urn:matrix:org.matrix.msc2967.")),
    ],
    {
      id: "tokens-scope-of-spaces",
      reason: "The provider granted no access to the client-server API",
      source: rfc(6749, "3.3"),
      deviation: tokens({ scope: " " }),
      // A member that is not set may be null or empty.
      control: tokens({ scope: "", expires_in: "", note: null }),
    },
    {
      id: "tokens-scope-with-commas",
      source: rfc(6749, "3.3"),
      deviation: scope((asked) => asked.replaceAll(" ", ",")),
      // The homeserver reports the device's ID.
      control: tokens({ scope: "openid urn:matrix:client:api:*" }),
    },
  ]),
  ...loginRows({ ...INVALID, deviationOf: tokenResponse }, [
    ["tokens-in-a-list", changed((body) => `[${body}]`), changed((body) => body.replace("{", '{"list":[[]],'))],
    { id: "tokens-null", deviation: tokenResponse(json(null)) },
    ["tokens-a-bare-string", changed((body) => JSON.stringify(body))],
    {
      id: "tokens-100000-levels-deep",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: tokenResponse(text(deep(100_000))),
      control: tokenResponse(changed((body) => body.replace("{", `{"deep":${deep(1000)},`))),
    },
    {
      id: "tokens-duplicate-member-last-one-invalid",
      source: rfc(8259, "4"),
      deviation: tokenResponse(changed((body) => body.replace(/}$/, ',"token_type":"mac"}'))),
      control: tokenResponse(changed((body) => body.replace("{", '{"token_type":"mac",'))),
    },
  ]),
  // Without JSON, it is not the provider's response, which is lost. The content decides, not its content type.
  ...loginRows({ ...LOST, deviationOf: tokenResponse }, [
    { id: "tokens-as-a-web-page", deviation: tokenResponse(html()), control: onlyAtFirst(html()) },
    { id: "tokens-empty-response", deviation: tokenResponse(text("")), control: onlyAtFirst(text("")) },
    { id: "tokens-no-content", source: rfc(9110, "15.3.5"), deviation: tokenResponse(status(204)), control: onlyAtFirst(status(204)) },
    {
      id: "tokens-truncated-json",
      source: rfc(8259, "2"),
      deviation: tokenResponse(changed((body) => body.slice(0, -1))),
      control: onlyAtFirst(text('{"access_token":"a","token_type":"bea')),
    },
    [
      "tokens-as-a-web-page-that-is-called-json",
      text("<!doctype html><title>Sign in to the Wi-Fi</title>"),
      withHeaders({ "content-type": "Application/JSON; charset=utf-8" }),
    ],
    ["tokens-as-a-form", text("access_token=a&token_type=bearer&refresh_token=b&expires_in=300"), changed((body) => `\t\r\n ${body}\n`)],
  ]),
  ...loginRows({ ...LOST, source: rfc(8259, "2"), deviationOf: tokenResponse }, [
    ["tokens-with-trailing-content", changed((body) => `${body}{}`), changed((body) => `${body}  `)],
    ["tokens-as-a-script", changed((body) => `callback(${body})`)],
    ["tokens-with-an-anti-hijacking-prefix", changed((body) => `)]}',\n${body}`), changed((body) => `\n${body}`)],
    { id: "tokens-with-a-comment", deviation: tokenResponse(changed((body) => `/* tokens */ ${body}`)), control: tokens({ comment: "/* tokens */" }) },
    {
      id: "tokens-in-utf-16",
      source: rfc(8259, "8.1"),
      deviation: tokenResponse(changed((body) => utf16(`\ufeff${body}`))),
      // A reader may ignore a byte order mark.
      control: tokenResponse(changed((body) => `\ufeff${body}`)),
    },
  ]),
  ...loginRows({ ...INVALID, source: OWASP_PROTOTYPE_POLLUTION }, [
    ["tokens-of-a-prototype", tokenResponse(changed((body) => `{"__proto__":${body}}`)), tokens({ ["__proto__"]: { access_token: "a", polluted: true } })],
    [
      "tokens-of-a-constructor",
      tokenResponse(changed((body) => `{"constructor":{"prototype":${body}}}`)),
      tokens({ constructor: { prototype: { polluted: true } }, toString: null }),
    ],
  ]),
];
