import { changed, html, text, withHeaders } from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";

const INVALID = { message: "InvalidBearerTokenResponse", code: "token_response_invalid" } as const;
const NO_API = { message: "InvalidBearerTokenResponse", code: "scope_not_granted" } as const;

const tokenAnswer = (answer: Answer): Bend => ({ endpoints: { token: answer } });

/** A provider without a refresh grant is used with a fixed client ID, since registration needs that grant. */
const WITHOUT_REFRESH: Bend = {
  login: { clientId: "known-to-all" },
  metadata: { grant_types_supported: ["authorization_code"] },
  tokens: { refresh_token: undefined },
};

/** The body of a token answer that was given with HTTP 200: RFC 6749, section 5.1. */
export const TOKEN_ANSWERS: readonly Row[] = [
  {
    id: "tokens-without-access-token",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { tokens: { access_token: undefined } },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { unknown: "member" } },
  },
  {
    id: "tokens-access-token-empty",
    source: "RFC 6749 appendix A.12, https://www.rfc-editor.org/rfc/rfc6749#appendix-A.12",
    bent: { tokens: { access_token: "" } },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-access-token-a-list",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { tokens: (_, { access_token }) => ({ access_token: [access_token] }) },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { extra: ["a"] } },
  },
  {
    id: "tokens-access-token-null",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { tokens: { access_token: null } },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { extra: null } },
  },
  {
    id: "tokens-access-token-a-number",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { tokens: { access_token: 12345 } },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-without-refresh-token",
    source:
      "Matrix, refreshing a token, https://spec.matrix.org/v1.16/client-server-api/#refresh-token-grant",
    bent: { tokens: { refresh_token: undefined } },
    refused: INVALID,
    reaches: "token",
    twin: WITHOUT_REFRESH,
  },
  {
    id: "tokens-refresh-token-an-object",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { ...WITHOUT_REFRESH, tokens: { refresh_token: { token: "a" } } },
    refused: INVALID,
    reaches: "token",
    twin: WITHOUT_REFRESH,
  },
  {
    id: "tokens-of-another-type",
    source: "RFC 6749 section 7.1, https://www.rfc-editor.org/rfc/rfc6749#section-7.1",
    bent: { tokens: { token_type: "mac" } },
    refused: INVALID,
    reaches: "token",
    // fapi2-security-profile-final-client-test-token-type-case-insensitivity
    twin: { tokens: { token_type: "bEaReR" } },
  },
  {
    id: "tokens-bound-to-a-key-that-the-page-has-not",
    source: "RFC 9449 section 5, https://www.rfc-editor.org/rfc/rfc9449#section-5",
    bent: { tokens: { token_type: "DPoP" } },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { token_type: "bearer" } },
  },
  {
    id: "tokens-without-type",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { tokens: { token_type: undefined } },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { token_type: "BEARER" } },
  },
  {
    id: "tokens-type-with-more-behind-it",
    source: "RFC 6749 appendix A.13, https://www.rfc-editor.org/rfc/rfc6749#appendix-A.13",
    bent: { tokens: { token_type: "Bearer\r\nX-Injected: 1" } },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-lifetime-in-words",
    source: "RFC 6749 appendix A.14, https://www.rfc-editor.org/rfc/rfc6749#appendix-A.14",
    bent: { tokens: { expires_in: "soon" } },
    refused: INVALID,
    reaches: "token",
    // Providers that write the number as a text are many.
    twin: { tokens: { expires_in: "300" } },
  },
  {
    id: "tokens-lifetime-negative",
    source: "RFC 6749 appendix A.14, https://www.rfc-editor.org/rfc/rfc6749#appendix-A.14",
    bent: { tokens: { expires_in: -1 } },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { expires_in: 0 } },
  },
  {
    id: "tokens-lifetime-negative-text",
    source: "RFC 6749 appendix A.14, https://www.rfc-editor.org/rfc/rfc6749#appendix-A.14",
    bent: { tokens: { expires_in: "-300" } },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { expires_in: 299.5 } },
  },
  {
    id: "tokens-lifetime-without-end",
    source: "RFC 8259 section 6, https://www.rfc-editor.org/rfc/rfc8259#section-6",
    bent: tokenAnswer(changed((body) => body.replace('"expires_in":300', '"expires_in":1e999'))),
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { expires_in: 100 * 365 * 86_400 } },
  },
  {
    id: "tokens-lifetime-a-truth",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { tokens: { expires_in: true } },
    refused: INVALID,
    reaches: "token",
    // fapi2-security-profile-final-client-test-token-endpoint-response-without-expires_in
    twin: { tokens: { expires_in: undefined } },
  },
  {
    id: "tokens-lifetime-a-list",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { tokens: { expires_in: [300] } },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { expires_in: null } },
  },
  {
    id: "tokens-scope-null",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: { tokens: { scope: null } },
    refused: INVALID,
    reaches: "token",
    // It may be left out where all that was asked for is granted.
    twin: { tokens: { scope: undefined } },
  },
  {
    id: "tokens-scope-a-list",
    source: "RFC 6749 section 3.3, https://www.rfc-editor.org/rfc/rfc6749#section-3.3",
    bent: { tokens: (_, { scope }) => ({ scope: String(scope).split(" ") }) },
    refused: INVALID,
    reaches: "token",
    twin: { tokens: (_, { scope }) => ({ scope: String(scope).split(" ").reverse().join(" ") }) },
  },
  {
    id: "tokens-scope-without-the-client-server-api",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: {
      tokens: (_, { scope }) => ({ scope: String(scope).replace("urn:matrix:client:api:* ", "") }),
    },
    refused: NO_API,
    reaches: "token",
    twin: { tokens: (_, { scope }) => ({ scope: `${String(scope)} urn:synapse:admin:*` }) },
  },
  {
    id: "tokens-scope-empty",
    source: "RFC 6749 section 3.3, https://www.rfc-editor.org/rfc/rfc6749#section-3.3",
    bent: { tokens: { scope: "" } },
    refused: NO_API,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-scope-like-the-client-server-api",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: { tokens: { scope: "openid urn:matrix:client:api:*:read urn:matrix:client:api" } },
    refused: NO_API,
    reaches: "token",
    // The names from before Matrix 1.15.
    twin: {
      tokens: (_, { scope }) => ({
        scope: String(scope).replaceAll("urn:matrix:", "urn:matrix:org.matrix.msc2967."),
      }),
    },
  },
  {
    id: "tokens-scope-with-commas",
    source: "RFC 6749 section 3.3, https://www.rfc-editor.org/rfc/rfc6749#section-3.3",
    bent: { tokens: (_, { scope }) => ({ scope: String(scope).replaceAll(" ", ",") }) },
    refused: NO_API,
    reaches: "token",
    // The homeserver says which device it is.
    twin: { tokens: { scope: "openid urn:matrix:client:api:*" } },
  },
  {
    id: "tokens-as-a-web-page",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: tokenAnswer(html()),
    refused: INVALID,
    reaches: "token",
    // What counts is what it is, not what it is called.
    twin: tokenAnswer(withHeaders({ "content-type": "text/plain" })),
  },
  {
    id: "tokens-as-a-web-page-that-is-called-json",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: tokenAnswer(text("<!doctype html><title>Sign in to the Wi-Fi</title>")),
    refused: INVALID,
    reaches: "token",
    twin: tokenAnswer(withHeaders({ "content-type": "Application/JSON; charset=utf-8" })),
  },
  {
    id: "tokens-as-a-form",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: tokenAnswer(text("access_token=a&token_type=bearer&refresh_token=b&expires_in=300")),
    refused: INVALID,
    reaches: "token",
    twin: tokenAnswer(changed((body) => `\t\r\n ${body}\n`)),
  },
  {
    id: "tokens-in-a-list",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: tokenAnswer(changed((body) => `[${body}]`)),
    refused: INVALID,
    reaches: "token",
    twin: tokenAnswer(changed((body) => body.replace("{", '{"list":[[]],'))),
  },
];
