import { member, oidcError } from "../deviations.js";
import type { Environment } from "../environment.js";
import { loginRows, type Deviation } from "../row.js";
import { openid, rfc } from "../sources.js";
import { changedParameters } from "./authorization-errors.js";
import { DELEGATED } from "./origins.js";

const MISTAKEN = { source: rfc(9207, "2.4"), refused: oidcError("CodeExchangeFailed", "issuer_mismatch"), reaches: "authorization" } as const;

const promises = member("metadata", "authorization_response_iss_parameter_supported");
const unnamed = changedParameters((parameters) => parameters.delete("iss"));

/** A provider that does not name itself in its response, such as the Matrix Authentication Service. */
const SILENT: Deviation = { ...promises(undefined), ...unnamed };

/** The provider sends the browser on to the honest one, with a client that it has registered there. */
const SENDS_ON: Deviation = {
  endpoints: {
    authorization: ({ query, environment: { idp, redirectUri } }) => {
      idp.addClient("registered-by-the-attacker", [redirectUri]);
      query.set("client_id", "registered-by-the-attacker");
      return { status: 303, headers: { location: `${idp.origin}/authorize?${query.toString()}` } };
    },
  },
};

/** The homeserver's provider is the other one. */
const OTHER: Deviation = { authMetadata: ({ other }) => other.metadata };

/** A hostile issuer whose own document claims an honest provider's endpoints. */
const CLAIMED: Deviation = {
  authMetadata: ({ other }) => ({ issuer: `${other.origin}/` }),
  other: { endpoints: { document: ({ environment: { idp, other } }) => ({ body: { ...idp.metadata, issuer: `${other.origin}/` } }) } },
};

/** The response names this issuer. */
const names = (issuer: (environment: Environment) => string): Deviation =>
  changedParameters((parameters, environment) => parameters.set("iss", issuer(environment)));

const namesTwice = (issuer: (environment: Environment) => string): Deviation =>
  changedParameters((parameters, environment) => parameters.append("iss", issuer(environment)));

const namesOther = names(({ other }) => `${other.origin}/`);

/** The provider that sent the response: RFC 9207, and the attacks that it prevents. */
export const MIX_UP = [
  ...loginRows(MISTAKEN, [
    { id: "mix-up-redirect-to-an-honest-provider", source: rfc(9700, "4.4.1"), deviation: { ...OTHER, other: SENDS_ON }, control: OTHER },
    ["mix-up-attacker-does-not-advertise-iss", { ...OTHER, other: { ...SENDS_ON, ...promises(undefined) } }, { ...OTHER, other: SILENT }],
    ["mix-up-honest-provider-without-iss", { ...OTHER, ...SILENT, other: SENDS_ON }, SILENT],
    { id: "mix-up-hostile-issuer-claims-honest-endpoints", source: rfc(9700, "4.4"), deviation: CLAIMED, control: DELEGATED },
    {
      id: "mix-up-hostile-issuer-claims-endpoints-of-a-silent-provider",
      source: openid("Core 3.1.3.7 item 2", "IDTokenValidation"),
      deviation: { ...SILENT, ...CLAIMED },
      refused: oidcError("InvalidIdToken", "id_token_invalid"),
      reaches: "token",
      control: {
        ...SILENT,
        ...DELEGATED,
        metadata: ({ other }) => ({ issuer: `${other.origin}/`, authorization_response_iss_parameter_supported: undefined }),
      },
    },
    {
      id: "iss-of-another",
      reason: /^Response from \S+, expected \S+$/,
      source: rfc(9207, "2.4", "fapi2-security-profile-final-client-test-invalid-authorization-response-iss"),
      deviation: namesOther,
    },
    {
      id: "iss-missing-although-advertised",
      reason: /^Response from no issuer, expected \S+$/,
      source: rfc(9207, "2.4", "fapi2-security-profile-final-client-test-remove-authorization-response-iss"),
      deviation: unnamed,
      control: SILENT,
    },
    {
      id: "iss-missing-although-advertised-in-an-error",
      reason: /^Response from no issuer, expected \S+; the user may have declined$/,
      source: rfc(9207, "2.4"),
      deviation: changedParameters((parameters) => {
        parameters.delete("iss");
        parameters.delete("code");
        parameters.set("error", "access_denied");
      }),
      control: SILENT,
    },
    ["iss-of-another-although-not-advertised", { ...promises(undefined), ...namesOther }, promises(undefined)],
    ["iss-of-another-although-not-supported", { ...promises(false), ...namesOther }, { ...SILENT, ...promises(false) }],
    ["iss-without-its-slash", names(({ idp }) => idp.origin), { metadata: ({ idp }) => ({ issuer: idp.origin }) }],
    ["iss-in-capitals", names(({ idp }) => `${idp.origin.toUpperCase()}/`)],
    ["iss-of-the-same-host-with-a-path", names(({ idp }) => `${idp.origin}/realms/b`), { metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }) }],
    ["iss-with-spaces-around-it", names(({ idp }) => ` ${idp.origin}/ `)],
  ]),
  ...loginRows({ ...MISTAKEN, source: rfc(9207, "2") }, [
    ["iss-empty", names(() => "")],
    ["iss-empty-although-not-advertised", { ...SILENT, ...names(() => "") }, SILENT],
    [
      "iss-of-another-in-an-error",
      changedParameters((parameters, { other }) => {
        parameters.delete("code");
        parameters.set("error", "access_denied");
        parameters.set("iss", `${other.origin}/`);
      }),
    ],
  ]),
  ...loginRows(
    {
      source: rfc(6749, "3.1"),
      reason: "The response repeats: iss",
      refused: oidcError("CodeExchangeFailed", "response_malformed"),
      reaches: "authorization",
      deviationOf: namesTwice,
    },
    [
      ["iss-twice", ({ other }) => `${other.origin}/`],
      ["iss-twice-and-the-same", ({ idp }) => `${idp.origin}/`],
    ],
  ),
];
