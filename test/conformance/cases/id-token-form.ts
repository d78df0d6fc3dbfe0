import type { AsyncPatch } from "../row.js";
import { loginRows } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, openid, rfc } from "../sources.js";
import { accessTokenHash } from "../keys.js";

const now = (): number => Math.floor(Date.now() / 1000);

const INVALID = { message: "InvalidIdToken", code: "id_token_invalid" } as const;
const NO_TOKENS = {
  message: "InvalidBearerTokenResponse",
  code: "token_response_invalid",
} as const;

/** A right `at_hash`, of the size that the signature's algorithm has. */
const rightHash =
  (size: 256 | 384 | 512): AsyncPatch =>
  async ({ idp }) => ({ at_hash: await accessTokenHash(idp.accessTokens.at(-1) ?? "", size) });

/** What ties an ID token to a login and to an access token, and what it is as a text. */
export const ID_TOKEN_FORM = loginRows({ reaches: "token", refused: INVALID }, [
  {
    id: "id-token-not-valid-yet",
    source: rfc(7519, "4.1.5"),
    deviation: { claims: () => ({ nbf: now() + 3600 }) },
    refused: { message: "InvalidIdToken", code: "id_token_time" },
    control: { claims: () => ({ nbf: now() }) },
  },
  {
    id: "id-token-nbf-a-text",
    source: rfc(7519, "4.1.5"),
    deviation: { claims: () => ({ nbf: String(now()) }) },
    control: { claims: () => ({ nbf: now() - 60 }) },
  },
  {
    id: "id-token-auth-time-a-text",
    source: openid("Core 2", "IDToken"),
    deviation: { claims: () => ({ auth_time: "yesterday" }) },
    control: { claims: () => ({ auth_time: now() - 86_400 }) },
  },
  {
    id: "id-token-iat-long-ago",
    reason: /^The ID token was issued 864\d\d seconds ago by this device's clock$/,
    source: openid("Core 3.1.3.7 item 10", "IDTokenValidation"),
    deviation: { claims: () => ({ iat: now() - 86_400 }) },
    refused: { message: "InvalidIdToken", code: "id_token_time" },
    control: { claims: () => ({ iat: now() - 240 }) },
  },
  {
    id: "id-token-nonce-of-another-login",
    source: openid("oidcc-client-test-nonce-invalid", "NonceNotes"),
    deviation: { claims: (_, { nonce }) => ({ nonce: [...String(nonce)].reverse().join("") }) },
  },
  {
    id: "id-token-nonce-missing",
    source: openid(
      "fapi2-security-profile-final-client-test-invalid-missing-nonce",
      "IDTokenValidation",
    ),
    deviation: { claims: { nonce: undefined } },
    // Where no ID token can be verified, none is asked for, nor a nonce sent.
    control: { metadata: { jwks_uri: undefined } },
  },
  {
    id: "id-token-nonce-with-something-added",
    source: openid("fapi2-security-profile-final-client-test-invalid-nonce", "IDTokenValidation"),
    deviation: { claims: (_, { nonce }) => ({ nonce: `${String(nonce)}1` }) },
  },
  {
    id: "id-token-nonce-a-list",
    source: openid("Core 3.1.3.7 item 11", "IDTokenValidation"),
    deviation: { claims: (_, { nonce }) => ({ nonce: [nonce] }) },
  },
  {
    id: "id-token-at-hash-of-another-token",
    reason: "at_hash does not fit the access token",
    source: openid("oidcc-client-test-invalid-athash", "CodeFlowTokenValidation"),
    deviation: { claims: async () => ({ at_hash: await accessTokenHash("another token", 256) }) },
    control: { claims: rightHash(256) },
  },
  {
    id: "id-token-at-hash-empty",
    source: openid("Core 3.1.3.8", "CodeFlowTokenValidation"),
    deviation: { claims: { at_hash: "" } },
    // oidcc-client-test-missing-athash: in the code flow it may be missing.
    control: { claims: { at_hash: undefined } },
  },
  {
    id: "id-token-at-hash-null",
    source: openid("Core 3.1.3.6", "CodeIDToken"),
    deviation: { claims: { at_hash: null } },
    control: { claims: rightHash(256) },
  },
  {
    id: "id-token-at-hash-of-another-size",
    source: openid("Core 3.1.3.6", "CodeIDToken"),
    deviation: { signedBy: "ES384", claims: rightHash(256) },
    control: { signedBy: "ES384", claims: rightHash(384) },
  },
  {
    id: "id-token-at-hash-of-ed25519-with-sha-256",
    source: "OpenID Connect Core 3.1.3.6, https://www.rfc-editor.org/rfc/rfc8032#section-5.1",
    deviation: { signedBy: "EdDSA", claims: rightHash(256) },
    control: { signedBy: "EdDSA", claims: rightHash(512) },
  },
  {
    id: "id-token-payload-no-json",
    source: rfc(7519, "7.2"),
    deviation: { payload: (claims) => claims.slice(0, -1) },
    control: { payload: (claims) => `\n ${claims} ` },
  },
  {
    id: "id-token-payload-a-list",
    source: "RFC 7519 section 7.2 item 10, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    deviation: { payload: (claims) => `[${claims}]` },
    control: { claims: { extra: [1, [2]] } },
  },
  {
    id: "id-token-payload-null",
    source: "RFC 7519 section 7.2 item 10, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    deviation: { payload: () => "null" },
    control: { claims: { extra: null } },
  },
  {
    id: "id-token-payload-in-utf-16",
    source: "RFC 7519 section 7.2 item 10, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    deviation: { payload: (claims) => [...claims].join("\0") },
    control: { claims: { name: "Алиса 🦊" } },
  },
  {
    id: "id-token-claims-of-a-prototype",
    source: OWASP_PROTOTYPE_POLLUTION,
    deviation: { payload: (claims) => `{"__proto__":${claims}}` },
    control: {
      claims: { ["__proto__"]: { sub: "mallory" }, constructor: { prototype: { a: 1 } } },
    },
  },
  {
    id: "id-token-claim-twice-the-last-one-wrong",
    source: rfc(7519, "4"),
    deviation: { payload: (claims) => claims.replace(/}$/, ',"aud":"another-client"}') },
    // The section lets a reader take the last one.
    control: { payload: (claims) => claims.replace("{", '{"aud":"another-client",') },
  },
  {
    id: "id-token-missing",
    source: openid("Core 3.1.3.3", "TokenResponse"),
    deviation: { tokens: { id_token: undefined } },
    refused: { message: "InvalidIdToken", code: "id_token_missing" },
    // A provider that did not grant `openid` has no ID token to give.
    control: {
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
    deviation: { metadata: { jwks_uri: undefined }, login: { idToken: "required" } },
    refused: { message: "InvalidIdToken", code: "id_token_missing" },
    control: { metadata: { jwks_uri: undefined }, tokens: { id_token: "that.nobody.verifies" } },
  },
  {
    id: "id-token-empty",
    source: openid("Core 3.1.3.3", "TokenResponse"),
    deviation: { tokens: { id_token: "" } },
    refused: NO_TOKENS,
  },
  {
    id: "id-token-an-object",
    reason: "id_token is no string",
    source: openid("Core 3.1.3.3", "TokenResponse"),
    deviation: { idToken: (compact) => ({ jws: compact }) },
    refused: NO_TOKENS,
  },
  {
    id: "id-token-encrypted-unasked",
    source: rfc(7516, "3.1"),
    deviation: { idToken: (compact) => `${compact}.AAAA.AAAA` },
  },
  {
    id: "id-token-without-a-signature-part",
    reason: "The ID token is no compact JWS",
    source: rfc(7515, "3.1"),
    deviation: { idToken: (compact) => compact.slice(0, compact.lastIndexOf(".")) },
  },
  {
    id: "id-token-with-padding",
    source: "RFC 7515 section 2, Base64url, https://www.rfc-editor.org/rfc/rfc7515#section-2",
    deviation: { idToken: (compact) => `${compact}==` },
  },
  {
    id: "id-token-with-a-line-break",
    source: "RFC 7515 section 5.2 item 2, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
    deviation: { idToken: (compact) => `${compact}\n` },
    control: { payload: (claims) => `${claims}\n` },
  },
]);
