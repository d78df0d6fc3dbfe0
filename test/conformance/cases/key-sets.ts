import {
  endless,
  honestly,
  html,
  inSequence,
  json,
  late,
  never,
  padded,
  redirect,
  status,
  text,
  unreadable,
} from "../responses.js";
import type { Responder, Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { FETCH_CORS, OWASP_PROTOTYPE_POLLUTION, openid, rfc } from "../sources.js";
import { signatureOf, signingKey } from "../keys.js";

const UNVERIFIED = { message: "InvalidIdToken", code: "id_token_signature" } as const;
const OUT_OF_REACH = { message: "InvalidIdToken", code: "keys_unavailable" } as const;

const OWN = await signingKey("RS256");
const NEXT = await signingKey("RS256", "next");
const CURVE_384 = await signingKey("ES384");

const keysResponse = (respond: Responder): Deviation => ({ endpoints: { keys: respond } });

/** A token by a key that was made a moment ago. */
const ROTATED: Deviation = { signedBy: () => signingKey("RS256", "next") };

/** The key set of a provider: JSON Web Key, its rotation and its failures. */
export const KEY_SETS = loginRows({ refused: UNVERIFIED, reaches: "token" }, [
  {
    id: "keys-kid-absent-and-several-fit",
    source: openid("oidcc-client-test-kid-absent-multiple-jwks", "Signing"),
    deviation: { header: { kid: undefined }, keys: (keys) => [...keys, NEXT.jwk] },
    // oidcc-client-test-kid-absent-single-jwks
    control: { header: { kid: undefined }, keys: (keys) => [...keys, CURVE_384.jwk] },
  },
  {
    id: "keys-kid-unknown",
    source: rfc(7515, "4.1.4"),
    deviation: { header: { kid: "nobody" } },
    control: { header: { kid: undefined } },
  },
  {
    id: "keys-kid-of-another-key",
    source: rfc(7515, "4.1.4"),
    deviation: { header: { kid: NEXT.kid }, keys: (keys) => [...keys, NEXT.jwk] },
    control: { keys: (keys) => [...keys, NEXT.jwk] },
  },
  {
    id: "keys-kid-a-number",
    source: rfc(7515, "4.1.4"),
    deviation: { header: { kid: 1 }, keys: ([key]) => [{ ...key, kid: "1" }] },
    control: { header: { kid: "1" }, keys: ([key]) => [{ ...key, kid: "1" }] },
  },
  {
    id: "keys-kid-twice",
    source: rfc(7517, "4.5"),
    deviation: { keys: (keys) => [{ ...NEXT.jwk, kid: OWN.kid }, ...keys] },
    // Keys of different kinds may have one name.
    control: { keys: (keys) => [{ ...CURVE_384.jwk, kid: OWN.kid }, ...keys] },
  },
  {
    id: "keys-of-another-curve",
    source: rfc(7518, "3.4"),
    deviation: {
      signedBy: "ES384",
      header: { alg: "ES256" },
      keys: ([key]) => [{ ...key, alg: undefined }],
    },
    control: { signedBy: "ES384", keys: ([key]) => [{ ...key, alg: undefined }] },
  },
  {
    id: "keys-of-another-kind",
    source: rfc(8725, "3.1"),
    deviation: { header: { alg: "ES256" }, keys: ([key]) => [{ ...key, alg: "ES256" }] },
    control: { signedBy: "ES256" },
  },
  {
    id: "keys-of-another-algorithm",
    source: rfc(7517, "4.4"),
    deviation: { keys: ([key]) => [{ ...key, alg: "RS512" }] },
    control: { keys: ([key]) => [{ ...key, alg: undefined }] },
  },
  {
    id: "keys-for-encryption",
    source: rfc(7517, "4.2"),
    deviation: { keys: ([key]) => [{ ...key, use: "enc" }] },
    control: { keys: ([key]) => [{ ...key, use: undefined }] },
  },
  {
    id: "keys-that-may-not-verify",
    source: rfc(7517, "4.3"),
    deviation: { keys: ([key]) => [{ ...key, use: undefined, key_ops: ["encrypt", "wrapKey"] }] },
    control: { keys: ([key]) => [{ ...key, use: undefined, key_ops: ["verify"] }] },
  },
  {
    id: "keys-with-their-private-half",
    source: rfc(7517, "9.3"),
    deviation: { keys: () => [OWN.privateJwk] },
    control: { keys: () => [OWN.jwk] },
  },
  {
    id: "keys-symmetric",
    source: rfc(7518, "6.4"),
    deviation: { keys: () => [{ kty: "oct", k: "c2VjcmV0", kid: OWN.kid, alg: "RS256" }] },
    control: { keys: (keys) => [{ kty: "oct", k: "c2VjcmV0", kid: "secret" }, ...keys] },
  },
  {
    id: "keys-nobody-can-read",
    source:
      "oidcc-client-test-ignores-unparseable-key-in-jwks, https://www.rfc-editor.org/rfc/rfc7517#section-5",
    deviation: { keys: () => [{ kty: "AKP", alg: "ML-DSA-99", pub: "AA", kid: OWN.kid }] },
    control: {
      keys: (keys) => [
        { kty: "AKP", alg: "ML-DSA-99", pub: "AA", kid: "later" },
        { kty: "never-heard-of", kid: "strange" },
        ...keys,
      ],
    },
  },
  {
    id: "keys-without-a-modulus",
    source: rfc(7518, "6.3.1"),
    deviation: { keys: ([key]) => [{ ...key, n: undefined }] },
  },
  {
    id: "keys-none",
    source: rfc(7517, "5.1"),
    deviation: { keys: () => [] },
    // oidcc-client-test-signing-key-rotation-just-before-signing
    control: { keys: (keys, nth) => (nth === 1 ? [] : keys) },
  },
  {
    id: "keys-rotated-and-never-published",
    source: openid("oidcc-client-test-signing-key-rotation-just-before-signing", "RotateSigKeys"),
    deviation: { ...ROTATED, keys: () => [OWN.jwk] },
    control: { ...ROTATED, keys: (keys, nth) => (nth === 1 ? [OWN.jwk] : keys) },
  },
  {
    id: "keys-rotated-and-the-old-one-used-on",
    source: openid("oidcc-client-test-signing-key-rotation", "RotateSigKeys"),
    deviation: { keys: () => [NEXT.jwk], signature: (input) => signatureOf(input, OWN) },
    // For a while a provider publishes both.
    control: { keys: (keys) => [NEXT.jwk, ...keys] },
  },
  {
    id: "keys-a-failure-of-the-server",
    source: openid("Core 10.1.1", "RotateSigKeys"),
    deviation: keysResponse(status(500)),
    refused: OUT_OF_REACH,
    control: keysResponse(inSequence(status(500), honestly)),
  },
  {
    id: "keys-a-failure-of-the-server-until-the-login-is-tried-again",
    source: openid("Core 10.1.1", "RotateSigKeys"),
    deviation: { ...keysResponse(status(503)), login: { tries: 2 } },
    refused: OUT_OF_REACH,
    control: {
      ...keysResponse(inSequence(status(503), status(503), honestly)),
      login: { tries: 2 },
    },
  },
  {
    id: "keys-not-found",
    source: rfc(8414, "2"),
    deviation: keysResponse(status(404)),
    refused: OUT_OF_REACH,
    control: { metadata: { jwks_uri: undefined } },
  },
  {
    id: "keys-a-web-page",
    source: rfc(7517, "5"),
    deviation: keysResponse(html()),
    refused: OUT_OF_REACH,
    control: keysResponse(inSequence(html(), honestly)),
  },
  {
    id: "keys-a-bare-list",
    source: rfc(7517, "5"),
    deviation: keysResponse(json([OWN.jwk])),
    refused: OUT_OF_REACH,
    control: keysResponse(json({ keys: [OWN.jwk], extra: [1] })),
  },
  {
    id: "keys-an-object",
    source: rfc(7517, "5.1"),
    deviation: { keys: ([key]) => ({ [OWN.kid]: key }) },
    refused: OUT_OF_REACH,
  },
  {
    id: "keys-of-a-prototype",
    source: OWASP_PROTOTYPE_POLLUTION,
    deviation: keysResponse(text(JSON.stringify({ ["__proto__"]: { keys: [OWN.jwk] } }))),
    refused: OUT_OF_REACH,
    control: keysResponse(json({ keys: [OWN.jwk], ["__proto__"]: { keys: [] } })),
  },
  {
    id: "keys-of-more-than-a-megabyte",
    source:
      "OWASP API4 unrestricted resource consumption, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    deviation: keysResponse(padded(2 << 20)),
    refused: OUT_OF_REACH,
    control: keysResponse(padded(1 << 19)),
  },
  {
    id: "keys-without-end",
    source:
      "OWASP API4 unrestricted resource consumption, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    deviation: { ...keysResponse(endless), login: { timeoutMs: 1500 } },
    refused: OUT_OF_REACH,
    control: keysResponse(late),
  },
  {
    id: "keys-without-response",
    source:
      "OWASP API10 unsafe consumption of APIs, https://owasp.org/API-Security/editions/2023/en/0xaa-unsafe-consumption-of-apis/",
    deviation: { ...keysResponse(never), login: { timeoutMs: 1500 } },
    refused: OUT_OF_REACH,
    control: keysResponse(late),
  },
  {
    id: "keys-that-no-page-may-read",
    source: FETCH_CORS,
    deviation: keysResponse(unreadable),
    refused: OUT_OF_REACH,
  },
  {
    id: "keys-redirected-to-those-of-another",
    source: rfc(9700, "4.11.2"),
    deviation: {
      ...keysResponse(redirect(302, ({ other }) => `${other.origin}/keys`)),
      other: { keys: () => [{ ...NEXT.jwk, kid: OWN.kid }] },
    },
    control: keysResponse(
      inSequence(
        redirect(302, ({ idp }) => `${idp.origin}/keys`),
        honestly,
      ),
    ),
  },
]);
