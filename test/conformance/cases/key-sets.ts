import { endpoint, oidcError, part } from "../deviations.js";
import { signatureOf, signingKey } from "../keys.js";
import { honestly, html, inSequence, json, padded, redirect, status, text } from "../responses.js";
import { loginRows, type Deviation } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, OWASP_RESOURCE_CONSUMPTION, oidcc, openid, rfc } from "../sources.js";

const UNVERIFIED = { refused: oidcError("InvalidIdToken", "id_token_signature"), reaches: "token" } as const;
const OUT_OF_REACH = { refused: oidcError("InvalidIdToken", "keys_unavailable"), reaches: "token" } as const;

const OWN = await signingKey("RS256");
const NEXT = await signingKey("RS256", "next");
const CURVE_256 = await signingKey("ES256", "next");
const CURVE_384 = await signingKey("ES384");

const keySet = part("keys");
const keysResponse = endpoint("keys");

/** The token is signed by a new key. */
const ROTATED: Deviation = { signedBy: () => signingKey("RS256", "next") };

/** The first key of the set has these members. */
const withMembers = (members: object): Deviation => keySet(([key]) => [{ ...key, ...members }]);

/** The key set of a provider: JSON Web Key, and its rotation. */
export const KEY_SETS = [
  ...loginRows(UNVERIFIED, [
    [
      "keys-kid-absent-and-several-fit",
      oidcc("kid-absent-multiple-jwks", "Signing"),
      { header: { kid: undefined }, keys: (keys) => [...keys, NEXT.jwk] },
      // oidcc-client-test-kid-absent-single-jwks
      { header: { kid: undefined }, keys: (keys) => [...keys, CURVE_384.jwk] },
    ],
    [
      "keys-kid-absent-and-another-without-alg",
      oidcc("kid-absent-multiple-jwks", "Signing"),
      { header: { kid: undefined }, keys: (keys) => [...keys, { ...NEXT.jwk, alg: undefined }] },
      { header: { kid: undefined }, keys: (keys) => [...keys, { ...CURVE_384.jwk, alg: undefined }] },
    ],
    [
      "keys-kid-absent-and-another-of-the-curve",
      oidcc("kid-absent-multiple-jwks", "Signing"),
      { signedBy: "ES256", header: { kid: undefined }, keys: (keys) => [...keys, { ...CURVE_256.jwk, alg: undefined }] },
      { signedBy: "ES256", header: { kid: undefined }, keys: (keys) => [...keys, { ...CURVE_384.jwk, alg: undefined }] },
    ],
    [
      "keys-kid-absent-and-another-for-the-algorithm",
      rfc(7517, "4.4"),
      { header: { kid: undefined }, keys: (keys) => [...keys, { ...NEXT.jwk, alg: "RS256" }] },
      { header: { kid: undefined }, keys: (keys) => [...keys, { ...NEXT.jwk, alg: "RS512" }] },
    ],
    {
      id: "keys-kid-unknown",
      reason: /no applicable keys/,
      source: rfc(7515, "4.1.4"),
      deviation: { header: { kid: "nobody" } },
      control: { header: { kid: undefined } },
    },
    ["keys-kid-of-another-key", rfc(7515, "4.1.4"), { header: { kid: NEXT.kid }, keys: (keys) => [...keys, NEXT.jwk] }, keySet((keys) => [...keys, NEXT.jwk])],
    ["keys-kid-a-number", rfc(7515, "4.1.4"), { header: { kid: 1 }, ...withMembers({ kid: "1" }) }, { header: { kid: "1" }, ...withMembers({ kid: "1" }) }],
    [
      "keys-kid-twice",
      rfc(7517, "4.5"),
      keySet((keys) => [{ ...NEXT.jwk, kid: OWN.kid }, ...keys]),
      // Keys of different types may have the same ID.
      keySet((keys) => [{ ...CURVE_384.jwk, kid: OWN.kid }, ...keys]),
    ],
    [
      "keys-of-another-curve",
      rfc(7518, "3.4"),
      { signedBy: "ES384", header: { alg: "ES256" }, ...withMembers({ alg: undefined }) },
      { signedBy: "ES384", ...withMembers({ alg: undefined }) },
    ],
    ["keys-of-another-kind", rfc(8725, "3.1"), { header: { alg: "ES256" }, ...withMembers({ alg: "ES256" }) }, { signedBy: "ES256" }],
    ["keys-of-another-algorithm", rfc(7517, "4.4"), withMembers({ alg: "RS512" }), withMembers({ alg: undefined })],
    ["keys-for-encryption", rfc(7517, "4.2"), withMembers({ use: "enc" }), withMembers({ use: undefined })],
    [
      "keys-not-for-verification",
      rfc(7517, "4.3"),
      withMembers({ use: undefined, key_ops: ["encrypt", "wrapKey"] }),
      withMembers({ use: undefined, key_ops: ["verify"] }),
    ],
    ["keys-operations-not-a-list", rfc(7517, "4.3"), withMembers({ key_ops: 1 }), keySet((keys) => [{ ...CURVE_384.jwk, kty: "RSA", key_ops: {} }, ...keys])],
    ["keys-without-a-modulus", rfc(7518, "6.3.1"), withMembers({ n: undefined })],
  ]),
  ...loginRows({ ...UNVERIFIED, deviationOf: keySet }, [
    ["keys-with-private-members", rfc(7517, "9.3"), () => [OWN.privateJwk], () => [OWN.jwk]],
    [
      "keys-symmetric",
      rfc(7518, "6.4"),
      () => [{ kty: "oct", k: "c2VjcmV0", kid: OWN.kid, alg: "RS256" }],
      (keys) => [{ kty: "oct", k: "c2VjcmV0", kid: "secret" }, ...keys],
    ],
    [
      "keys-unreadable",
      rfc(7517, "5", "oidcc-client-test-ignores-unparseable-key-in-jwks"),
      () => [{ kty: "AKP", alg: "ML-DSA-99", pub: "AA", kid: OWN.kid }],
      (keys) => [{ kty: "AKP", alg: "ML-DSA-99", pub: "AA", kid: "later" }, { kty: "never-heard-of", kid: "strange" }, ...keys],
    ],
    // oidcc-client-test-signing-key-rotation-just-before-signing
    ["keys-none", rfc(7517, "5.1"), () => [], (keys, nth) => (nth === 1 ? [] : keys)],
    {
      id: "keys-rotated-and-never-published",
      source: oidcc("signing-key-rotation-just-before-signing", "RotateSigKeys"),
      deviation: { ...ROTATED, keys: () => [OWN.jwk] },
      control: { ...ROTATED, keys: (keys, nth) => (nth === 1 ? [OWN.jwk] : keys) },
    },
    {
      id: "keys-rotated-old-one-still-used",
      source: oidcc("signing-key-rotation", "RotateSigKeys"),
      deviation: { keys: () => [NEXT.jwk], signature: (input) => signatureOf(input, OWN) },
      // During a rotation, the provider publishes both keys.
      control: { keys: (keys) => [NEXT.jwk, ...keys] },
    },
    {
      id: "keys-redirect-to-another-issuer",
      source: rfc(9700, "4.11.2"),
      deviation: { ...keysResponse(redirect(302, ({ other }) => `${other.origin}/keys`)), other: { keys: () => [{ ...NEXT.jwk, kid: OWN.kid }] } },
      control: keysResponse(
        inSequence(
          redirect(302, ({ idp }) => `${idp.origin}/keys`),
          honestly,
        ),
      ),
    },
  ]),
  ...loginRows({ ...OUT_OF_REACH, deviationOf: keysResponse }, [
    ["keys-a-web-page", rfc(7517, "5"), html(), inSequence(html(), honestly)],
    ["keys-a-bare-list", rfc(7517, "5"), json([OWN.jwk]), json({ keys: [OWN.jwk], extra: [1] })],
    [
      "keys-of-a-prototype",
      OWASP_PROTOTYPE_POLLUTION,
      text(JSON.stringify({ ["__proto__"]: { keys: [OWN.jwk] } })),
      json({ keys: [OWN.jwk], ["__proto__"]: { keys: [] } }),
    ],
    ["keys-of-more-than-a-megabyte", OWASP_RESOURCE_CONSUMPTION, padded(2 << 20), padded(1 << 19)],
    { id: "keys-an-object", source: rfc(7517, "5.1"), deviation: keySet(([key]) => ({ [OWN.kid]: key })) },
    {
      id: "keys-server-error-until-the-next-sign-in",
      source: openid("Core 10.1.1", "RotateSigKeys"),
      deviation: keysResponse(status(503), { tries: 3 }),
      // Each try requests the keys twice.
      control: keysResponse(inSequence(status(503), status(503), status(503), status(503), honestly), { tries: 3 }),
    },
  ]),
];
