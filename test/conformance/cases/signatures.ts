import { base64url } from "jose";
import { member, oidcError } from "../deviations.js";
import { hmacOf, shortKey, signatureOf, signingKey, type Algorithm } from "../keys.js";
import { loginRows, type Deviation, type Members, type Row } from "../row.js";
import { oidcc, openid, rfc } from "../sources.js";

const INVALID = { refused: oidcError("InvalidIdToken", "id_token_invalid"), reaches: "token" } as const;
const UNVERIFIED = { refused: oidcError("InvalidIdToken", "id_token_signature"), reaches: "token" } as const;

const OWN = await signingKey("RS256");
const STRANGE = await signingKey("RS256", "strange");

/** Signed by an unpublished key, with the key ID of the published one. */
const FORGED: Deviation = { signature: (input) => signatureOf(input, STRANGE) };

/** An ECDSA signature in DER: a sequence of two integers. */
function derOf(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2;
  const integers = [signature.subarray(0, half), signature.subarray(half)].flatMap((bytes) => {
    const digits = [...bytes].slice(bytes.findIndex((byte) => byte !== 0));
    const signed = (digits[0] ?? 0) > 127 ? [0, ...digits] : digits;
    return [2, signed.length, ...signed];
  });
  return Uint8Array.of(0x30, integers.length, ...integers);
}

/** The algorithms that the provider lists. */
const listed = member("metadata", "id_token_signing_alg_values_supported");

const unsigned = (alg: unknown, ...algorithms: readonly string[]): Deviation => ({
  ...listed(algorithms),
  header: { alg, kid: undefined },
  signature: async () => new Uint8Array(),
});

/** An algorithm that only the provider knows. */
const unknown = (alg: string): Deviation => ({ ...listed([alg]), header: { alg }, keys: ([key]) => [{ ...key, alg: undefined }] });

const header = (members: Members): Deviation => ({ header: members });

/** The signing input without claims that are null. */
const withoutNull = (input: string): string =>
  input.replace(/[^.]+$/, (encoded) => {
    const claims = JSON.parse(new TextDecoder().decode(base64url.decode(encoded))) as Members;
    const set = Object.entries(claims).filter(([, value]) => value !== null);
    return base64url.encode(JSON.stringify(Object.fromEntries(set)));
  });

/** The signing input with a header that is not UTF-8. */
const withLatin1Header = (input: string): string =>
  input.replace(/^[^.]+/, (encoded) => {
    const json = new TextDecoder().decode(base64url.decode(encoded));
    const odd = json.replace("{", '{"name":"Zo\u00EB",');
    return base64url.encode(Uint8Array.from(odd, (character) => character.charCodeAt(0)));
  });

/** Signed by another key of the provider's key type. */
const forged = (signedBy: Algorithm, source: string): Row => ({
  ...UNVERIFIED,
  id: `signature-wrong-${signedBy.toLowerCase()}`,
  source,
  deviation: { signedBy, signature: async (input) => signatureOf(input, await signingKey(signedBy, "strange")) },
  control: { signedBy },
});

/** An ID token's header and signature: JSON Web Signature, and known attacks on it. */
export const SIGNATURES = [
  // oidcc-client-test-idtoken-sig-rs256 is the first one's control.
  forged("RS256", oidcc("invalid-sig-rs256")),
  forged("ES256", oidcc("invalid-sig-es256")),
  forged("PS256", rfc(7518, "3.5")),
  forged("ES512", rfc(7518, "3.4")),
  forged("EdDSA", rfc(8037, "3.1")),
  forged("Ed25519", rfc(9864, "2.2")),
  ...loginRows(UNVERIFIED, [
    ["signature-forged-over-claims-that-are-not-set", rfc(7515, "5.2"), { ...FORGED, claims: { nbf: null } }, { claims: { nbf: null } }],
    [
      "signature-of-the-claims-without-those-that-are-not-set",
      rfc(7515, "5.2"),
      { claims: { nbf: null }, signature: (input, key) => signatureOf(withoutNull(input), key) },
      { claims: { auth_time: "" } },
    ],
    ["key-too-short", rfc(7518, "3.3"), { signedBy: shortKey }, { signedBy: "RS256" }],
    ["signature-empty", rfc(7515, "5.2"), { signature: async () => new Uint8Array() }],
    ["signature-cut-short", rfc(7515, "5.2"), { signature: async (input, key) => (await signatureOf(input, key)).subarray(1) }, { signedBy: "RS512" }],
    [
      "signature-of-zeros",
      rfc(7518, "3.4", "RFC 7518 section 3.4, CVE-2022-21449"),
      { signedBy: "ES256", signature: async () => new Uint8Array(64) },
      { signedBy: "ES256" },
    ],
    [
      "signature-ecdsa-in-der",
      rfc(7518, "3.4"),
      { signedBy: "ES256", signature: async (input, key) => derOf(await signatureOf(input, key)) },
      { signedBy: "ES384" },
    ],
    ["signature-over-other-claims", rfc(7515, "5.2"), { signature: (input, key) => signatureOf(`${input.slice(0, input.indexOf("."))}.e30`, key) }],
    [
      "alg-of-the-other-rsa-padding",
      rfc(7518, "3.5"),
      { header: { alg: "PS256" }, keys: ([key]) => [{ ...key, alg: undefined }] },
      { keys: ([key]) => [{ ...key, alg: undefined }] },
    ],
    [
      "header-with-an-embedded-key",
      rfc(8725, "2.1", "RFC 7515 section 4.1.3, CVE-2018-0114"),
      { ...FORGED, header: { jwk: STRANGE.jwk } },
      { header: { jwk: OWN.jwk } },
    ],
    {
      id: "header-names-another-key-set",
      source: rfc(8725, "3.10"),
      deviation: { ...FORGED, header: ({ other }) => ({ jku: `${other.origin}/keys` }), other: { keys: () => [{ ...STRANGE.jwk, kid: OWN.kid }] } },
      otherIsAsked: false,
      control: { header: ({ idp }) => ({ jku: `${idp.origin}/keys` }) },
    },
    {
      id: "header-names-another-certificate",
      source: rfc(7515, "4.1.5", "RFC 7515 section 4.1.5 and 4.1.6"),
      deviation: { ...FORGED, header: ({ other }) => ({ x5u: `${other.origin}/chain.pem`, x5c: ["MIIB"] }) },
      otherIsAsked: false,
      control: { header: { x5t: "AAAA" } },
    },
  ]),
  ...loginRows(INVALID, [
    ["alg-none", oidcc("idtoken-sig-none"), unsigned("none", "RS256"), listed(["RS256", "none"])],
    [
      "alg-none-that-the-provider-lists",
      rfc(8725, "3.2", "fapi2-security-profile-final-client-test-invalid-null-alg"),
      unsigned("none", "RS256", "none"),
      listed(["RS256", "none"]),
    ],
    ["alg-none-in-capitals", rfc(8725, "2.1"), unsigned("nOnE", "RS256", "nOnE"), listed(["RS256", "nOnE"])],
    [
      "alg-hs256-with-the-public-key-as-secret",
      rfc(8725, "2.1", "oidcc-client-test-invalid-sig-hs256"),
      { ...listed(["RS256", "HS256"]), header: { alg: "HS256" }, signature: (input) => hmacOf(input, JSON.stringify(OWN.jwk)) },
      listed(["RS256", "HS256"]),
    ],
    [
      "alg-hs256-with-the-client-id-as-secret",
      openid("Core 3.1.3.7 item 8", "IDTokenValidation"),
      {
        login: { clientId: "known-to-all" },
        ...listed(["HS256"]),
        header: { alg: "HS256", kid: undefined },
        signature: (input) => hmacOf(input, "known-to-all"),
        keys: () => [{ kty: "oct", k: base64url.encode("known-to-all") }],
      },
      { login: { clientId: "known-to-all" } },
    ],
    [
      "alg-that-the-provider-does-not-list",
      rfc(8725, "3.1", "fapi2-security-profile-final-client-test-invalid-alternate-alg"),
      { signedBy: "ES256", ...listed(["RS256", "PS256"]) },
      { signedBy: "ES256", ...listed(["ES256"]) },
    ],
    ["alg-other-than-the-default", openid("Core 3.1.3.7 item 7", "IDTokenValidation"), { signedBy: "ES256", ...listed(undefined) }, listed(undefined)],
    ["alg-ends-like-a-known-one", rfc(8725, "3.1"), unknown("xRS256"), listed(["RS256"])],
    ["alg-begins-like-a-known-one", rfc(8725, "3.1"), unknown("RS256x"), listed(["RS256"])],
    [
      "header-not-json",
      "RFC 7515 section 5.2 item 3, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
      { idToken: (compact) => compact.replace(/^[^.]+/, "e30x") },
      header({ typ: "JWT", cty: "JWT" }),
    ],
    [
      "header-in-latin-1",
      rfc(7515, "4"),
      { signature: (input, key) => signatureOf(withLatin1Header(input), key), idToken: withLatin1Header },
      header({ name: "Zoë" }),
    ],
  ]),
  ...loginRows({ ...INVALID, deviationOf: header }, [
    {
      id: "alg-missing",
      reason: "The header contains no alg",
      source: rfc(7515, "4.1.1"),
      deviation: { header: { alg: undefined } },
      control: { header: { typ: "JWT" } },
    },
    ["alg-a-list", rfc(7515, "4.1.1"), { alg: ["RS256"] }],
    ["alg-an-object", rfc(7515, "4.1.1"), { alg: { toString: null } }],
    {
      id: "header-critical-and-unknown",
      reason: /"crit"/,
      source: rfc(7515, "4.1.11"),
      deviation: { header: { crit: ["exp"], exp: 1 } },
      control: { header: { exp: 1 } },
    },
    ["header-with-an-unencoded-payload", rfc(7797, "6"), { crit: ["b64"], b64: false }],
    ["header-critical-and-empty", rfc(7515, "4.1.11"), { crit: [] }],
  ]),
];
