import type { Bend, Row } from "../bend.js";

const now = (): number => Math.floor(Date.now() / 1000);

/** One second more than the library grants a clock that is wrong. */
const TOLERANCE_S = 5 * 60 + 1;

const INVALID = { message: "InvalidIdToken", code: "id_token_invalid" } as const;
const UNTIMELY = { message: "InvalidIdToken", code: "id_token_time" } as const;

/** An honest provider that says all that OpenID Connect Core knows of an ID token. */
const TALKATIVE: Bend = {
  claims: { auth_time: now() - 60, acr: "0", amr: ["pwd"], name: "Alice", nbf: now() - 60 },
};

/** What an ID token claims: OpenID Connect Core 3.1.3.7, and the tests made of it. */
export const ID_TOKEN_CLAIMS: readonly Row[] = [
  {
    id: "id-token-iss-of-another",
    source:
      "oidcc-client-test-invalid-iss, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: ({ other }) => ({ iss: `${other.origin}/` }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: ({ idp }) => ({ iss: `${idp.origin}/` }) },
  },
  {
    id: "id-token-iss-without-its-slash",
    source:
      "fapi2-security-profile-final-client-test-invalid-iss, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: ({ idp }) => ({ iss: idp.origin }) },
    refused: INVALID,
    reaches: "token",
    twin: { metadata: ({ idp }) => ({ issuer: idp.origin }) },
  },
  {
    id: "id-token-iss-in-capitals",
    source:
      "OpenID Connect Core 2 and 3.1.3.7 item 2, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: ({ idp }) => ({ iss: `${idp.origin.toUpperCase()}/` }) },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-iss-missing",
    source:
      "fapi2-security-profile-final-client-test-invalid-missing-iss, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: { iss: undefined } },
    refused: INVALID,
    reaches: "token",
    twin: TALKATIVE,
  },
  {
    id: "id-token-iss-a-list",
    source: "RFC 7519 section 4.1.1, https://www.rfc-editor.org/rfc/rfc7519#section-4.1.1",
    bent: { claims: ({ idp }) => ({ iss: [`${idp.origin}/`] }) },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-sub-missing",
    source:
      "oidcc-client-test-missing-sub, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: { sub: undefined } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: { sub: "a" } },
  },
  {
    id: "id-token-sub-empty",
    source: "OpenID Connect Core 2, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: { sub: "" } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: { sub: "0" } },
  },
  {
    id: "id-token-sub-a-number",
    source: "OpenID Connect Core 2, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: { sub: 248289761001 } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: { sub: "248289761001" } },
  },
  {
    id: "id-token-sub-too-long",
    source: "OpenID Connect Core 2, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: { sub: "a".repeat(256) } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: { sub: "a".repeat(255) } },
  },
  {
    id: "id-token-aud-of-another",
    source:
      "oidcc-client-test-invalid-aud, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: { aud: "another-client" } },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-aud-missing",
    source:
      "oidcc-client-test-missing-aud, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: { aud: undefined } },
    refused: INVALID,
    reaches: "token",
    // fapi2-security-profile-final-client-test-invalid-missing-aud
    twin: {},
  },
  {
    id: "id-token-aud-list-without-us",
    source:
      "fapi2-security-profile-final-client-test-invalid-aud, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: { aud: ["another-client"] } },
    refused: INVALID,
    reaches: "token",
    // fapi2-security-profile-final-client-test-valid-aud-as-array
    twin: { claims: (_, { aud }) => ({ aud: [aud] }) },
  },
  {
    id: "id-token-aud-list-empty",
    source: "RFC 7519 section 4.1.3, https://www.rfc-editor.org/rfc/rfc7519#section-4.1.3",
    bent: { claims: { aud: [] } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: (_, { aud }) => ({ aud: [aud] }) },
  },
  {
    id: "id-token-aud-names-joined",
    source: "RFC 7519 section 4.1.3, https://www.rfc-editor.org/rfc/rfc7519#section-4.1.3",
    bent: { claims: (_, { aud }) => ({ aud: `${String(aud)},another-client` }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: (_, { aud }) => ({ aud: [aud, "another-client"], azp: aud }) },
  },
  {
    id: "id-token-aud-an-object",
    source: "RFC 7519 section 4.1.3, https://www.rfc-editor.org/rfc/rfc7519#section-4.1.3",
    bent: { claims: (_, { aud }) => ({ aud: { [String(aud)]: true } }) },
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-aud-more-without-azp",
    source:
      "fapi2-security-profile-final-client-test-invalid-secondary-aud, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: (_, { aud }) => ({ aud: [aud, "another-client"] }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: (_, { aud }) => ({ aud: [aud, "another-client"], azp: aud }) },
  },
  {
    id: "id-token-aud-more-with-azp-of-another",
    source:
      "OpenID Connect Core 3.1.3.7 item 5, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: (_, { aud }) => ({ aud: [aud, "another-client"], azp: "another-client" }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: (_, { aud }) => ({ aud: ["another-client", aud], azp: aud }) },
  },
  {
    id: "id-token-azp-of-another",
    source:
      "OpenID Connect Core 3.1.3.7 item 5, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: { azp: "another-client" } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: (_, { aud }) => ({ azp: aud }) },
  },
  {
    id: "id-token-azp-a-list",
    source: "OpenID Connect Core 2, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: (_, { aud }) => ({ azp: [aud] }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: (_, { aud }) => ({ azp: aud }) },
  },
  {
    id: "id-token-expired",
    source:
      "fapi2-security-profile-final-client-test-invalid-expired-exp, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: () => ({ exp: now() - TOLERANCE_S }) },
    refused: UNTIMELY,
    reaches: "token",
    // A device whose clock is some minutes fast.
    twin: { claims: () => ({ iat: now() - 240, exp: now() - 180 }) },
  },
  {
    id: "id-token-exp-missing",
    source:
      "fapi2-security-profile-final-client-test-invalid-missing-exp, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: { exp: undefined } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: () => ({ exp: now() + 60 }) },
  },
  {
    id: "id-token-exp-a-text",
    source: "RFC 7519 section 2, NumericDate, https://www.rfc-editor.org/rfc/rfc7519#section-2",
    bent: { claims: (_, { exp }) => ({ exp: String(exp) }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: (_, { exp }) => ({ exp: Number(exp) + 0.5 }) },
  },
  {
    id: "id-token-exp-null",
    source: "RFC 7519 section 2, NumericDate, https://www.rfc-editor.org/rfc/rfc7519#section-2",
    bent: { claims: { exp: null } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: () => ({ exp: now() + 3600 }) },
  },
  {
    id: "id-token-exp-in-milliseconds-of-the-past",
    source: "RFC 7519 section 4.1.4, https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4",
    bent: { claims: { exp: 0 } },
    refused: UNTIMELY,
    reaches: "token",
    twin: {},
  },
  {
    id: "id-token-iat-missing",
    source:
      "oidcc-client-test-missing-iat, https://openid.net/specs/openid-connect-core-1_0.html#IDToken",
    bent: { claims: { iat: undefined } },
    refused: INVALID,
    reaches: "token",
    twin: { claims: () => ({ iat: now() }) },
  },
  {
    id: "id-token-iat-a-text",
    source: "RFC 7519 section 2, NumericDate, https://www.rfc-editor.org/rfc/rfc7519#section-2",
    bent: { claims: (_, { iat }) => ({ iat: String(iat) }) },
    refused: INVALID,
    reaches: "token",
    twin: { claims: (_, { iat }) => ({ iat: Number(iat) + 0.25 }) },
  },
  {
    id: "id-token-iat-in-the-future",
    source:
      "OpenID Connect Core 3.1.3.7 item 10, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { claims: () => ({ iat: now() + 3600, exp: now() + 7200 }) },
    refused: UNTIMELY,
    reaches: "token",
    twin: { claims: () => ({ iat: now() + 240, exp: now() + 600 }) },
  },
];
