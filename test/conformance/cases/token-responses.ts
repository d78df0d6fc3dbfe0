import { changed, html, text, withHeaders } from "../responses.js";
import type { Responder, Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { matrix, rfc } from "../sources.js";

const INVALID = { message: "InvalidBearerTokenResponse", code: "token_response_invalid" } as const;
const NO_API = { message: "InvalidBearerTokenResponse", code: "scope_not_granted" } as const;

const tokenResponse = (respond: Responder): Deviation => ({ endpoints: { token: respond } });

/** A provider without a refresh grant is used with a fixed client ID, since registration needs that grant. */
const WITHOUT_REFRESH: Deviation = {
  login: { clientId: "known-to-all" },
  metadata: { grant_types_supported: ["authorization_code"] },
  tokens: { refresh_token: undefined },
};

/** The body of a token response that was given with HTTP 200: RFC 6749, section 5.1. */
export const TOKEN_RESPONSES = loginRows(
  { source: rfc(6749, "5.1"), refused: INVALID, reaches: "token" },
  [
    {
      id: "tokens-without-access-token",
      deviation: { tokens: { access_token: undefined } },
      control: { tokens: { unknown: "member" } },
    },
    {
      id: "tokens-access-token-empty",
      reason: "access_token is missing",
      source: rfc(6749, "A.12"),
      deviation: { tokens: { access_token: "" } },
    },
    {
      id: "tokens-access-token-a-list",
      deviation: { tokens: (_, { access_token }) => ({ access_token: [access_token] }) },
      control: { tokens: { extra: ["a"] } },
    },
    {
      id: "tokens-access-token-null",
      deviation: { tokens: { access_token: null } },
      control: { tokens: { extra: null } },
    },
    { id: "tokens-access-token-a-number", deviation: { tokens: { access_token: 12345 } } },
    {
      id: "tokens-without-refresh-token",
      reason: "refresh_token is missing",
      source: matrix("refreshing a token", "refresh-token-grant"),
      deviation: { tokens: { refresh_token: undefined } },
      control: WITHOUT_REFRESH,
    },
    {
      id: "tokens-refresh-token-an-object",
      deviation: { ...WITHOUT_REFRESH, tokens: { refresh_token: { token: "a" } } },
      control: WITHOUT_REFRESH,
    },
    {
      id: "tokens-of-another-type",
      reason: "token_type is not bearer",
      source: rfc(6749, "7.1"),
      deviation: { tokens: { token_type: "mac" } },
      // fapi2-security-profile-final-client-test-token-type-case-insensitivity
      control: { tokens: { token_type: "bEaReR" } },
    },
    {
      id: "tokens-bound-to-a-key-that-the-page-has-not",
      source: rfc(9449, "5"),
      deviation: { tokens: { token_type: "DPoP" } },
      control: { tokens: { token_type: "bearer" } },
    },
    {
      id: "tokens-without-type",
      deviation: { tokens: { token_type: undefined } },
      control: { tokens: { token_type: "BEARER" } },
    },
    {
      id: "tokens-type-with-more-behind-it",
      source: rfc(6749, "A.13"),
      deviation: { tokens: { token_type: "Bearer\r\nX-Injected: 1" } },
    },
    {
      id: "tokens-lifetime-in-words",
      reason: "expires_in is no number of seconds",
      source: rfc(6749, "A.14"),
      deviation: { tokens: { expires_in: "soon" } },
      // Providers that write the number as a text are many.
      control: { tokens: { expires_in: "300" } },
    },
    {
      id: "tokens-lifetime-negative",
      source: rfc(6749, "A.14"),
      deviation: { tokens: { expires_in: -1 } },
      control: { tokens: { expires_in: 0 } },
    },
    {
      id: "tokens-lifetime-negative-text",
      source: rfc(6749, "A.14"),
      deviation: { tokens: { expires_in: "-300" } },
      control: { tokens: { expires_in: 299.5 } },
    },
    {
      id: "tokens-lifetime-without-end",
      source: rfc(8259, "6"),
      deviation: tokenResponse(
        changed((body) => body.replace('"expires_in":300', '"expires_in":1e999')),
      ),
      control: { tokens: { expires_in: 100 * 365 * 86_400 } },
    },
    {
      id: "tokens-lifetime-a-truth",
      deviation: { tokens: { expires_in: true } },
      // fapi2-security-profile-final-client-test-token-endpoint-response-without-expires_in
      control: { tokens: { expires_in: undefined } },
    },
    {
      id: "tokens-lifetime-a-list",
      deviation: { tokens: { expires_in: [300] } },
      control: { tokens: { expires_in: null } },
    },
    {
      id: "tokens-scope-null",
      reason: "scope is no string",
      deviation: { tokens: { scope: null } },
      // It may be left out where all that was asked for is granted.
      control: { tokens: { scope: undefined } },
    },
    {
      id: "tokens-scope-a-list",
      source: rfc(6749, "3.3"),
      deviation: { tokens: (_, { scope }) => ({ scope: String(scope).split(" ") }) },
      control: {
        tokens: (_, { scope }) => ({ scope: String(scope).split(" ").reverse().join(" ") }),
      },
    },
    {
      id: "tokens-scope-without-the-client-server-api",
      source: matrix("scope", "scope"),
      deviation: {
        tokens: (_, { scope }) => ({
          scope: String(scope).replace("urn:matrix:client:api:* ", ""),
        }),
      },
      refused: NO_API,
      control: { tokens: (_, { scope }) => ({ scope: `${String(scope)} urn:synapse:admin:*` }) },
    },
    {
      id: "tokens-scope-empty",
      reason: "The issuer granted only: ",
      source: rfc(6749, "3.3"),
      deviation: { tokens: { scope: "" } },
      refused: NO_API,
    },
    {
      id: "tokens-scope-like-the-client-server-api",
      source: matrix("scope", "scope"),
      deviation: { tokens: { scope: "openid urn:matrix:client:api:*:read urn:matrix:client:api" } },
      refused: NO_API,
      // The names from before Matrix 1.15.
      control: {
        tokens: (_, { scope }) => ({
          scope: String(scope).replaceAll("urn:matrix:", "urn:matrix:org.matrix.msc2967."),
        }),
      },
    },
    {
      id: "tokens-scope-with-commas",
      source: rfc(6749, "3.3"),
      deviation: { tokens: (_, { scope }) => ({ scope: String(scope).replaceAll(" ", ",") }) },
      refused: NO_API,
      // The homeserver says which device it is.
      control: { tokens: { scope: "openid urn:matrix:client:api:*" } },
    },
    {
      id: "tokens-as-a-web-page",
      deviation: tokenResponse(html()),
      // What counts is what it is, not what it is called.
      control: tokenResponse(withHeaders({ "content-type": "text/plain" })),
    },
    {
      id: "tokens-as-a-web-page-that-is-called-json",
      deviation: tokenResponse(text("<!doctype html><title>Sign in to the Wi-Fi</title>")),
      control: tokenResponse(withHeaders({ "content-type": "Application/JSON; charset=utf-8" })),
    },
    {
      id: "tokens-as-a-form",
      deviation: tokenResponse(
        text("access_token=a&token_type=bearer&refresh_token=b&expires_in=300"),
      ),
      control: tokenResponse(changed((body) => `\t\r\n ${body}\n`)),
    },
    {
      id: "tokens-in-a-list",
      deviation: tokenResponse(changed((body) => `[${body}]`)),
      control: tokenResponse(changed((body) => body.replace("{", '{"list":[[]],'))),
    },
  ],
);
