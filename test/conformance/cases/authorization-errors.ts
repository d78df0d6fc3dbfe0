import { oidcError } from "../deviations.js";
import { loginRows, type Deviation } from "../row.js";
import { openid, rfc } from "../sources.js";

const FAILED = { source: rfc(6749, "4.1.2.1"), refused: oidcError("CodeExchangeFailed", "authorization_failed"), reaches: "authorization" } as const;
const MALFORMED = { ...FAILED, refused: oidcError("CodeExchangeFailed", "response_malformed") };

/** The response's parameters, changed. */
export const changedParameters = (change: NonNullable<Deviation["authorizationResponse"]>): Deviation => ({ authorizationResponse: change });

/** An error response with a code of RFC 6749. */
export const refusal = (error: string): Deviation =>
  changedParameters((parameters) => {
    parameters.delete("code");
    parameters.set("error", error);
  });

/** Error responses, and responses to another sign-in. */
export const AUTHORIZATION_ERRORS = [
  ...loginRows({ ...FAILED, deviationOf: refusal }, [
    { id: "response-access-denied", deviation: refusal("access_denied"), refused: oidcError("AuthorizationRefused", "access_denied") },
    ["response-invalid-request", "invalid_request"],
    ["response-unauthorized-client", "unauthorized_client"],
    ["response-unsupported-response-type", "unsupported_response_type"],
    ["response-invalid-scope", "invalid_scope"],
    { id: "response-server-error", reason: "server_error", deviation: refusal("server_error") },
    ["response-temporarily-unavailable", "temporarily_unavailable"],
    ["response-error-empty", ""],
  ]),
  ...loginRows({ ...FAILED, source: openid("Core 3.1.2.6", "AuthError"), deviationOf: refusal }, [
    ["response-interaction-required", "interaction_required"],
    ["response-login-required", "login_required"],
    ["response-consent-required", "consent_required"],
  ]),
  ...loginRows({ ...FAILED, deviationOf: changedParameters }, [
    {
      id: "response-error-with-markup",
      source: "OWASP, cross-site scripting, https://cheatsheetseries.owasp.org/cheatsheets/Cross_Site_Scripting_Prevention_Cheat_Sheet.html",
      deviation: changedParameters((parameters) => {
        parameters.set("error", "<script>alert(1)</script>");
        parameters.set("error_description", "<img src=x onerror=alert(1)>");
        parameters.set("error_uri", "javascript:alert(1)");
      }),
    },
    {
      id: "response-error-and-code",
      source: rfc(6749, "4.1.2"),
      deviation: changedParameters((parameters) => parameters.set("error", "server_error")),
      control: changedParameters((parameters) => parameters.set("session_state", "a.b")),
    },
    {
      id: "response-without-code",
      source: rfc(6749, "4.1.2"),
      deviation: changedParameters((parameters) => parameters.delete("code")),
      refused: oidcError("MissingOrInvalidStoredState", "flow_unknown"),
      keepsFlow: true,
    },
  ]),
  ...loginRows({ ...MALFORMED, source: rfc(6749, "3.1"), deviationOf: changedParameters }, [
    {
      id: "response-code-empty",
      reason: "The provider's response contains no code",
      source: rfc(6749, "4.1.2"),
      deviation: changedParameters((parameters) => parameters.set("code", "")),
    },
    {
      id: "response-code-empty-with-state-only",
      source: rfc(6749, "4.1.2"),
      deviation: { ...changedParameters((parameters) => parameters.set("code", "")), login: { byCodeAndState: true } },
      control: { login: { byCodeAndState: true } },
    },
    {
      id: "response-twice",
      reason: "The response repeats: code, state, iss",
      deviation: changedParameters((parameters) => {
        for (const [name, value] of [...parameters]) parameters.append(name, value);
      }),
    },
    ...[...["code", "state", "error", "error_description", "error_uri", "session_state"], ...["scope", "token_type", "expires_in"]].map((name) => ({
      id: `response-${name.replaceAll("_", "-")}-twice`,
      reason: `The response repeats: ${name}`,
      deviation: changedParameters((parameters) => {
        if (!parameters.has(name)) parameters.append(name, "one");
        parameters.append(name, "another");
      }),
      control: changedParameters((parameters) => {
        parameters.append("unknown", "one");
        parameters.append("unknown", "another");
      }),
    })),
  ]),
];
