import type { Bend, Row } from "../bend.js";

const MISTAKEN = { message: "CodeExchangeFailed", code: "issuer_mismatch" } as const;

/** A provider such as the Matrix Authentication Service, which does not say who answers. */
const SILENT: Bend = {
  metadata: { authorization_response_iss_parameter_supported: undefined },
  answer: (parameters) => parameters.delete("iss"),
};

/** The provider sends the browser on to the honest one, as a client that it registered there itself. */
const SENDS_ON: Bend = {
  endpoints: {
    authorization: ({ query, world: { idp, redirectUri } }) => {
      idp.addClient("registered-by-the-attacker", [redirectUri]);
      query.set("client_id", "registered-by-the-attacker");
      return { status: 303, headers: { location: `${idp.origin}/authorize?${query.toString()}` } };
    },
  },
};

/** The homeserver's provider is the other one. */
const OTHER: Bend = { authMetadata: ({ other }) => other.metadata };

/** An honest service whose issuer is another host, which says the same of it. */
const DELEGATED: Bend = {
  metadata: ({ other }) => ({ issuer: `${other.origin}/` }),
  other: { endpoints: { document: ({ world }) => ({ body: world.idp.metadata }) } },
};

/** A hostile issuer that claims the endpoints of an honest one for its own, and says so itself. */
const CLAIMED: Bend = {
  authMetadata: ({ other }) => ({ issuer: `${other.origin}/` }),
  other: {
    endpoints: {
      document: ({ world: { idp, other } }) => ({
        body: { ...idp.metadata, issuer: `${other.origin}/` },
      }),
    },
  },
};

/** Who answered: RFC 9207, and the attacks that it is there for. */
export const MIX_UP: readonly Row[] = [
  {
    id: "mix-up-browser-sent-on-to-an-honest-provider",
    source: "RFC 9700 section 4.4.1, https://www.rfc-editor.org/rfc/rfc9700#section-4.4.1",
    bent: { ...OTHER, other: SENDS_ON },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: OTHER,
  },
  {
    id: "mix-up-attacker-does-not-promise-to-say-who-answers",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: {
      ...OTHER,
      other: {
        ...SENDS_ON,
        metadata: { authorization_response_iss_parameter_supported: undefined },
      },
    },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: { ...OTHER, other: SILENT },
  },
  {
    id: "mix-up-honest-provider-that-does-not-say-who-answers",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: { ...OTHER, ...SILENT, other: SENDS_ON },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: SILENT,
  },
  {
    id: "mix-up-hostile-issuer-claims-honest-endpoints",
    source: "RFC 9700 section 4.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.4",
    bent: CLAIMED,
    refused: MISTAKEN,
    reaches: "authorization",
    twin: DELEGATED,
  },
  {
    id: "mix-up-hostile-issuer-claims-endpoints-of-a-silent-provider",
    source:
      "OpenID Connect Core 3.1.3.7 item 2, https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation",
    bent: { ...SILENT, ...CLAIMED },
    refused: { message: "InvalidIdToken", code: "id_token_invalid" },
    reaches: "token",
    twin: {
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
    source:
      "fapi2-security-profile-final-client-test-invalid-authorization-response-iss, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: { answer: (parameters, { other }) => parameters.set("iss", `${other.origin}/`) },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: {},
  },
  {
    id: "iss-missing-though-promised",
    source:
      "fapi2-security-profile-final-client-test-remove-authorization-response-iss, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: { answer: (parameters) => parameters.delete("iss") },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: SILENT,
  },
  {
    id: "iss-of-another-though-not-promised",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: {
      metadata: { authorization_response_iss_parameter_supported: undefined },
      answer: (parameters, { other }) => parameters.set("iss", `${other.origin}/`),
    },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: { metadata: { authorization_response_iss_parameter_supported: undefined } },
  },
  {
    id: "iss-of-another-though-denied",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: {
      metadata: { authorization_response_iss_parameter_supported: false },
      answer: (parameters, { other }) => parameters.set("iss", `${other.origin}/`),
    },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: { ...SILENT, metadata: { authorization_response_iss_parameter_supported: false } },
  },
  {
    id: "iss-empty",
    source: "RFC 9207 section 2, https://www.rfc-editor.org/rfc/rfc9207#section-2",
    bent: { answer: (parameters) => parameters.set("iss", "") },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: {},
  },
  {
    id: "iss-empty-though-not-promised",
    source: "RFC 9207 section 2, https://www.rfc-editor.org/rfc/rfc9207#section-2",
    bent: { ...SILENT, answer: (parameters) => parameters.set("iss", "") },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: SILENT,
  },
  {
    id: "iss-without-its-slash",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: { answer: (parameters, { idp }) => parameters.set("iss", idp.origin) },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: { metadata: ({ idp }) => ({ issuer: idp.origin }) },
  },
  {
    id: "iss-in-capitals",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: {
      answer: (parameters, { idp }) => parameters.set("iss", `${idp.origin.toUpperCase()}/`),
    },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: {},
  },
  {
    id: "iss-of-the-same-host-with-a-path",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: { answer: (parameters, { idp }) => parameters.set("iss", `${idp.origin}/realms/b`) },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: { metadata: ({ idp }) => ({ issuer: `${idp.origin}/realms/a` }) },
  },
  {
    id: "iss-with-spaces-around-it",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
    bent: { answer: (parameters, { idp }) => parameters.set("iss", ` ${idp.origin}/ `) },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: {},
  },
  {
    id: "iss-twice",
    source: "RFC 9207 section 2.4, https://www.rfc-editor.org/rfc/rfc6749#section-3.1",
    bent: { answer: (parameters, { other }) => parameters.append("iss", `${other.origin}/`) },
    refused: { message: "CodeExchangeFailed", code: "response_malformed" },
    reaches: "authorization",
    twin: {},
  },
  {
    id: "iss-twice-and-the-same",
    source: "RFC 6749 section 3.1, https://www.rfc-editor.org/rfc/rfc6749#section-3.1",
    bent: { answer: (parameters, { idp }) => parameters.append("iss", `${idp.origin}/`) },
    refused: { message: "CodeExchangeFailed", code: "response_malformed" },
    reaches: "authorization",
    twin: {},
  },
  {
    id: "iss-of-another-on-a-refusal",
    source: "RFC 9207 section 2, https://www.rfc-editor.org/rfc/rfc9207#section-2",
    bent: {
      answer: (parameters, { other }) => {
        parameters.delete("code");
        parameters.set("error", "access_denied");
        parameters.set("iss", `${other.origin}/`);
      },
    },
    refused: MISTAKEN,
    reaches: "authorization",
    twin: {},
  },
];
