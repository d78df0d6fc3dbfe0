import type { Patch, Row } from "../bend.js";
import { accessTokenHash } from "../keys.js";

const now = (): number => Math.floor(Date.now() / 1000);

const INVALID = { message: "InvalidIdToken", code: "id_token_invalid" } as const;
const NO_TOKENS = {
  message: "InvalidBearerTokenResponse",
  code: "token_response_invalid",
} as const;

/** A right `at_hash`, of the size that the signature's algorithm has. */
const rightHash =
  (size: 256 | 384 | 512): Patch =>
  ({ idp }) => ({ at_hash: accessTokenHash(idp.accessTokens.at(-1) ?? "", size) });

/** What ties an ID token to a login and to an access token, and what it is as a text. */
export const ID_TOKEN_FORM: readonly Row[] = [
  {
    id: "id-token-not-valid-yet",
    source: "RFC 7519 section 4.1.5, https://www.rfc-editor.org/rfc/rfc7519#section-4.1.5",
    bent: { claims: () => ({ nbf: now() + 3600 }) },
    refused: { message: "InvalidIdToken", code: "id_token_time" },
    reaches: "token",
    twin: { claims: () => ({ nbf: now() }) },
  },
  {
    id: "id-token-nbf-a-text",
    source: "RFC 7519 section 4.1.5, https://www.rfc-editor.org/rfc/rfc7519#section-4.1.5",
    bent: { claims: () => ({ nbf: String(now()) }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: () => ({ nbf: now() - 60 }) },
  },
  {
    id: "id-token-auth-time-a-text",
    source: "OpenID Connect Core 2, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: () => ({ auth_time: "yesterday" }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: () => ({ auth_time: now() - 86_400 }) },
  },
  {
    id: "id-token-iat-long-ago",
    source:
      "OpenID Connect Core 3.1.3.7 item 10, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: () => ({ iat: now() - 86_400 }) },
    refused: { message: "InvalidIdToken", code: "id_token_time" },
    reaches: "token",
    twin: { claims: () => ({ iat: now() - 240 }) },
  },
  {
    id: "id-token-nonce-of-another-login",
    source:
      "oidcc-client-test-nonce-invalid, https://openid.net/specs/openid-connect-core-1_0.html#NonceNotes",
    bent: { claims: (_, { nonce }) => ({ nonce: [...String(nonce)].reverse().join("") }) },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-nonce-missing",
    source:
      "fapi2-security-profile-final-client-test-invalid-missing-nonce, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: { nonce: undefined } },
    refused: INVALID,
    reaches: "token",
    // Where no ID token can be verified, none is asked for, nor a nonce sent.
    twin: { metadata: { jwks_uri: undefined } },
  },
  {
    id: "id-token-nonce-with-something-added",
    source:
      "fapi2-security-profile-final-client-test-invalid-nonce, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: (_, { nonce }) => ({ nonce: `${String(nonce)}1` }) },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-nonce-a-list",
    source:
      "OpenID Connect Core 3.1.3.7 item 11, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: (_, { nonce }) => ({ nonce: [nonce] }) },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-at-hash-of-another-token",
    source:
      "oidcc-client-test-invalid-athash, https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowTokenValidation",
    bent: { claims: { at_hash: accessTokenHash("another token", 256) } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: rightHash(256) },
  },
  {
    id: "id-token-at-hash-empty",
    source:
      "OpenID Connect Core 3.1.3.8, https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowTokenValidation",
    bent: { claims: { at_hash: "" } },
    refused: INVALID,
    reaches: "token",
    // oidcc-client-test-missing-athash: in the code flow it may be missing.
    twin: { claims: { at_hash: undefined } },
  },
  {
    id: "id-token-at-hash-null",
    source:
      "OpenID Connect Core 3.1.3.6, https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken",
    bent: { claims: { at_hash: null } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: rightHash(256) },
  },
  {
    id: "id-token-at-hash-of-another-size",
    source:
      "OpenID Connect Core 3.1.3.6, https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken",
    bent: { signedBy: "ES384", claims: rightHash(256) },
    refused: INVALID,
    reaches: "token",
    twin: { signedBy: "ES384", claims: rightHash(384) },
  },
  {
    id: "id-token-at-hash-of-ed25519-with-sha-256",
    source: "OpenID Connect Core 3.1.3.6, https://www.rfc-editor.org/rfc/rfc8032#section-5.1",
    bent: { signedBy: "EdDSA", claims: rightHash(256) },
    refused: INVALID,
    reaches: "token",
    twin: { signedBy: "EdDSA", claims: rightHash(512) },
  },
  {
    id: "id-token-payload-no-json",
    source: "RFC 7519 section 7.2, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    bent: { payload: (claims) => claims.slice(0, -1) },
    refused: INVALID,
    reaches: "token",
    twin: { payload: (claims) => `\n ${claims} ` },
  },
  {
    id: "id-token-payload-a-list",
    source: "RFC 7519 section 7.2 item 10, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    bent: { payload: (claims) => `[${claims}]` },
    refused: INVALID,
    reaches: "token",
    twin: { claims: { extra: [1, [2]] } },
  },
  {
    id: "id-token-payload-null",
    source: "RFC 7519 section 7.2 item 10, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    bent: { payload: () => "null" },
    refused: INVALID,
    reaches: "token",
    twin: { claims: { extra: null } },
  },
  {
    id: "id-token-payload-in-utf-16",
    source: "RFC 7519 section 7.2 item 10, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    bent: { payload: (claims) => [...claims].join("\0") },
    refused: INVALID,
    reaches: "token",
    twin: { claims: { name: "Алиса 🦊" } },
  },
  {
    id: "id-token-claims-of-a-prototype",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: { payload: (claims) => `{"__proto__":${claims}}` },
    refused: INVALID,
    reaches: "token",
    twin: { claims: { ["__proto__"]: { sub: "mallory" }, constructor: { prototype: { a: 1 } } } },
  },
  {
    id: "id-token-claim-twice-the-last-one-wrong",
    source: "RFC 7519 section 4, https://www.rfc-editor.org/rfc/rfc7519#section-4",
    bent: { payload: (claims) => claims.replace(/}$/, ',"aud":"another-client"}') },
    refused: INVALID,
    reaches: "token",
    // The section lets a reader take the last one.
    twin: { payload: (claims) => claims.replace("{", '{"aud":"another-client",') },
  },
  {
    id: "id-token-missing",
    source:
      "OpenID Connect Core 3.1.3.3, https://openid.net/specs/openid-connect-core-1_0.html#TokenResponse",
    bent: { tokens: { id_token: undefined } },
    refused: { message: "InvalidIdToken", code: "id_token_missing" },
    reaches: "token",
    // A provider that did not grant `openid` has no ID token to give.
    twin: {
      tokens: (_, { scope }) => ({
        id_token: undefined,
        scope: String(scope).replace("openid ", ""),
      }),
    },
  },
  {
    id: "id-token-demanded-of-a-provider-without-keys",
    source:
      "OpenID Connect Discovery 3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata",
    bent: { metadata: { jwks_uri: undefined }, login: { idToken: "required" } },
    refused: { message: "InvalidIdToken", code: "id_token_missing" },
    reaches: "token",
    twin: { metadata: { jwks_uri: undefined }, tokens: { id_token: "that.nobody.verifies" } },
  },
  {
    id: "id-token-empty",
    source:
      "OpenID Connect Core 3.1.3.3, https://openid.net/specs/openid-connect-core-1_0.html#TokenResponse",
    bent: { tokens: { id_token: "" } },
    refused: NO_TOKENS,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-an-object",
    source:
      "OpenID Connect Core 3.1.3.3, https://openid.net/specs/openid-connect-core-1_0.html#TokenResponse",
    bent: { idToken: (compact) => ({ jws: compact }) },
    refused: NO_TOKENS,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-encrypted-unasked",
    source: "RFC 7516 section 3.1, https://www.rfc-editor.org/rfc/rfc7516#section-3.1",
    bent: { idToken: (compact) => `${compact}.AAAA.AAAA` },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-without-a-signature-part",
    source: "RFC 7515 section 3.1, https://www.rfc-editor.org/rfc/rfc7515#section-3.1",
    bent: { idToken: (compact) => compact.slice(0, compact.lastIndexOf(".")) },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-with-padding",
    source: "RFC 7515 section 2, Base64url, https://www.rfc-editor.org/rfc/rfc7515#section-2",
    bent: { idToken: (compact) => `${compact}==` },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-with-a-line-break",
    source: "RFC 7515 section 5.2 item 2, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
    bent: { idToken: (compact) => `${compact}\n` },
    refused: INVALID,
    reaches: "token",
    twin: { payload: (claims) => `${claims}\n` },
  },
];
