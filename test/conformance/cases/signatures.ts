import assert from "node:assert/strict";
import { KeyObject, sign } from "node:crypto";
import type { Bend, Row } from "../bend.js";
import { hmacOf, shortKey, signatureOf, signingKey } from "../keys.js";

const INVALID = { message: "InvalidIdToken", code: "id_token_invalid" } as const;
const UNVERIFIED = { message: "InvalidIdToken", code: "id_token_signature" } as const;

const OWN = await signingKey("RS256");
const STRANGE = await signingKey("RS256", "strange");

/** Signed by a key that the provider does not publish, under the name of the one that it does. */
const FORGED: Bend = {
  signature: (input) => signatureOf(input, STRANGE),
};

const unsigned = (alg: unknown, listed: readonly string[] = ["RS256"]): Bend => ({
  metadata: { id_token_signing_alg_values_supported: listed },
  header: { alg, kid: undefined },
  signature: async () => Buffer.alloc(0),
});

const nobodyElseAsked: Row["also"] = ({ world }) =>
  assert.ok(world.requests.every(({ to }) => to !== "other"));

/** An ID token's header and signature: JSON Web Signature, and what is known of attacks on it. */
export const SIGNATURES: readonly Row[] = [
  {
    id: "signature-wrong-rs256",
    source:
      "oidcc-client-test-invalid-sig-rs256, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: FORGED,
    refused: UNVERIFIED,
    reaches: "token",
    // oidcc-client-test-idtoken-sig-rs256
    twin: { signedBy: "RS256" },
  },
  {
    id: "signature-wrong-es256",
    source:
      "oidcc-client-test-invalid-sig-es256, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: {
      signedBy: "ES256",
      signature: async (input) => signatureOf(input, await signingKey("ES256", "strange")),
    },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { signedBy: "ES256" },
  },
  {
    id: "signature-wrong-ps256",
    source: "RFC 7518 section 3.5, https://www.rfc-editor.org/rfc/rfc7518#section-3.5",
    bent: {
      signedBy: "PS256",
      signature: async (input) => signatureOf(input, await signingKey("PS256", "strange")),
    },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { signedBy: "PS256" },
  },
  {
    id: "signature-wrong-eddsa",
    source: "RFC 8037 section 3.1, https://www.rfc-editor.org/rfc/rfc8037#section-3.1",
    bent: {
      signedBy: "EdDSA",
      signature: async (input) => signatureOf(input, await signingKey("EdDSA", "strange")),
    },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { signedBy: "EdDSA" },
  },
  {
    id: "signature-empty",
    source: "RFC 7515 section 5.2, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
    bent: { signature: async () => Buffer.alloc(0) },
    refused: UNVERIFIED,
    reaches: "token",
    twin: {},
  },
  {
    id: "signature-cut-short",
    source: "RFC 7515 section 5.2, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
    bent: { signature: async (input, key) => (await signatureOf(input, key)).subarray(1) },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { signedBy: "RS512" },
  },
  {
    id: "signature-of-zeros",
    source:
      "RFC 7518 section 3.4, CVE-2022-21449, https://www.rfc-editor.org/rfc/rfc7518#section-3.4",
    bent: { signedBy: "ES256", signature: async () => Buffer.alloc(64) },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { signedBy: "ES256" },
  },
  {
    id: "signature-ecdsa-in-der",
    source: "RFC 7518 section 3.4, https://www.rfc-editor.org/rfc/rfc7518#section-3.4",
    bent: {
      signedBy: "ES256",
      signature: async (input, { privateKey }) =>
        sign("sha256", Buffer.from(input), KeyObject.from(privateKey as never)),
    },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { signedBy: "ES384" },
  },
  {
    id: "signature-over-other-claims",
    source: "RFC 7515 section 5.2, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
    bent: {
      signature: (input, key) => signatureOf(`${input.slice(0, input.indexOf("."))}.e30`, key),
    },
    refused: UNVERIFIED,
    reaches: "token",
    twin: {},
  },
  {
    id: "alg-none",
    source:
      "oidcc-client-test-idtoken-sig-none, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: unsigned("none"),
    refused: INVALID,
    reaches: "token",
    twin: { metadata: { id_token_signing_alg_values_supported: ["RS256", "none"] } },
  },
  {
    id: "alg-none-where-the-provider-lists-it",
    source:
      "fapi2-security-profile-final-client-test-invalid-null-alg, https://www.rfc-editor.org/rfc/rfc8725#section-3.2",
    bent: unsigned("none", ["RS256", "none"]),
    refused: INVALID,
    reaches: "token",
    twin: { metadata: { id_token_signing_alg_values_supported: ["RS256", "none"] } },
  },
  {
    id: "alg-none-in-capitals",
    source: "RFC 8725 section 2.1, https://www.rfc-editor.org/rfc/rfc8725#section-2.1",
    bent: unsigned("nOnE", ["RS256", "nOnE"]),
    refused: INVALID,
    reaches: "token",
    twin: { metadata: { id_token_signing_alg_values_supported: ["RS256", "nOnE"] } },
  },
  {
    id: "alg-missing",
    source: "RFC 7515 section 4.1.1, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.1",
    bent: { header: { alg: undefined } },
    refused: INVALID,
    reaches: "token",
    twin: { header: { typ: "JWT" } },
  },
  {
    id: "alg-a-list",
    source: "RFC 7515 section 4.1.1, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.1",
    bent: { header: { alg: ["RS256"] } },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "alg-hs256-with-the-public-key-as-secret",
    source:
      "oidcc-client-test-invalid-sig-hs256, https://www.rfc-editor.org/rfc/rfc8725#section-2.1",
    bent: {
      metadata: { id_token_signing_alg_values_supported: ["RS256", "HS256"] },
      header: { alg: "HS256" },
      signature: (input) => hmacOf(input, JSON.stringify(OWN.jwk)),
    },
    refused: INVALID,
    reaches: "token",
    twin: { metadata: { id_token_signing_alg_values_supported: ["RS256", "HS256"] } },
  },
  {
    id: "alg-hs256-with-the-client-id-as-secret",
    source:
      "OpenID Connect Core 3.1.3.7 item 8, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: {
      login: { clientId: "known-to-all" },
      metadata: { id_token_signing_alg_values_supported: ["HS256"] },
      header: { alg: "HS256", kid: undefined },
      signature: (input) => hmacOf(input, "known-to-all"),
      keys: () => [{ kty: "oct", k: Buffer.from("known-to-all").toString("base64url") }],
    },
    refused: INVALID,
    reaches: "token",
    twin: { login: { clientId: "known-to-all" } },
  },
  {
    id: "alg-that-the-provider-does-not-list",
    source:
      "fapi2-security-profile-final-client-test-invalid-alternate-alg, https://www.rfc-editor.org/rfc/rfc8725#section-3.1",
    bent: {
      signedBy: "ES256",
      metadata: { id_token_signing_alg_values_supported: ["RS256", "PS256"] },
    },
    refused: INVALID,
    reaches: "token",
    twin: { signedBy: "ES256", metadata: { id_token_signing_alg_values_supported: ["ES256"] } },
  },
  {
    id: "alg-other-than-the-default",
    source:
      "OpenID Connect Core 3.1.3.7 item 7, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: {
      signedBy: "ES256",
      metadata: { id_token_signing_alg_values_supported: undefined },
    },
    refused: INVALID,
    reaches: "token",
    twin: { metadata: { id_token_signing_alg_values_supported: undefined } },
  },
  {
    id: "alg-of-the-other-rsa-padding",
    source: "RFC 7518 section 3.5, https://www.rfc-editor.org/rfc/rfc7518#section-3.5",
    bent: { header: { alg: "PS256" }, keys: ([key]) => [{ ...key, alg: undefined }] },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { keys: ([key]) => [{ ...key, alg: undefined }] },
  },
  {
    id: "header-no-json",
    source: "RFC 7515 section 5.2 item 3, https://www.rfc-editor.org/rfc/rfc7515#section-5.2",
    bent: { idToken: (compact) => compact.replace(/^[^.]+/, "e30x") },
    refused: INVALID,
    reaches: "token",
    twin: { header: { typ: "JWT", cty: "JWT" } },
  },
  {
    id: "header-critical-and-unknown",
    source: "RFC 7515 section 4.1.11, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.11",
    bent: { header: { crit: ["exp"], exp: 1 } },
    refused: INVALID,
    reaches: "token",
    twin: { header: { exp: 1 } },
  },
  {
    id: "header-with-an-unencoded-payload",
    source: "RFC 7797 section 6, https://www.rfc-editor.org/rfc/rfc7797#section-6",
    bent: { header: { crit: ["b64"], b64: false } },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "header-critical-and-empty",
    source: "RFC 7515 section 4.1.11, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.11",
    bent: { header: { crit: [] } },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "header-brings-its-own-key",
    source:
      "RFC 7515 section 4.1.3, CVE-2018-0114, https://www.rfc-editor.org/rfc/rfc8725#section-2.1",
    bent: { ...FORGED, header: { jwk: STRANGE.jwk } },
    refused: UNVERIFIED,
    reaches: "token",
    twin: { header: { jwk: OWN.jwk } },
  },
  {
    id: "header-names-another-key-set",
    source: "RFC 8725 section 3.10, https://www.rfc-editor.org/rfc/rfc8725#section-3.10",
    bent: {
      ...FORGED,
      header: ({ other }) => ({ jku: `${other.origin}/keys` }),
      other: { keys: () => [{ ...STRANGE.jwk, kid: OWN.kid }] },
    },
    refused: UNVERIFIED,
    reaches: "token",
    also: nobodyElseAsked,
    twin: { header: ({ idp }) => ({ jku: `${idp.origin}/keys` }) },
  },
  {
    id: "header-names-another-certificate",
    source:
      "RFC 7515 section 4.1.5 and 4.1.6, https://www.rfc-editor.org/rfc/rfc7515#section-4.1.5",
    bent: {
      ...FORGED,
      header: ({ other }) => ({ x5u: `${other.origin}/chain.pem`, x5c: ["MIIB"] }),
    },
    refused: UNVERIFIED,
    reaches: "token",
    also: nobodyElseAsked,
    twin: { header: { x5t: "AAAA" } },
  },
  {
    id: "key-too-short",
    source: "RFC 7518 section 3.3, https://www.rfc-editor.org/rfc/rfc7518#section-3.3",
    bent: { signedBy: shortKey },
    refused: INVALID,
    reaches: "token",
    twin: { signedBy: "RS256" },
  },
];
