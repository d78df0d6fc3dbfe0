import { base64url } from "jose";
import type { Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { openid, rfc } from "../sources.js";
import { hmacOf, shortKey, signatureOf, signingKey } from "../keys.js";

const INVALID = { message: "InvalidIdToken", code: "id_token_invalid" } as const;
const UNVERIFIED = { message: "InvalidIdToken", code: "id_token_signature" } as const;

const OWN = await signingKey("RS256");
const STRANGE = await signingKey("RS256", "strange");

/** Signed by a key that the provider does not publish, under the name of the one that it does. */
const FORGED: Deviation = {
  signature: (input) => signatureOf(input, STRANGE),
};

/** An ECDSA signature as other formats have it: a sequence of two integers. */
function derOf(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2;
  const integers = [signature.subarray(0, half), signature.subarray(half)].flatMap((bytes) => {
    const digits = [...bytes].slice(bytes.findIndex((byte) => byte !== 0));
    const signed = (digits[0] ?? 0) > 127 ? [0, ...digits] : digits;
    return [2, signed.length, ...signed];
  });
  return Uint8Array.of(0x30, integers.length, ...integers);
}

const unsigned = (alg: unknown, listed: readonly string[] = ["RS256"]): Deviation => ({
  metadata: { id_token_signing_alg_values_supported: listed },
  header: { alg, kid: undefined },
  signature: async () => new Uint8Array(),
});

/** An ID token's header and signature: JSON Web Signature, and what is known of attacks on it. */
export const SIGNATURES = loginRows({ refused: INVALID, reaches: "token" }, [
  {
    id: "signature-wrong-rs256",
    source: openid("oidcc-client-test-invalid-sig-rs256", "IDTokenValidation"),
    deviation: FORGED,
    refused: UNVERIFIED,
    // oidcc-client-test-idtoken-sig-rs256
    control: { signedBy: "RS256" },
  },
  {
    id: "signature-wrong-es256",
    source: openid("oidcc-client-test-invalid-sig-es256", "IDTokenValidation"),
    deviation: {
      signedBy: "ES256",
      signature: async (input) => signatureOf(input, await signingKey("ES256", "strange")),
    },
    refused: UNVERIFIED,
    control: { signedBy: "ES256" },
  },
  {
    id: "signature-wrong-ps256",
    source: rfc(7518, "3.5"),
    deviation: {
      signedBy: "PS256",
      signature: async (input) => signatureOf(input, await signingKey("PS256", "strange")),
    },
    refused: UNVERIFIED,
    control: { signedBy: "PS256" },
  },
  {
    id: "signature-wrong-eddsa",
    source: rfc(8037, "3.1"),
    deviation: {
      signedBy: "EdDSA",
      signature: async (input) => signatureOf(input, await signingKey("EdDSA", "strange")),
    },
    refused: UNVERIFIED,
    control: { signedBy: "EdDSA" },
  },
  {
    id: "signature-empty",
    source: rfc(7515, "5.2"),
    deviation: { signature: async () => new Uint8Array() },
    refused: UNVERIFIED,
  },
  {
    id: "signature-cut-short",
    source: rfc(7515, "5.2"),
    deviation: { signature: async (input, key) => (await signatureOf(input, key)).subarray(1) },
    refused: UNVERIFIED,
    control: { signedBy: "RS512" },
  },
  {
    id: "signature-of-zeros",
    source:
      "RFC 7518 section 3.4, CVE-2022-21449, https://www.rfc-editor.org/rfc/rfc7518#section-3.4",
    deviation: { signedBy: "ES256", signature: async () => new Uint8Array(64) },
    refused: UNVERIFIED,
    control: { signedBy: "ES256" },
  },
  {
    id: "signature-ecdsa-in-der",
    source: rfc(7518, "3.4"),
    deviation: {
      signedBy: "ES256",
      signature: async (input, key) => derOf(await signatureOf(input, key)),
    },
    refused: UNVERIFIED,
    control: { signedBy: "ES384" },
  },
  {
    id: "signature-over-other-claims",
    source: rfc(7515, "5.2"),
    deviation: {
      signature: (input, key) => signatureOf(`${input.slice(0, input.indexOf("."))}.e30`, key),
    },
    refused: UNVERIFIED,
  },
  {
    id: "alg-none",
    source: openid("oidcc-client-test-idtoken-sig-none", "IDTokenValidation"),
    deviation: unsigned("none"),
    control: { metadata: { id_token_signing_alg_values_supported: ["RS256", "none"] } },
  },
  {
    id: "alg-none-where-the-provider-lists-it",
    source:
      "fapi2-security-profile-final-client-test-invalid-null-alg, https://www.rfc-editor.org/rfc/rfc8725#section-3.2",
    deviation: unsigned("none", ["RS256", "none"]),
    control: { metadata: { id_token_signing_alg_values_supported: ["RS256", "none"] } },
  },
  {
    id: "alg-none-in-capitals",
    source: rfc(8725, "2.1"),
    deviation: unsigned("nOnE", ["RS256", "nOnE"]),
    control: { metadata: { id_token_signing_alg_values_supported: ["RS256", "nOnE"] } },
  },
  {
    id: "alg-missing",
    source: rfc(7515, "4.1.1"),
    deviation: { header: { alg: undefined } },
    control: { header: { typ: "JWT" } },
  },
  { id: "alg-a-list", source: rfc(7515, "4.1.1"), deviation: { header: { alg: ["RS256"] } } },
  {
    id: "alg-hs256-with-the-public-key-as-secret",
    source:
      "oidcc-client-test-invalid-sig-hs256, https://www.rfc-editor.org/rfc/rfc8725#section-2.1",
    deviation: {
      metadata: { id_token_signing_alg_values_supported: ["RS256", "HS256"] },
      header: { alg: "HS256" },
      signature: (input) => hmacOf(input, JSON.stringify(OWN.jwk)),
    },
    control: { metadata: { id_token_signing_alg_values_supported: ["RS256", "HS256"] } },
  },
  {
    id: "alg-hs256-with-the-client-id-as-secret",
    source: openid("Core 3.1.3.7 item 8", "IDTokenValidation"),
    deviation: {
      login: { clientId: "known-to-all" },
      metadata: { id_token_signing_alg_values_supported: ["HS256"] },
      header: { alg: "HS256", kid: undefined },
      signature: (input) => hmacOf(input, "known-to-all"),
      keys: () => [{ kty: "oct", k: base64url.encode("known-to-all") }],
    },
    control: { login: { clientId: "known-to-all" } },
  },
  {
    id: "alg-that-the-provider-does-not-list",
    source:
      "fapi2-security-profile-final-client-test-invalid-alternate-alg, https://www.rfc-editor.org/rfc/rfc8725#section-3.1",
    deviation: {
      signedBy: "ES256",
      metadata: { id_token_signing_alg_values_supported: ["RS256", "PS256"] },
    },
    control: { signedBy: "ES256", metadata: { id_token_signing_alg_values_supported: ["ES256"] } },
  },
  {
    id: "alg-other-than-the-default",
    source: openid("Core 3.1.3.7 item 7", "IDTokenValidation"),
    deviation: {
      signedBy: "ES256",
      metadata: { id_token_signing_alg_values_supported: undefined },
    },
    control: { metadata: { id_token_signing_alg_values_supported: undefined } },
  },
  {
    id: "alg-of-the-other-rsa-padding",
    source: rfc(7518, "3.5"),
    deviation: { header: { alg: "PS256" }, keys: ([key]) => [{ ...key, alg: undefined }] },
    refused: UNVERIFIED,
    control: { keys: ([key]) => [{ ...key, alg: undefined }] },
  },
  {
    id: "header-no-json",
    source: "RFC 7515 section 5.2 item 3, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
    deviation: { idToken: (compact) => compact.replace(/^[^.]+/, "e30x") },
    control: { header: { typ: "JWT", cty: "JWT" } },
  },
  {
    id: "header-critical-and-unknown",
    source: rfc(7515, "4.1.11"),
    deviation: { header: { crit: ["exp"], exp: 1 } },
    control: { header: { exp: 1 } },
  },
  {
    id: "header-with-an-unencoded-payload",
    source: rfc(7797, "6"),
    deviation: { header: { crit: ["b64"], b64: false } },
  },
  {
    id: "header-critical-and-empty",
    source: rfc(7515, "4.1.11"),
    deviation: { header: { crit: [] } },
  },
  {
    id: "header-brings-its-own-key",
    source:
      "RFC 7515 section 4.1.3, CVE-2018-0114, https://www.rfc-editor.org/rfc/rfc8725#section-2.1",
    deviation: { ...FORGED, header: { jwk: STRANGE.jwk } },
    refused: UNVERIFIED,
    control: { header: { jwk: OWN.jwk } },
  },
  {
    id: "header-names-another-key-set",
    source: rfc(8725, "3.10"),
    deviation: {
      ...FORGED,
      header: ({ other }) => ({ jku: `${other.origin}/keys` }),
      other: { keys: () => [{ ...STRANGE.jwk, kid: OWN.kid }] },
    },
    refused: UNVERIFIED,
    otherIsAsked: false,
    control: { header: ({ idp }) => ({ jku: `${idp.origin}/keys` }) },
  },
  {
    id: "header-names-another-certificate",
    source:
      "RFC 7515 section 4.1.5 and 4.1.6, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.5",
    deviation: {
      ...FORGED,
      header: ({ other }) => ({ x5u: `${other.origin}/chain.pem`, x5c: ["MIIB"] }),
    },
    refused: UNVERIFIED,
    otherIsAsked: false,
    control: { header: { x5t: "AAAA" } },
  },
  {
    id: "key-too-short",
    source: rfc(7518, "3.3"),
    deviation: { signedBy: shortKey },
    control: { signedBy: "RS256" },
  },
]);
