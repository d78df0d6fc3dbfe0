import type { Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { openid, rfc } from "../sources.js";

const MISTAKEN = { message: "CodeExchangeFailed", code: "issuer_mismatch" } as const;

/** A provider such as the Matrix Authentication Service, which does not name itself in its response. */
const SILENT: Deviation = {
  metadata: { authorization_response_iss_parameter_supported: undefined },
  authorizationResponse: (parameters) => parameters.delete("iss"),
};

/** The provider sends the browser on to the honest one, as a client that it registered there itself. */
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

/** An honest service whose issuer is another host, which says the same of it. */
const DELEGATED: Deviation = {
  metadata: ({ other }) => ({ issuer: `${other.origin}/` }),
  other: { endpoints: { document: ({ environment }) => ({ body: environment.idp.metadata }) } },
};

/** A hostile issuer that claims the endpoints of an honest one for its own, and says so itself. */
const CLAIMED: Deviation = {
  authMetadata: ({ other }) => ({ issuer: `${other.origin}/` }),
  other: {
    endpoints: {
      document: ({ environment: { idp, other } }) => ({
        body: { ...idp.metadata, issuer: `${other.origin}/` },
      }),
    },
  },
};

/** Whose response it is: RFC 9207, and the attacks that it is there for. */
export const MIX_UP = loginRows(
  { refused: MISTAKEN, reaches: "authorization", source: rfc(9207, "2.4") },
  [
    {
      id: "mix-up-browser-sent-on-to-an-honest-provider",
      source: rfc(9700, "4.4.1"),
      deviation: { ...OTHER, other: SENDS_ON },
      control: OTHER,
    },
    {
      id: "mix-up-attacker-does-not-promise-to-name-itself",
      deviation: {
        ...OTHER,
        other: {
          ...SENDS_ON,
          metadata: { authorization_response_iss_parameter_supported: undefined },
        },
      },
      control: { ...OTHER, other: SILENT },
    },
    {
      id: "mix-up-honest-provider-that-does-not-name-itself",
      deviation: { ...OTHER, ...SILENT, other: SENDS_ON },
      control: SILENT,
    },
    {
      id: "mix-up-hostile-issuer-claims-honest-endpoints",
      source: rfc(9700, "4.4"),
      deviation: CLAIMED,
      control: DELEGATED,
    },
    {
      id: "mix-up-hostile-issuer-claims-endpoints-of-a-silent-provider",
      source: openid("Core 3.1.3.7 item 2", "IDTokenValidation"),
      deviation: { ...SILENT, ...CLAIMED },
      refused: { message: "InvalidIdToken", code: "id_token_invalid" },
      reaches: "token",
      control: {
        ...SILENT,
        ...DELEGATED,
        metadata: ({ other }) => ({
          issuer: `${other.origin}/`,
          authorization_response_iss_parameter_supported: undefined,
        }),
      },
    },
    {
      id: "iss-of-another",
      reason: /^Response from \S+, expected \S+$/,
      source:
        "fapi2-security-profile-final-client-test-invalid-authorization-response-iss, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
      deviation: {
        authorizationResponse: (parameters, { other }) => parameters.set("iss", `${other.origin}/`),
      },
    },
    {
      id: "iss-missing-though-promised",
      reason: /^Response from no issuer, expected \S+$/,
      source:
        "fapi2-security-profile-final-client-test-remove-authorization-response-iss, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
      deviation: { authorizationResponse: (parameters) => parameters.delete("iss") },
      control: SILENT,
    },
    {
      id: "iss-of-another-though-not-promised",
      deviation: {
        metadata: { authorization_response_iss_parameter_supported: undefined },
        authorizationResponse: (parameters, { other }) => parameters.set("iss", `${other.origin}/`),
      },
      control: { metadata: { authorization_response_iss_parameter_supported: undefined } },
    },
    {
      id: "iss-of-another-though-denied",
      deviation: {
        metadata: { authorization_response_iss_parameter_supported: false },
        authorizationResponse: (parameters, { other }) => parameters.set("iss", `${other.origin}/`),
      },
      control: { ...SILENT, metadata: { authorization_response_iss_parameter_supported: false } },
    },
    {
      id: "iss-empty",
      source: rfc(9207, "2"),
      deviation: { authorizationResponse: (parameters) => parameters.set("iss", "") },
    },
    {
      id: "iss-empty-though-not-promised",
      source: rfc(9207, "2"),
      deviation: { ...SILENT, authorizationResponse: (parameters) => parameters.set("iss", "") },
      control: SILENT,
    },
    {
      id: "iss-without-its-slash",
      deviation: {
        authorizationResponse: (parameters, { idp }) => parameters.set("iss", idp.origin),
      },
      control: { metadata: ({ idp }) => ({ issuer: idp.origin }) },
    },
    {
      id: "iss-in-capitals",
      deviation: {
        authorizationResponse: (parameters, { idp }) =>
          parameters.set("iss", `${idp.origin.toUpperCase()}/`),
      },
    },
    {
      id: "iss-of-the-same-host-with-a-path",
      deviation: {
        authorizationResponse: (parameters, { idp }) =>
          parameters.set("iss", `${idp.origin}/realms/b`),
      },
      control: { metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }) },
    },
    {
      id: "iss-with-spaces-around-it",
      deviation: {
        authorizationResponse: (parameters, { idp }) => parameters.set("iss", ` ${idp.origin}/ `),
      },
    },
    {
      id: "iss-twice",
      source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc6749#section-3.1",
      deviation: {
        authorizationResponse: (parameters, { other }) =>
          parameters.append("iss", `${other.origin}/`),
      },
      refused: { message: "CodeExchangeFailed", code: "response_malformed" },
    },
    {
      id: "iss-twice-and-the-same",
      source: rfc(6749, "3.1"),
      deviation: {
        authorizationResponse: (parameters, { idp }) => parameters.append("iss", `${idp.origin}/`),
      },
      refused: { message: "CodeExchangeFailed", code: "response_malformed" },
    },
    {
      id: "iss-of-another-on-a-refusal",
      source: rfc(9207, "2"),
      deviation: {
        authorizationResponse: (parameters, { other }) => {
          parameters.delete("code");
          parameters.set("error", "access_denied");
          parameters.set("iss", `${other.origin}/`);
        },
      },
    },
  ],
);
