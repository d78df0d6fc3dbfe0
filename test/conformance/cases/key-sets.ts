import {
  endless,
  honestly,
  html,
  inTurn,
  json,
  late,
  never,
  padded,
  redirect,
  status,
  text,
  unreadable,
} from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";
import { signatureOf, signingKey } from "../keys.js";

const UNVERIFIED = { message: "InvalidIdToken", code: "id_token_signature" } as const;
const OUT_OF_REACH = { message: "InvalidIdToken", code: "keys_unavailable" } as const;

const OWN = await signingKey("RS256");
const NEXT = await signingKey("RS256", "next");
const CURVE_384 = await signingKey("ES384");

const keysAnswer = (answer: Answer): Bend => ({ endpoints: { keys: answer } });

/** A token by a key that was made a moment ago. */
const ROTATED: Bend = { signedBy: () => signingKey("RS256", "next") };

/** The key set of a provider: JSON Web Key, its rotation and its failures. */
export const KEY_SETS: readonly Row[] = [
  {
    id: "keys-kid-absent-and-several-fit",
    source:
      "oidcc-client-test-kid-absent-multiple-jwks, https://openid.net/specs/openid-connect-core-1_0.html#Signing",
    bent: { header: { kid: undefined }, keys: (keys) => [...keys, NEXT.jwk] },
    refused: UNVERIFIED,
    reaches: "token",
    // oidcc-client-test-kid-absent-single-jwks
    twin: { header: { kid: undefined }, keys: (keys) => [...keys, CURVE_384.jwk] },
  },
  {
    id: "keys-kid-unknown",
    source: "RFC 7515 section 4.1.4, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.4",
    bent: { header: { kid: "nobody" } },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { header: { kid: undefined } },
  },
  {
    id: "keys-kid-of-another-key",
    source: "RFC 7515 section 4.1.4, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.4",
    bent: { header: { kid: NEXT.kid }, keys: (keys) => [...keys, NEXT.jwk] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { keys: (keys) => [...keys, NEXT.jwk] },
  },
  {
    id: "keys-kid-a-number",
    source: "RFC 7515 section 4.1.4, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.4",
    bent: { header: { kid: 1 }, keys: ([key]) => [{ ...key, kid: "1" }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { header: { kid: "1" }, keys: ([key]) => [{ ...key, kid: "1" }] },
  },
  {
    id: "keys-kid-twice",
    source: "RFC 7517 section 4.5, https://www.rfc-editor.org/rfc/rfc7517#section-4.5",
    bent: { keys: (keys) => [{ ...NEXT.jwk, kid: OWN.kid }, ...keys] },
    refused: UNVERIFIED,
    reaches: "token",
    // Keys of different kinds may have one name.
    twin: { keys: (keys) => [{ ...CURVE_384.jwk, kid: OWN.kid }, ...keys] },
  },
  {
    id: "keys-of-another-curve",
    source: "RFC 7518 section 3.4, https://www.rfc-editor.org/rfc/rfc7518#section-3.4",
    bent: {
      signedBy: "ES384",
      header: { alg: "ES256" },
      keys: ([key]) => [{ ...key, alg: undefined }],
    },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { signedBy: "ES384", keys: ([key]) => [{ ...key, alg: undefined }] },
  },
  {
    id: "keys-of-another-kind",
    source: "RFC 8725 section 3.1, https://www.rfc-editor.org/rfc/rfc8725#section-3.1",
    bent: { header: { alg: "ES256" }, keys: ([key]) => [{ ...key, alg: "ES256" }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { signedBy: "ES256" },
  },
  {
    id: "keys-of-another-algorithm",
    source: "RFC 7517 section 4.4, https://www.rfc-editor.org/rfc/rfc7517#section-4.4",
    bent: { keys: ([key]) => [{ ...key, alg: "RS512" }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { keys: ([key]) => [{ ...key, alg: undefined }] },
  },
  {
    id: "keys-for-encryption",
    source: "RFC 7517 section 4.2, https://www.rfc-editor.org/rfc/rfc7517#section-4.2",
    bent: { keys: ([key]) => [{ ...key, use: "enc" }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { keys: ([key]) => [{ ...key, use: undefined }] },
  },
  {
    id: "keys-that-may-not-verify",
    source: "RFC 7517 section 4.3, https://www.rfc-editor.org/rfc/rfc7517#section-4.3",
    bent: { keys: ([key]) => [{ ...key, use: undefined, key_ops: ["encrypt", "wrapKey"] }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { keys: ([key]) => [{ ...key, use: undefined, key_ops: ["verify"] }] },
  },
  {
    id: "keys-with-their-private-half",
    source: "RFC 7517 section 9.3, https://www.rfc-editor.org/rfc/rfc7517#section-9.3",
    bent: { keys: () => [OWN.privateJwk] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { keys: () => [OWN.jwk] },
  },
  {
    id: "keys-symmetric",
    source: "RFC 7518 section 6.4, https://www.rfc-editor.org/rfc/rfc7518#section-6.4",
    bent: { keys: () => [{ kty: "oct", k: "c2VjcmV0", kid: OWN.kid, alg: "RS256" }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { keys: (keys) => [{ kty: "oct", k: "c2VjcmV0", kid: "secret" }, ...keys] },
  },
  {
    id: "keys-nobody-can-read",
    source:
      "oidcc-client-test-ignores-unparseable-key-in-jwks, https://www.rfc-editor.org/rfc/rfc7517#section-5",
    bent: { keys: () => [{ kty: "AKP", alg: "ML-DSA-99", pub: "AA", kid: OWN.kid }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: {
      keys: (keys) => [
        { kty: "AKP", alg: "ML-DSA-99", pub: "AA", kid: "later" },
        { kty: "never-heard-of", kid: "strange" },
        ...keys,
      ],
    },
  },
  {
    id: "keys-without-a-modulus",
    source: "RFC 7518 section 6.3.1, https://www.rfc-editor.org/rfc/rfc7518#section-6.3.1",
    bent: { keys: ([key]) => [{ ...key, n: undefined }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: {},
  },
  {
    id: "keys-none",
    source: "RFC 7517 section 5.1, https://www.rfc-editor.org/rfc/rfc7517#section-5.1",
    bent: { keys: () => [] },
    refused: UNVERIFIED,
    reaches: "token",
    // oidcc-client-test-signing-key-rotation-just-before-signing
    twin: { keys: (keys, nth) => (nth === 1 ? [] : keys) },
  },
  {
    id: "keys-rotated-and-never-published",
    source:
      "oidcc-client-test-signing-key-rotation-just-before-signing, https://openid.net/specs/openid-connect-core-1_0.html#RotateSigKeys",
    bent: { ...ROTATED, keys: () => [OWN.jwk] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { ...ROTATED, keys: (keys, nth) => (nth === 1 ? [OWN.jwk] : keys) },
  },
  {
    id: "keys-rotated-and-the-old-one-used-on",
    source:
      "oidcc-client-test-signing-key-rotation, https://openid.net/specs/openid-connect-core-1_0.html#RotateSigKeys",
    bent: { keys: () => [NEXT.jwk], signature: (input) => signatureOf(input, OWN) },
    refused: UNVERIFIED,
    reaches: "token",
    // For a while a provider publishes both.
    twin: { keys: (keys) => [NEXT.jwk, ...keys] },
  },
  {
    id: "keys-a-failure-of-the-server",
    source:
      "OpenID Connect Core 10.1.1, https://openid.net/specs/openid-connect-core-1_0.html#RotateSigKeys",
    bent: keysAnswer(status(500)),
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: keysAnswer(inTurn(status(500), honestly)),
  },
  {
    id: "keys-a-failure-of-the-server-until-the-login-is-tried-again",
    source:
      "OpenID Connect Core 10.1.1, https://openid.net/specs/openid-connect-core-1_0.html#RotateSigKeys",
    bent: { ...keysAnswer(status(503)), login: { tries: 2 } },
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: { ...keysAnswer(inTurn(status(503), status(503), honestly)), login: { tries: 2 } },
  },
  {
    id: "keys-not-found",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: keysAnswer(status(404)),
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: { metadata: { jwks_uri: undefined } },
  },
  {
    id: "keys-a-web-page",
    source: "RFC 7517 section 5, https://www.rfc-editor.org/rfc/rfc7517#section-5",
    bent: keysAnswer(html()),
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: keysAnswer(inTurn(html(), honestly)),
  },
  {
    id: "keys-a-bare-list",
    source: "RFC 7517 section 5, https://www.rfc-editor.org/rfc/rfc7517#section-5",
    bent: keysAnswer(json([OWN.jwk])),
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: keysAnswer(json({ keys: [OWN.jwk], extra: [1] })),
  },
  {
    id: "keys-an-object",
    source: "RFC 7517 section 5.1, https://www.rfc-editor.org/rfc/rfc7517#section-5.1",
    bent: { keys: ([key]) => ({ [OWN.kid]: key }) },
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: {},
  },
  {
    id: "keys-of-a-prototype",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: keysAnswer(text(JSON.stringify({ ["__proto__"]: { keys: [OWN.jwk] } }))),
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: keysAnswer(json({ keys: [OWN.jwk], ["__proto__"]: { keys: [] } })),
  },
  {
    id: "keys-of-more-than-a-megabyte",
    source:
      "OWASP API4 unrestricted resource consumption, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: keysAnswer(padded(2 << 20)),
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: keysAnswer(padded(1 << 19)),
  },
  {
    id: "keys-without-end",
    source:
      "OWASP API4 unrestricted resource consumption, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: { ...keysAnswer(endless), login: { timeoutMs: 1500 } },
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: keysAnswer(late),
  },
  {
    id: "keys-never-answered",
    source:
      "OWASP API10 unsafe consumption of APIs, https://owasp.org/API-Security/editions/2023/en/0xaa-unsafe-consumption-of-apis/",
    bent: { ...keysAnswer(never), login: { timeoutMs: 1500 } },
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: keysAnswer(late),
  },
  {
    id: "keys-that-no-page-may-read",
    source: "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol",
    bent: keysAnswer(unreadable),
    refused: OUT_OF_REACH,
    reaches: "token",
    twin: {},
  },
  {
    id: "keys-redirected-to-those-of-another",
    source: "RFC 9700 section 4.11.2, https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2",
    bent: {
      ...keysAnswer(redirect(302, ({ other }) => `${other.origin}/keys`)),
      other: { keys: () => [{ ...NEXT.jwk, kid: OWN.kid }] },
    },
    refused: UNVERIFIED,
    reaches: "token",
    twin: keysAnswer(
      inTurn(
        redirect(302, ({ idp }) => `${idp.origin}/keys`),
        honestly,
      ),
    ),
  },
];
