import type { Bend, Row } from "../bend.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "CodeExchangeFailed",
  code,
});

const UNKNOWN = { message: "MissingOrInvalidStoredState", code: "flow_unknown" } as const;

const IN_FRAGMENT = { responseMode: "fragment" } as const;

const answers = (answer: Bend["answer"]): Bend => ({ ...(answer && { answer }) });

/** The provider says no, in the words of RFC 6749. */
const refuses = (error: string): Bend =>
  answers((parameters) => {
    parameters.delete("code");
    parameters.set("error", error);
  });

/** An answer that says yes: whether it is to this login, at its place, and for the first time. */
export const AUTHORIZATION_ANSWERS: readonly Row[] = [
  {
    id: "answer-without-state",
    source:
      "fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-missing-state-fails, https://www.rfc-editor.org/rfc/rfc6749#section-10.12",
    bent: answers((parameters) => parameters.delete("state")),
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: {},
  },
  {
    id: "answer-state-of-nobody",
    source:
      "fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-state-fails, https://www.rfc-editor.org/rfc/rfc6749#section-10.12",
    bent: answers((parameters) => parameters.set("state", "mae-00000000000000000000000000000000")),
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: {},
  },
  {
    id: "answer-state-with-something-added",
    source: "RFC 6749 section 10.12, https://www.rfc-editor.org/rfc/rfc6749#section-10.12",
    bent: answers((parameters) => parameters.set("state", `${parameters.get("state")};a`)),
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: {},
  },
  {
    id: "answer-state-in-capitals",
    source: "RFC 6749 section 10.12, https://www.rfc-editor.org/rfc/rfc6749#section-10.12",
    bent: answers((parameters) =>
      parameters.set("state", String(parameters.get("state")).toUpperCase()),
    ),
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: {},
  },
  {
    id: "answer-state-of-a-prototype",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: answers((parameters) => parameters.set("state", "__proto__")),
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: answers((parameters) => parameters.append("__proto__", "1")),
  },
  {
    id: "answer-replayed",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: { login: { replayed: true } },
    refused: UNKNOWN,
    reaches: "token",
    twin: {},
  },
  {
    id: "answer-replayed-to-code-and-state",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: { login: { replayed: true, byCodeAndState: true } },
    refused: UNKNOWN,
    reaches: "token",
    twin: { login: { byCodeAndState: true } },
  },
  {
    id: "answer-tried-again-after-a-refusal",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: { ...refuses("access_denied"), login: { tries: 2 } },
    refused: UNKNOWN,
    reaches: "authorization",
    twin: { login: { tries: 2 } },
  },
  {
    id: "answer-with-the-code-of-another-login",
    source: "RFC 9700 section 4.5.3, https://www.rfc-editor.org/rfc/rfc9700#section-4.5.3",
    bent: answers((parameters, { idp, redirectUri }) => {
      const theirs = { client_id: "theirs", redirect_uri: redirectUri, code_challenge: "a" };
      parameters.set("code", idp.issueCode(new URLSearchParams(theirs)));
    }),
    refused: failed("code_rejected"),
    reaches: "token",
    twin: {},
  },
  {
    id: "answer-with-a-code-of-a-hundred-thousand-letters",
    source: "RFC 6749 section 4.1.2, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2",
    bent: answers((parameters) => parameters.set("code", "x".repeat(100_000))),
    refused: failed("code_rejected"),
    reaches: "token",
    twin: answers((parameters) => parameters.set("unknown", "x".repeat(100_000))),
  },
  {
    id: "answer-with-an-id-token",
    source:
      "OpenID Connect Core 3.1.2.5, https://openid.net/specs/openid-connect-core-1_0.html#AuthResponse",
    bent: answers((parameters) => parameters.set("id_token", "eyJhbGciOiJub25lIn0.e30.")),
    refused: failed("response_malformed"),
    reaches: "authorization",
    twin: answers((parameters) => parameters.set("scope", "openid")),
  },
  {
    id: "answer-in-a-token",
    source:
      "JWT Secured Authorization Response Mode 2.3, https://openid.net/specs/oauth-v2-jarm.html#section-2.3",
    bent: answers((parameters) => parameters.set("response", "eyJhbGciOiJub25lIn0.e30.")),
    refused: failed("response_malformed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-in-the-query-where-the-fragment-was-asked-for",
    source:
      "OAuth 2.0 Multiple Response Type Encoding 2.1, https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes",
    bent: {
      login: IN_FRAGMENT,
      address: (address) => {
        address.search = address.hash.slice(1);
        address.hash = "";
      },
    },
    refused: failed("response_malformed"),
    reaches: "authorization",
    twin: { login: IN_FRAGMENT },
  },
  {
    id: "answer-in-the-fragment-where-the-query-was-asked-for",
    source:
      "OAuth 2.0 Multiple Response Type Encoding 2.1, https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes",
    bent: {
      address: (address) => {
        address.hash = address.search.slice(1);
        address.search = "";
      },
    },
    refused: failed("response_malformed"),
    reaches: "authorization",
    twin: { login: { responseMode: "query" } },
  },
  {
    id: "answer-in-both-places",
    source: "RFC 6749 section 3.1, https://www.rfc-editor.org/rfc/rfc6749#section-3.1",
    bent: {
      login: IN_FRAGMENT,
      address: (address) => {
        address.search = address.hash.slice(1).replace(/code=[^&]*/, "code=injected");
      },
    },
    refused: failed("response_malformed"),
    reaches: "authorization",
    // A page may have parameters of these names itself.
    twin: {
      login: IN_FRAGMENT,
      address: (address) => {
        address.search = "code=of-the-page&state=of-the-page";
      },
    },
  },
  {
    id: "answer-torn-apart",
    source: "RFC 6749 section 4.1.2, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2",
    bent: {
      address: (address) => {
        address.hash = `state=${address.searchParams.get("state")}`;
        address.searchParams.delete("state");
      },
    },
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: {
      address: (address) => {
        address.hash = "chapter";
      },
    },
  },
  {
    id: "answer-in-the-path",
    source: "RFC 6749 section 4.1.2, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2",
    bent: {
      address: (address) => {
        address.pathname += `/${address.search.slice(1)}`;
        address.search = "";
      },
    },
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: {},
  },
  {
    id: "answer-with-semicolons-between-its-parameters",
    source:
      "URL, application/x-www-form-urlencoded, https://url.spec.whatwg.org/#urlencoded-parsing",
    bent: {
      address: (address) => {
        address.search = address.search.replaceAll("&", ";");
      },
    },
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: {
      address: (address) => {
        address.search = `&&${address.search.slice(1).replaceAll("&", "&&")}&`;
      },
    },
  },
];
