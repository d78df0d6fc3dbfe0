import type { Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { openid, rfc } from "../sources.js";

const now = (): number => Math.floor(Date.now() / 1000);

/** One second more than the library grants a clock that is wrong. */
const TOLERANCE_S = 5 * 60 + 1;

const INVALID = { message: "InvalidIdToken", code: "id_token_invalid" } as const;
const UNTIMELY = { message: "InvalidIdToken", code: "id_token_time" } as const;

/** An honest provider that says all that OpenID Connect Core knows of an ID token. */
const TALKATIVE: Deviation = {
  claims: { auth_time: now() - 60, acr: "0", amr: ["pwd"], name: "Alice", nbf: now() - 60 },
};

/** What an ID token claims: OpenID Connect Core 3.1.3.7, and the tests made of it. */
export const ID_TOKEN_CLAIMS = loginRows(
  { refused: INVALID, reaches: "token", source: openid("Core 2", "IDToken") },
  [
    {
      id: "id-token-iss-of-another",
      source: openid("oidcc-client-test-invalid-iss", "IDTokenValidation"),
      deviation: { claims: ({ other }) => ({ iss: `${other.origin}/` }) },
      control: { claims: ({ idp }) => ({ iss: `${idp.origin}/` }) },
    },
    {
      id: "id-token-iss-without-its-slash",
      source: openid("fapi2-security-profile-final-client-test-invalid-iss", "IDTokenValidation"),
      deviation: { claims: ({ idp }) => ({ iss: idp.origin }) },
      control: { metadata: ({ idp }) => ({ issuer: idp.origin }) },
    },
    {
      id: "id-token-iss-in-capitals",
      source: openid("Core 2 and 3.1.3.7 item 2", "IDTokenValidation"),
      deviation: { claims: ({ idp }) => ({ iss: `${idp.origin.toUpperCase()}/` }) },
    },
    {
      id: "id-token-iss-missing",
      source: openid("fapi2-security-profile-final-client-test-invalid-missing-iss", "IDToken"),
      deviation: { claims: { iss: undefined } },
      control: TALKATIVE,
    },
    {
      id: "id-token-iss-a-list",
      source: rfc(7519, "4.1.1"),
      deviation: { claims: ({ idp }) => ({ iss: [`${idp.origin}/`] }) },
    },
    {
      id: "id-token-sub-missing",
      source: openid("oidcc-client-test-missing-sub", "IDToken"),
      deviation: { claims: { sub: undefined } },
      control: { claims: { sub: "a" } },
    },
    {
      id: "id-token-sub-empty",
      reason: /^sub is empty/,
      deviation: { claims: { sub: "" } },
      control: { claims: { sub: "0" } },
    },
    {
      id: "id-token-sub-a-number",
      deviation: { claims: { sub: 248289761001 } },
      control: { claims: { sub: "248289761001" } },
    },
    {
      id: "id-token-sub-too-long",
      deviation: { claims: { sub: "a".repeat(256) } },
      control: { claims: { sub: "a".repeat(255) } },
    },
    {
      id: "id-token-aud-of-another",
      source: openid("oidcc-client-test-invalid-aud", "IDTokenValidation"),
      deviation: { claims: { aud: "another-client" } },
    },
    {
      id: "id-token-aud-missing",
      source: openid("oidcc-client-test-missing-aud", "IDToken"),
      deviation: { claims: { aud: undefined } },
      // fapi2-security-profile-final-client-test-invalid-missing-aud
    },
    {
      id: "id-token-aud-list-without-us",
      source: openid("fapi2-security-profile-final-client-test-invalid-aud", "IDTokenValidation"),
      deviation: { claims: { aud: ["another-client"] } },
      // fapi2-security-profile-final-client-test-valid-aud-as-array
      control: { claims: (_, { aud }) => ({ aud: [aud] }) },
    },
    {
      id: "id-token-aud-list-empty",
      source: rfc(7519, "4.1.3"),
      deviation: { claims: { aud: [] } },
      control: { claims: (_, { aud }) => ({ aud: [aud] }) },
    },
    {
      id: "id-token-aud-names-joined",
      source: rfc(7519, "4.1.3"),
      deviation: { claims: (_, { aud }) => ({ aud: `${String(aud)},another-client` }) },
      control: { claims: (_, { aud }) => ({ aud: [aud, "another-client"], azp: aud }) },
    },
    {
      id: "id-token-aud-an-object",
      source: rfc(7519, "4.1.3"),
      deviation: { claims: (_, { aud }) => ({ aud: { [String(aud)]: true } }) },
    },
    {
      id: "id-token-aud-more-without-azp",
      source: openid(
        "fapi2-security-profile-final-client-test-invalid-secondary-aud",
        "IDTokenValidation",
      ),
      deviation: { claims: (_, { aud }) => ({ aud: [aud, "another-client"] }) },
      control: { claims: (_, { aud }) => ({ aud: [aud, "another-client"], azp: aud }) },
    },
    {
      id: "id-token-aud-more-with-azp-of-another",
      source: openid("Core 3.1.3.7 item 5", "IDTokenValidation"),
      deviation: {
        claims: (_, { aud }) => ({ aud: [aud, "another-client"], azp: "another-client" }),
      },
      control: { claims: (_, { aud }) => ({ aud: ["another-client", aud], azp: aud }) },
    },
    {
      id: "id-token-azp-of-another",
      reason: "azp names another client",
      source: openid("Core 3.1.3.7 item 5", "IDTokenValidation"),
      deviation: { claims: { azp: "another-client" } },
      control: { claims: (_, { aud }) => ({ azp: aud }) },
    },
    {
      id: "id-token-azp-a-list",
      deviation: { claims: (_, { aud }) => ({ azp: [aud] }) },
      control: { claims: (_, { aud }) => ({ azp: aud }) },
    },
    {
      id: "id-token-expired",
      source: openid(
        "fapi2-security-profile-final-client-test-invalid-expired-exp",
        "IDTokenValidation",
      ),
      deviation: { claims: () => ({ exp: now() - TOLERANCE_S }) },
      refused: UNTIMELY,
      // A device whose clock is some minutes fast.
      control: { claims: () => ({ iat: now() - 240, exp: now() - 180 }) },
    },
    {
      id: "id-token-exp-missing",
      source: openid("fapi2-security-profile-final-client-test-invalid-missing-exp", "IDToken"),
      deviation: { claims: { exp: undefined } },
      control: { claims: () => ({ exp: now() + 60 }) },
    },
    {
      id: "id-token-exp-a-text",
      source: "RFC 7519 section 2, NumericDate, https://www.rfc-editor.org/rfc/rfc7519#section-2",
      deviation: { claims: (_, { exp }) => ({ exp: String(exp) }) },
      control: { claims: (_, { exp }) => ({ exp: Number(exp) + 0.5 }) },
    },
    {
      id: "id-token-exp-null",
      source: "RFC 7519 section 2, NumericDate, https://www.rfc-editor.org/rfc/rfc7519#section-2",
      deviation: { claims: { exp: null } },
      control: { claims: () => ({ exp: now() + 3600 }) },
    },
    {
      id: "id-token-exp-in-milliseconds-of-the-past",
      source: rfc(7519, "4.1.4"),
      deviation: { claims: { exp: 0 } },
      refused: UNTIMELY,
    },
    {
      id: "id-token-iat-missing",
      source: openid("oidcc-client-test-missing-iat", "IDToken"),
      deviation: { claims: { iat: undefined } },
      control: { claims: () => ({ iat: now() }) },
    },
    {
      id: "id-token-iat-a-text",
      source: "RFC 7519 section 2, NumericDate, https://www.rfc-editor.org/rfc/rfc7519#section-2",
      deviation: { claims: (_, { iat }) => ({ iat: String(iat) }) },
      control: { claims: (_, { iat }) => ({ iat: Number(iat) + 0.25 }) },
    },
    {
      id: "id-token-iat-in-the-future",
      source: openid("Core 3.1.3.7 item 10", "IDTokenValidation"),
      deviation: { claims: () => ({ iat: now() + 3600, exp: now() + 7200 }) },
      refused: UNTIMELY,
      control: { claims: () => ({ iat: now() + 240, exp: now() + 600 }) },
    },
  ],
);
