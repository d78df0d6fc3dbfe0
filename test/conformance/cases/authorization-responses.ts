import type { Deviation, Row } from "../row.js";
import { loginRows } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, openid, rfc } from "../sources.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "CodeExchangeFailed",
  code,
});

const UNKNOWN = { message: "MissingOrInvalidStoredState", code: "flow_unknown" } as const;

const IN_FRAGMENT = { responseMode: "fragment" } as const;

const responds = (authorizationResponse: Deviation["authorizationResponse"]): Deviation => ({
  ...(authorizationResponse && { authorizationResponse }),
});

/** The provider says no, in the words of RFC 6749. */
const refuses = (error: string): Deviation =>
  responds((parameters) => {
    parameters.delete("code");
    parameters.set("error", error);
  });

/** A response that says yes: whether it is to this login, at its place, and for the first time. */
export const AUTHORIZATION_RESPONSES = loginRows({ refused: UNKNOWN, reaches: "authorization" }, [
  {
    id: "response-without-state",
    reason: "The URL contains no authorization response",
    source:
      "fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-missing-state-fails, https://www.rfc-editor.org/rfc/rfc6749#section-10.12",
    deviation: responds((parameters) => parameters.delete("state")),
    keepsFlow: true,
  },
  {
    id: "response-state-of-nobody",
    source:
      "fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-state-fails, https://www.rfc-editor.org/rfc/rfc6749#section-10.12",
    deviation: responds((parameters) =>
      parameters.set("state", "mae-00000000000000000000000000000000"),
    ),
    keepsFlow: true,
  },
  {
    id: "response-state-with-something-added",
    source: rfc(6749, "10.12"),
    deviation: responds((parameters) => parameters.set("state", `${parameters.get("state")};a`)),
    keepsFlow: true,
  },
  {
    id: "response-state-in-capitals",
    source: rfc(6749, "10.12"),
    deviation: responds((parameters) =>
      parameters.set("state", String(parameters.get("state")).toUpperCase()),
    ),
    keepsFlow: true,
  },
  {
    id: "response-state-of-a-prototype",
    source: OWASP_PROTOTYPE_POLLUTION,
    deviation: responds((parameters) => parameters.set("state", "__proto__")),
    keepsFlow: true,
    control: responds((parameters) => parameters.append("__proto__", "1")),
  },
  {
    id: "response-replayed",
    source: rfc(9700, "4.2.4"),
    deviation: { login: { replayed: true } },
    reaches: "token",
  },
  {
    id: "response-replayed-to-code-and-state",
    source: rfc(9700, "4.2.4"),
    deviation: { login: { replayed: true, byCodeAndState: true } },
    reaches: "token",
    control: { login: { byCodeAndState: true } },
  },
  {
    id: "response-tried-again-after-a-refusal",
    source: rfc(9700, "4.2.4"),
    deviation: { ...refuses("access_denied"), login: { tries: 2 } },
    control: { login: { tries: 2 } },
  },
  {
    id: "response-with-the-code-of-another-login",
    source: rfc(9700, "4.5.3"),
    deviation: responds((parameters, { idp, redirectUri }) => {
      const theirs = { client_id: "theirs", redirect_uri: redirectUri, code_challenge: "a" };
      parameters.set("code", idp.issueCode(new URLSearchParams(theirs)));
    }),
    refused: failed("code_rejected"),
    reaches: "token",
  },
  {
    id: "response-with-a-code-of-a-hundred-thousand-letters",
    source: rfc(6749, "4.1.2"),
    deviation: responds((parameters) => parameters.set("code", "x".repeat(100_000))),
    refused: failed("code_rejected"),
    reaches: "token",
    control: responds((parameters) => parameters.set("unknown", "x".repeat(100_000))),
  },
  {
    id: "response-with-an-id-token",
    source: openid("Core 3.1.2.5", "AuthResponse"),
    deviation: responds((parameters) => parameters.set("id_token", "eyJhbGciOiJub25lIn0.e30.")),
    refused: failed("response_malformed"),
    control: responds((parameters) => parameters.set("scope", "openid")),
  },
  {
    id: "response-in-a-token",
    source:
      "JWT Secured Authorization Response Mode 2.3, https://openid.net/specs/oauth-v2-jarm.html#section-2.3",
    deviation: responds((parameters) => parameters.set("response", "eyJhbGciOiJub25lIn0.e30.")),
    refused: failed("response_malformed"),
  },
  {
    id: "response-in-the-query-where-the-fragment-was-asked-for",
    reason: "The response came in the query, which was not requested",
    source:
      "OAuth 2.0 Multiple Response Type Encoding 2.1, https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes",
    deviation: {
      login: IN_FRAGMENT,
      callbackUrl: (url) => {
        url.search = url.hash.slice(1);
        url.hash = "";
      },
    },
    refused: failed("response_malformed"),
    control: { login: IN_FRAGMENT },
  },
  {
    id: "response-in-the-fragment-where-the-query-was-asked-for",
    reason: "The response came in the fragment, which was not requested",
    source:
      "OAuth 2.0 Multiple Response Type Encoding 2.1, https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes",
    deviation: {
      callbackUrl: (url) => {
        url.hash = url.search.slice(1);
        url.search = "";
      },
    },
    refused: failed("response_malformed"),
    control: { login: { responseMode: "query" } },
  },
  {
    id: "response-in-both-places",
    source: rfc(6749, "3.1"),
    deviation: {
      login: IN_FRAGMENT,
      callbackUrl: (url) => {
        url.search = url.hash.slice(1).replace(/code=[^&]*/, "code=injected");
      },
    },
    refused: failed("response_malformed"),
    // A page may have parameters of these names itself.
    control: {
      login: IN_FRAGMENT,
      callbackUrl: (url) => {
        url.search = "code=of-the-page&state=of-the-page";
      },
    },
  },
  {
    id: "response-torn-apart",
    source: rfc(6749, "4.1.2"),
    deviation: {
      callbackUrl: (url) => {
        url.hash = `state=${url.searchParams.get("state")}`;
        url.searchParams.delete("state");
      },
    },
    keepsFlow: true,
    control: {
      callbackUrl: (url) => {
        url.hash = "chapter";
      },
    },
  },
  {
    id: "response-in-the-path",
    source: rfc(6749, "4.1.2"),
    deviation: {
      callbackUrl: (url) => {
        url.pathname += `/${url.search.slice(1)}`;
        url.search = "";
      },
    },
    keepsFlow: true,
  },
  {
    id: "response-with-semicolons-between-its-parameters",
    source:
      "URL, application/x-www-form-urlencoded, https://url.spec.whatwg.org/#urlencoded-parsing",
    deviation: {
      callbackUrl: (url) => {
        url.search = url.search.replaceAll("&", ";");
      },
    },
    keepsFlow: true,
    control: {
      callbackUrl: (url) => {
        url.search = `&&${url.search.slice(1).replaceAll("&", "&&")}&`;
      },
    },
  },
]);
