import { oidcError, part } from "../deviations.js";
import { loginRows, type Patch } from "../row.js";
import { fapi2, oidcc, openid, rfc } from "../sources.js";

const now = (): number => Math.floor(Date.now() / 1000);

/** One second more than the library's tolerance for a wrong clock. */
const TOLERANCE_S = 5 * 60 + 1;
const DAY_S = 86_400;

const INVALID = { refused: oidcError("InvalidIdToken", "id_token_invalid"), reaches: "token", deviationOf: part("claims") } as const;
const UNTIMELY = { ...INVALID, refused: oidcError("InvalidIdToken", "id_token_time") };

const CORE = openid("Core 2", "IDToken");
const SECOND_AUDIENCE = openid("Core 3.1.3.7 item 5", "IDTokenValidation");
const ISSUED = openid("Core 3.1.3.7 item 10", "IDTokenValidation");
const NUMERIC_DATE = "RFC 7519 section 2, NumericDate, https://www.rfc-editor.org/rfc/rfc7519#section-2";

/** An honest provider that sends every claim of OpenID Connect Core. */
const TALKATIVE: Patch = { auth_time: now() - 60, acr: "0", amr: ["pwd"], name: "Alice", nbf: now() - 60 };

const authorizedParty: Patch = (_, { aud }) => ({ azp: aud });
const severalAudiences: Patch = (_, { aud }) => ({ aud: [aud, "another-client"], azp: aud });

/** The claims of an ID token: OpenID Connect Core 3.1.3.7, and its conformance tests. */
export const ID_TOKEN_CLAIMS = [
  ...loginRows(INVALID, [
    ["id-token-iss-of-another", oidcc("invalid-iss"), ({ other }) => ({ iss: `${other.origin}/` }), ({ idp }) => ({ iss: `${idp.origin}/` })],
    {
      id: "id-token-iss-without-its-slash",
      reason: /"iss"/,
      source: fapi2("invalid-iss"),
      deviation: { claims: ({ idp }) => ({ iss: idp.origin }) },
      control: { metadata: ({ idp }) => ({ issuer: idp.origin }) },
    },
    ["id-token-iss-in-capitals", openid("Core 2 and 3.1.3.7 item 2", "IDTokenValidation"), ({ idp }) => ({ iss: `${idp.origin.toUpperCase()}/` })],
    ["id-token-iss-missing", fapi2("invalid-missing-iss", "IDToken"), { iss: undefined }, TALKATIVE],
    ["id-token-iss-a-list", rfc(7519, "4.1.1"), ({ idp }) => ({ iss: [`${idp.origin}/`] })],
    ["id-token-sub-missing", oidcc("missing-sub", "IDToken"), { sub: undefined }, { sub: "a" }],
    { id: "id-token-sub-empty", reason: "sub is missing or invalid", source: CORE, deviation: { claims: { sub: "" } }, control: { claims: { sub: "0" } } },
    ["id-token-sub-a-number", CORE, { sub: 248289761001 }, { sub: "248289761001" }],
    ["id-token-sub-with-half-a-character", CORE, { sub: "alice\uD800" }, { sub: "alice\uD83D\uDC08" }],
    ["id-token-sub-too-long", CORE, { sub: "a".repeat(256) }, { sub: "a".repeat(255) }],
    { id: "id-token-aud-of-another", reason: /"aud"/, source: oidcc("invalid-aud"), deviation: { claims: { aud: "another-client" } } },
    // fapi2-security-profile-final-client-test-invalid-missing-aud
    ["id-token-aud-missing", oidcc("missing-aud", "IDToken"), { aud: undefined }],
    [
      "id-token-aud-list-without-the-client",
      fapi2("invalid-aud"),
      { aud: ["another-client"] },
      // fapi2-security-profile-final-client-test-valid-aud-as-array
      (_, { aud }) => ({ aud: [aud] }),
    ],
    ["id-token-aud-list-empty", rfc(7519, "4.1.3"), { aud: [] }],
    ["id-token-aud-names-joined", rfc(7519, "4.1.3"), (_, { aud }) => ({ aud: `${String(aud)},another-client` }), severalAudiences],
    ["id-token-aud-an-object", rfc(7519, "4.1.3"), (_, { aud }) => ({ aud: { [String(aud)]: true } })],
    ["id-token-aud-more-without-azp", fapi2("invalid-secondary-aud"), (_, { aud }) => ({ aud: [aud, "another-client"] }), severalAudiences],
    [
      "id-token-aud-more-with-azp-of-another",
      SECOND_AUDIENCE,
      (_, { aud }) => ({ aud: [aud, "another-client"], azp: "another-client" }),
      (_, { aud }) => ({ aud: ["another-client", aud], azp: aud }),
    ],
    {
      id: "id-token-azp-of-another",
      reason: "azp names another client",
      source: SECOND_AUDIENCE,
      deviation: { claims: { azp: "another-client" } },
      control: { claims: authorizedParty },
    },
    ["id-token-azp-a-list", CORE, (_, { aud }) => ({ azp: [aud] }), authorizedParty],
    ["id-token-exp-missing", fapi2("invalid-missing-exp", "IDToken"), { exp: undefined }],
    ["id-token-exp-a-string", NUMERIC_DATE, (_, { exp }) => ({ exp: String(exp) }), (_, { exp }) => ({ exp: Number(exp) + 0.5 })],
    {
      id: "id-token-exp-exceeds-numbers",
      source: NUMERIC_DATE,
      deviation: { payload: (claims) => claims.replace(/"exp":\d+/, '"exp":1e999') },
      control: { payload: (claims) => claims.replace(/"exp":(\d+)/, '"exp":$1e0') },
    },
    ["id-token-exp-null", NUMERIC_DATE, { exp: null }, () => ({ exp: now() + 3600 })],
    { id: "id-token-iat-missing", reason: "A time is not a number", source: oidcc("missing-iat", "IDToken"), deviation: { claims: { iat: undefined } } },
    ["id-token-iat-a-string", NUMERIC_DATE, (_, { iat }) => ({ iat: String(iat) }), (_, { iat }) => ({ iat: Number(iat) + 0.25 })],
    ["id-token-nbf-a-string", rfc(7519, "4.1.5"), () => ({ nbf: String(now()) }), () => ({ nbf: now() - 60 })],
    ["id-token-auth-time-a-string", CORE, { auth_time: "yesterday" }, () => ({ auth_time: now() - 86_400 })],
    {
      id: "id-token-auth-time-negative",
      reason: /"auth_time"/,
      source: NUMERIC_DATE,
      deviation: { claims: { auth_time: -1 } },
      control: { claims: { auth_time: 0 } },
    },
  ]),
  ...loginRows(UNTIMELY, [
    {
      id: "id-token-expired",
      reason: /"exp"/,
      source: fapi2("invalid-expired-exp"),
      deviation: { claims: () => ({ exp: now() - TOLERANCE_S }) },
      // The device's clock is some minutes fast.
      control: { claims: () => ({ iat: now() - 240, exp: now() - 180 }) },
    },
    [
      "id-token-expired-by-its-own-iat",
      ISSUED,
      () => ({ iat: now() - 3600, exp: now() - 3600 - TOLERANCE_S }),
      // Within the tolerance.
      () => ({ iat: now() - 3600, exp: now() - 3600 - TOLERANCE_S + 60 }),
    ],
    ["id-token-exp-in-milliseconds-of-the-past", rfc(7519, "4.1.4"), { exp: 0 }],
    [
      "id-token-iat-in-the-future",
      ISSUED,
      () => ({ iat: now() + DAY_S + 60, exp: now() + DAY_S + 3600 }),
      // The device's clock is an hour slow.
      () => ({ iat: now() + 3600, exp: now() + 3900 }),
    ],
    {
      id: "id-token-iat-long-ago",
      reason: /^iat is 864\d\d seconds ago by this device's clock$/,
      source: ISSUED,
      deviation: { claims: () => ({ iat: now() - DAY_S - 60 }) },
      // The device's clock is an hour fast.
      control: { claims: () => ({ iat: now() - 3600, exp: now() - 3300 }) },
    },
    ["id-token-not-valid-yet", rfc(7519, "4.1.5"), () => ({ nbf: now() + 3600 }), () => ({ nbf: now() })],
  ]),
];
