import { oidcError, part } from "../deviations.js";
import { accessTokenHash } from "../keys.js";
import { loginRows, type AsyncPatch } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, discovery, fapi2, oidcc, openid, rfc } from "../sources.js";

const INVALID = { refused: oidcError("InvalidIdToken", "id_token_invalid"), reaches: "token" } as const;
const MISSING = { refused: oidcError("InvalidIdToken", "id_token_missing"), reaches: "token" } as const;
const NO_TOKENS = {
  source: openid("Core 3.1.3.3", "TokenResponse"),
  refused: oidcError("InvalidBearerTokenResponse", "token_response_invalid"),
  reaches: "token",
} as const;

const claims = part("claims");
const payload = part("payload");
const idToken = part("idToken");

const HASH = openid("Core 3.1.3.6", "CodeIDToken");
const NO_OBJECT = "RFC 7519 section 7.2 item 10, https://www.rfc-editor.org/rfc/rfc7519#section-7.2";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** A correct `at_hash` of the size that the signature's algorithm requires. */
const rightHash =
  (size: 256 | 384 | 512): AsyncPatch =>
  async ({ idp }) => ({ at_hash: await accessTokenHash(idp.accessTokens.at(-1) ?? "", size) });

/** An ID token's `nonce` and `at_hash`, and its serialization. */
export const ID_TOKEN_FORM = [
  ...loginRows(INVALID, [
    {
      id: "id-token-nonce-of-another-login",
      reason: /"nonce"/,
      source: oidcc("nonce-invalid", "NonceNotes"),
      deviation: claims((_, { nonce }) => ({ nonce: [...String(nonce)].reverse().join("") })),
    },
    [
      "id-token-nonce-missing",
      fapi2("invalid-missing-nonce"),
      claims({ nonce: undefined }),
      // If no ID token can be verified, the library requests none and sends no nonce.
      { metadata: { jwks_uri: undefined } },
    ],
    ["id-token-nonce-with-a-suffix", fapi2("invalid-nonce"), claims((_, { nonce }) => ({ nonce: `${String(nonce)}1` }))],
    ["id-token-nonce-a-list", openid("Core 3.1.3.7 item 11", "IDTokenValidation"), claims((_, { nonce }) => ({ nonce: [nonce] }))],
    {
      id: "id-token-at-hash-of-another-token",
      reason: "at_hash does not match the access token",
      source: oidcc("invalid-athash", "CodeFlowTokenValidation"),
      deviation: claims(async () => ({ at_hash: await accessTokenHash("another token", 256) })),
      control: claims(rightHash(256)),
    },
    [
      "id-token-at-hash-of-one-letter",
      openid("Core 3.1.3.8", "CodeFlowTokenValidation"),
      claims({ at_hash: "A" }),
      // oidcc-client-test-missing-athash: in the code flow it may be missing.
      claims({ at_hash: undefined }),
    ],
    ["id-token-at-hash-false", HASH, claims({ at_hash: false }), claims({ at_hash: null })],
    ["id-token-at-hash-a-space", HASH, claims({ at_hash: " " }), claims({ at_hash: "" })],
    [
      "id-token-at-hash-of-another-token-among-unset-claims",
      HASH,
      claims({ at_hash: "AAAAAAAAAAAAAAAAAAAAAA", nbf: null, azp: "", auth_time: null }),
      claims({ at_hash: null, nbf: "", azp: null, auth_time: "" }),
    ],
    ["id-token-at-hash-of-another-size", HASH, { signedBy: "ES384", claims: rightHash(256) }, { signedBy: "ES384", claims: rightHash(384) }],
    [
      "id-token-at-hash-of-ed25519-with-sha-256",
      "OpenID Connect Core 3.1.3.6, https://www.rfc-editor.org/rfc/rfc8032#section-5.1",
      { signedBy: "EdDSA", claims: rightHash(256) },
      { signedBy: "EdDSA", claims: rightHash(512) },
    ],
    ["id-token-payload-not-json", rfc(7519, "7.2"), payload((json) => json.slice(0, -1)), payload((json) => `\n ${json} `)],
    ["id-token-payload-a-list", NO_OBJECT, payload((json) => `[${json}]`), claims({ extra: [1, [2]] })],
    ["id-token-payload-null", NO_OBJECT, payload(() => "null"), claims({ extra: null })],
    ["id-token-payload-in-utf-16", NO_OBJECT, payload((json) => [...json].join("\0")), claims({ name: "Алиса 🦊" })],
    ["id-token-payload-in-latin-1", NO_OBJECT, payload((json) => latin1(json.replace("{", '{"name":"Zoë",'))), claims({ name: "Zoë" })],
    [
      "id-token-claims-of-a-prototype",
      OWASP_PROTOTYPE_POLLUTION,
      payload((json) => `{"__proto__":${json}}`),
      claims({ ["__proto__"]: { sub: "mallory" }, constructor: { prototype: { a: 1 } } }),
    ],
    [
      "id-token-claim-twice-the-last-one-wrong",
      rfc(7519, "4"),
      payload((json) => json.replace(/}$/, ',"aud":"another-client"}')),
      // The section allows a reader to use the last one.
      payload((json) => json.replace("{", '{"aud":"another-client",')),
    ],
    ["id-token-encrypted-unasked", rfc(7516, "3.1"), idToken((compact) => `${compact}.AAAA.AAAA`)],
    {
      id: "id-token-without-a-signature-part",
      reason: "The ID token is not a compact JWS",
      source: rfc(7515, "3.1"),
      deviation: idToken((compact) => compact.slice(0, compact.lastIndexOf("."))),
    },
    ["id-token-with-padding", "RFC 7515 section 2, Base64url, https://www.rfc-editor.org/rfc/rfc7515#section-2", idToken((compact) => `${compact}==`)],
    ["id-token-after-a-line-break", rfc(7515, "5.2"), idToken((compact) => `\n${compact}`)],
    [
      "id-token-with-a-line-break",
      "RFC 7515 section 5.2 item 2, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
      idToken((compact) => `${compact}\n`),
      payload((json) => `${json}\n`),
    ],
  ]),
  ...loginRows(MISSING, [
    [
      "id-token-missing",
      NO_TOKENS.source,
      { tokens: { id_token: undefined } },
      // A provider that did not grant `openid` sends no ID token.
      { tokens: (_, { scope }) => ({ id_token: undefined, scope: String(scope).replace("openid ", "") }) },
    ],
    ["id-token-empty", NO_TOKENS.source, { tokens: { id_token: "" } }],
    ["id-token-null", NO_TOKENS.source, { tokens: { id_token: null } }],
    [
      "id-token-required-from-a-provider-without-keys",
      discovery("3", "ProviderMetadata"),
      { metadata: { jwks_uri: undefined }, login: { idToken: "required" } },
      { metadata: { jwks_uri: undefined }, tokens: { id_token: "that.nobody.verifies" } },
    ],
  ]),
  ...loginRows(NO_TOKENS, [{ id: "id-token-an-object", reason: "id_token is not a string", deviation: idToken((compact) => ({ jws: compact })) }]),
];
