import { oidcError, part } from "../deviations.js";
import { loginRows } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, openid, rfc } from "../sources.js";
import { changedParameters, refusal } from "./authorization-errors.js";

const USED = { source: rfc(9700, "4.2.4"), refused: oidcError("MissingOrInvalidStoredState", "flow_unknown"), reaches: "authorization" } as const;
/** The response is to another sign-in; this one can still be completed. */
const UNKNOWN = { refused: USED.refused, reaches: USED.reaches, keepsFlow: true } as const;
const MALFORMED = { refused: oidcError("CodeExchangeFailed", "response_malformed"), reaches: "authorization" } as const;
const REJECTED = { refused: oidcError("CodeExchangeFailed", "code_rejected"), reaches: "token" } as const;

const IN_FRAGMENT = { responseMode: "fragment" } as const;
const RESPONSE_MODES = "OAuth 2.0 Multiple Response Type Encoding 2.1, https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes";

/**
 * Successful responses: each must be to this sign-in, in the right part of the URL, and used once.
 */
export const AUTHORIZATION_RESPONSES = [
  ...loginRows({ ...UNKNOWN, deviationOf: changedParameters }, [
    {
      id: "response-without-state",
      reason: "The URL contains no authorization response",
      source: rfc(6749, "10.12", "fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-missing-state-fails"),
      deviation: changedParameters((parameters) => parameters.delete("state")),
    },
    [
      "response-state-unknown",
      rfc(6749, "10.12", "fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-state-fails"),
      (parameters) => parameters.set("state", "mae-00000000000000000000000000000000"),
    ],
    ["response-state-with-a-suffix", rfc(6749, "10.12"), (parameters) => parameters.set("state", `${parameters.get("state")};a`)],
    ["response-state-in-capitals", rfc(6749, "10.12"), (parameters) => parameters.set("state", String(parameters.get("state")).toUpperCase())],
    [
      "response-state-of-a-prototype",
      OWASP_PROTOTYPE_POLLUTION,
      (parameters) => parameters.set("state", "__proto__"),
      (parameters) => parameters.append("__proto__", "1"),
    ],
  ]),
  ...loginRows({ ...UNKNOWN, deviationOf: part("callbackUrl") }, [
    [
      "response-split-between-query-and-fragment",
      rfc(6749, "4.1.2"),
      (url) => {
        url.hash = `state=${url.searchParams.get("state")}`;
        url.searchParams.delete("state");
      },
      (url) => {
        url.hash = "chapter";
      },
    ],
    [
      "response-in-the-path",
      rfc(6749, "4.1.2"),
      (url) => {
        url.pathname += `/${url.search.slice(1)}`;
        url.search = "";
      },
    ],
    [
      "response-with-semicolons-between-its-parameters",
      "URL, application/x-www-form-urlencoded, https://url.spec.whatwg.org/#urlencoded-parsing",
      (url) => {
        url.search = url.search.replaceAll("&", ";");
      },
      (url) => {
        url.search = `&&${url.search.slice(1).replaceAll("&", "&&")}&`;
      },
    ],
  ]),
  ...loginRows(USED, [
    { id: "response-replayed", deviation: { login: { replayed: true } }, reaches: "token" },
    {
      id: "response-replayed-to-code-and-state",
      deviation: { login: { replayed: true, byCodeAndState: true } },
      reaches: "token",
      control: { login: { byCodeAndState: true } },
    },
    ["response-reused-after-a-rejection", { ...refusal("access_denied"), login: { tries: 2 } }, { login: { tries: 2 } }],
  ]),
  ...loginRows({ ...REJECTED, deviationOf: changedParameters }, [
    [
      "response-with-the-code-of-another-login",
      rfc(9700, "4.5.3"),
      (parameters, { idp, redirectUri }) => {
        const theirs = { client_id: "theirs", redirect_uri: redirectUri, code_challenge: "a" };
        parameters.set("code", idp.issueCode(new URLSearchParams(theirs)));
      },
    ],
    [
      "response-with-a-code-of-30000-characters",
      rfc(6749, "4.1.2"),
      (parameters) => parameters.set("code", "x".repeat(30_000)),
      (parameters) => parameters.set("unknown", "x".repeat(30_000)),
    ],
  ]),
  ...loginRows({ ...MALFORMED, deviationOf: changedParameters }, [
    [
      "response-with-an-id-token",
      openid("Core 3.1.2.5", "AuthResponse"),
      (parameters) => parameters.set("id_token", "eyJhbGciOiJub25lIn0.e30."),
      (parameters) => parameters.set("scope", "openid"),
    ],
    [
      "response-with-a-token",
      openid("Core 3.2.2.5", "ImplicitAuthResponse"),
      (parameters) => parameters.set("access_token", "secret"),
      // The page's own URL may have a parameter with this name.
      (parameters) => parameters.set("token", "of-the-page"),
    ],
    [
      "response-in-a-token",
      "JWT Secured Authorization Response Mode 2.3, https://openid.net/specs/oauth-v2-jarm.html#section-2.3",
      (parameters) => parameters.set("response", "eyJhbGciOiJub25lIn0.e30."),
    ],
  ]),
  ...loginRows(MALFORMED, [
    {
      id: "response-in-the-query-instead-of-the-fragment",
      reason: "The response was in the query, but another response mode was requested",
      source: RESPONSE_MODES,
      deviation: {
        login: IN_FRAGMENT,
        callbackUrl: (url) => {
          url.search = url.hash.slice(1);
          url.hash = "";
        },
      },
      control: { login: IN_FRAGMENT },
    },
    {
      id: "response-in-the-fragment-instead-of-the-query",
      reason: "The response was in the fragment, but another response mode was requested",
      source: RESPONSE_MODES,
      deviation: {
        callbackUrl: (url) => {
          url.hash = url.search.slice(1);
          url.search = "";
        },
      },
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
      // The page's own URL may have parameters with these names.
      control: {
        login: IN_FRAGMENT,
        callbackUrl: (url) => {
          url.search = "code=of-the-page&state=of-the-page";
        },
      },
    },
  ]),
];
